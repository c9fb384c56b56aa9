"""The shipped files: the base, and two files of additions that name it by checksum."""

import shutil
from pathlib import Path

from .additions import Description, write_additions
from .adapt import load_adapters
from .base import best_base_path, load_base, sha256_of
from .tune import load_experts

ABOUT = {
    "Model": "Window adapters that let base.gguf draw several tokens per forward.",
    "Model-MoE": "Routed experts beside each feed-forward of base.gguf, and window adapters of their own.",
}


def export(work: Path, out: Path, threshold: float, figures: dict) -> None:
    out.mkdir(parents=True, exist_ok=True)
    source = best_base_path(work)
    base = load_base(source)
    checksum = sha256_of(source)
    if not (out / "base.gguf").exists() or not (out / "base.gguf").samefile(source):
        shutil.copyfile(source, out / "base.gguf")
    trained = load_experts(work)
    for name, file, stage, experts in (("Model", "model.gguf", "adapt", None),
                                       ("Model-MoE", "model-moe.gguf", "adapt-moe", trained)):
        about = Description(name, ABOUT[name], threshold, figures, base_sha256=checksum)
        write_additions(out / file, about, base.shape, load_adapters(work, base, stage), experts)
