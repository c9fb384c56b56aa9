"""From trained adapters to files to commit: export, measure, export again with the figures inside, record."""

import json
from pathlib import Path

from .card import write_card
from .evaluate import evaluate
from .export import export
from .record import record

THRESHOLD_UNTIL_MEASURED = 0.3


def ship(work: Path, models: Path, fixtures: Path, results: Path, smoke: bool = False) -> None:
    export(work, models, THRESHOLD_UNTIL_MEASURED, {})
    figures = {
        "prepare": json.loads((work / "prepare.json").read_text()),
        "adapt": json.loads((work / "adapt.json").read_text()),
        "evaluate": evaluate(work, models, tokens_max=8, questions=2) if smoke else evaluate(work, models),
    }
    results.parent.mkdir(parents=True, exist_ok=True)
    results.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n")
    export(work, models, figures["evaluate"]["threshold"], brief(figures))
    write_card(figures, models / "MODEL_CARD.md")
    record(models, fixtures, questions=2 if smoke else 50)


def brief(figures: dict) -> dict:
    """What travels inside the exported files."""
    adapted, evaluated = figures["adapt"], figures["evaluate"]
    return {
        "trainedTargets": adapted["targets"],
        "trainedSeconds": adapted["seconds"],
        "heldOutAccuracyByDistance": evaluated["heldOut"]["accuracyByDistance"],
        "verifiedTokensPerForward": evaluated["verifiedTokensPerForward"],
        "verifiedEqualsSequential": evaluated["verifiedEqualsSequential"],
    }
