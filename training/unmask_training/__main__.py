"""python -m unmask_training VERB …; see README.md."""

import argparse
from pathlib import Path

from .adapt import AdaptOptions, adapt
from .generate import own_answers
from .generators import write_questions
from .prepare import prepare
from .record import record
from .ship import ship
from .tune import TuneOptions, tune

ROOT = Path(__file__).resolve().parents[2]
PLACES = {
    "corpus": "folder that holds base-answers-00.jsonl.zst",
    "work": "folder for intermediate files; a second run goes on from what it finds there",
    "models": "where the GGUF files go",
    "fixtures": "where the recorded expectations of the engine's tests go",
    "results": "the file of measured figures",
    "questions": "the file of the bench's questions",
}
DEFAULTS = {
    "models": ROOT / "models",
    "fixtures": ROOT / "test/fixtures/engine",
    "results": ROOT / "training/results/pair.json",
    "questions": ROOT / "bench/quality/questions.json",
}


TUNE_SHARE, GENERATE_SHARE = 0.4, 0.1  # of the time budget of `all`; the adapters get the rest


def main() -> None:
    args = parse()
    if args.verb == "prepare":
        print(prepare(args.corpus, args.work))
    elif args.verb == "questions":
        write_questions(args.questions)
    elif args.verb == "tune":
        tune(args.work, tune_options(args, 1))
    elif args.verb == "generate":
        print(own_answers(args.work, args.minutes * 60), "answers")
    elif args.verb == "adapt":
        adapt(args.work, adapt_options(args, 1))
    elif args.verb == "ship":
        ship(args.work, args.models, args.fixtures, args.results)
    elif args.verb == "record":
        record(args.models, args.fixtures)
    elif args.smoke:
        run_smoke(args.corpus, args.work / "smoke")
    else:
        prepare(args.corpus, args.work)
        tune(args.work, tune_options(args, TUNE_SHARE))
        own_answers(args.work, args.minutes * 60 * GENERATE_SHARE)
        adapt(args.work, adapt_options(args, 1 - TUNE_SHARE - GENERATE_SHARE))
        ship(args.work, args.models, args.fixtures, args.results)


def run_smoke(corpus: Path, work: Path) -> None:
    """Through everything in about two minutes; writes below the work folder only."""
    prepare(corpus, work)
    tune(work, TuneOptions(seconds=15, held_out=4))
    own_answers(work, seconds=5, batch=4, tokens_max=16)
    adapt(work, AdaptOptions(seconds=20, rank=32, batch_cost=400, compile=False, held_out=4))
    ship(work, work / "models", work / "fixtures", work / "results.json", smoke=True)


def tune_options(args: argparse.Namespace, share: float) -> TuneOptions:
    return TuneOptions(seconds=args.minutes * 60 * share, threads=args.threads)


def adapt_options(args: argparse.Namespace, share: float) -> AdaptOptions:
    return AdaptOptions(seconds=args.minutes * 60 * share, rank=args.rank, threads=args.threads,
                        compile=not args.no_compile, start=args.start)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m unmask_training", description="How the bundled models are made.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    add(verbs, "prepare", "bring the base file and the training data", "corpus", "work")
    add(verbs, "questions", "write the questions that the bench asks", "questions")
    train_options(add(verbs, "tune", "tune what the base says", "work"))
    train_options(add(verbs, "generate", "let the tuned base answer the corpus' questions", "work"))
    train_options(add(verbs, "adapt", "train the window adapters", "work"))
    add(verbs, "ship", "export, measure, record", "work", "models", "fixtures", "results")
    add(verbs, "record", "record the expectations of the engine's tests", "models", "fixtures")
    everything = add(verbs, "all", "all of it in order", "corpus", "work", "models", "fixtures", "results")
    train_options(everything)
    everything.add_argument("--smoke", action="store_true", help="small settings, two minutes, WORK/smoke only")
    return parser.parse_args()


def add(verbs, name: str, text: str, *places: str) -> argparse.ArgumentParser:
    verb = verbs.add_parser(name, help=text, description=text)
    for place in places:
        verb.add_argument(f"--{place}", type=Path, help=PLACES[place], default=DEFAULTS.get(place),
                          required=place not in DEFAULTS)
    return verb


def train_options(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--minutes", type=float, default=90, help="time budget of the training, all runs together")
    verb.add_argument("--rank", type=int, default=64)
    verb.add_argument("--threads", type=int, default=1)
    verb.add_argument("--start", type=Path, help="work folder of another run whose adapters are gone on with")
    verb.add_argument("--no-compile", action="store_true", help="where no C++ compiler is installed; a little slower")


if __name__ == "__main__":
    main()
