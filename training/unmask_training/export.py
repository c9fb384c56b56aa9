"""The shipped files: the base unchanged, and two files of additions that name it by checksum."""

import shutil
from pathlib import Path

from .additions import Description, write_additions
from .adapt import load_adapters
from .base import load_base
from .prepare import base_path
from .upcycle import upcycle

ABOUT = {
    "Model": "Window adapters that let SmolLM2-135M-Instruct, unchanged, draw several tokens per forward.",
    "Model-MoE": "Model with routed experts beside each feed-forward, at step zero: same replies as Model for now.",
}


def export(work: Path, out: Path, threshold: float, figures: dict) -> None:
    out.mkdir(parents=True, exist_ok=True)
    base = load_base(base_path(work))
    adapters = load_adapters(work, base)
    if not (out / "base.gguf").exists() or not (out / "base.gguf").samefile(base_path(work)):
        shutil.copyfile(base_path(work), out / "base.gguf")
    for name, file, experts in (("Model", "model.gguf", None), ("Model-MoE", "model-moe.gguf", upcycle(base))):
        write_additions(out / file, Description(name, ABOUT[name], threshold, figures), base.shape, adapters, experts)
