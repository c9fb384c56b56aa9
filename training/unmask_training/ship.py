"""From trained adapters to files to commit: export, measure, export again with the figures inside, record."""

import json
from pathlib import Path

from .base import sha256_of
from .card import write_cards
from .evaluate import evaluate
from .export import export
from .record import record
from .upcycle import COUNT, FEATURES

THRESHOLD_UNTIL_MEASURED = 0.3


def ship(work: Path, models: Path, fixtures: Path, results: Path, smoke: bool = False) -> None:
    export(work, models, THRESHOLD_UNTIL_MEASURED, {})
    figures = {
        **{stage: json.loads((work / f"{stage}.json").read_text()) for stage in ("prepare", "tune", "adapt")},
        "export": {"baseSha256": sha256_of(models / "base.gguf"), "experts": COUNT, "expertFeatures": FEATURES},
        "evaluate": evaluate(work, models, tokens_max=8, questions=2) if smoke else evaluate(work, models),
    }
    results.parent.mkdir(parents=True, exist_ok=True)
    results.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n")
    export(work, models, figures["evaluate"]["threshold"], brief(figures))
    write_cards(figures, models)
    record(models, fixtures, questions=2 if smoke else 50)


def brief(figures: dict) -> dict:
    """What travels inside the exported files."""
    adapted, evaluated = figures["adapt"], figures["evaluate"]
    return {
        "tunedTargets": figures["tune"]["targets"],
        "trainedTargets": adapted["targets"],
        "trainedSeconds": adapted["seconds"],
        "heldOutAccuracyByDistance": evaluated["heldOut"]["accuracyByDistance"],
        "verifiedTokensPerForward": evaluated["verifiedTokensPerForward"],
        "verifiedEqualsSequential": evaluated["verifiedEqualsSequential"],
    }
