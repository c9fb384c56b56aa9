"""From trained adapters to files to commit: export, measure, export again with the figures inside, record."""

import json
from pathlib import Path

from .base import sha256_of
from .card import total, write_cards
from .evaluate import evaluate
from .export import export
from .record import record
from .upcycle import COUNT, FEATURES

THRESHOLD_UNTIL_MEASURED = 0.3


STAGES = ("prepare", "tune", "adapt", "experts", "adapt-moe")


def ship(work: Path, models: Path, fixtures: Path, results: Path, smoke: bool = False) -> None:
    export(work, models, THRESHOLD_UNTIL_MEASURED, {})
    stages = {stage: json.loads((work / f"{stage}.json").read_text()) for stage in STAGES}
    figures = {
        **stages,
        "earlier": earlier_runs(results, stages["tune"].get("start")),
        "export": {"baseSha256": sha256_of(models / "base.gguf"), "experts": COUNT, "expertFeatures": FEATURES},
        "evaluate": evaluate(work, models, tokens_max=8, questions=2) if smoke else evaluate(work, models),
    }
    results.parent.mkdir(parents=True, exist_ok=True)
    results.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n")
    export(work, models, figures["evaluate"]["threshold"], brief(figures))
    write_cards(figures, models)
    record(models, fixtures, questions=2 if smoke else 50)


def earlier_runs(results: Path, start: str | None) -> list[dict]:
    """What the results of the pair that was gone on with tell of its making; nothing where tuning began anew."""
    if start is None or not results.exists():
        return []
    previous = json.loads(results.read_text())
    if previous["tune"].get("start") == start:  # the same pair, shipped once more
        return previous["earlier"]
    if previous["export"]["baseSha256"] != start:
        return []
    return [*previous.get("earlier", []), {stage: previous[stage] for stage in STAGES if stage in previous}]


def brief(figures: dict) -> dict:
    """What travels inside the exported files."""
    evaluated = figures["evaluate"]
    return {
        "tunedTargets": total(figures, "tune", "targets"),
        "trainedTargets": total(figures, "adapt", "targets"),
        "trainedSeconds": total(figures, "adapt", "seconds"),
        "heldOutAccuracyByDistance": evaluated["heldOut"]["accuracyByDistance"],
        "verifiedTokensPerForward": evaluated["verifiedTokensPerForward"],
        "verifiedEqualsSequential": evaluated["verifiedEqualsSequential"],
    }
