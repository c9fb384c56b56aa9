"""python -m unmask_training VERB …; see README.md."""

import argparse
from dataclasses import replace
from pathlib import Path

from .adapt import AdaptOptions, adapt
from .generate import ask_base, own_answers
from .generators import write_questions
from .prepare import prepare
from .record import record
from .ship import ship
from .tune import EXPERT_RATE, RATE, TuneOptions, tune, tune_experts

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


# Of the time budget of `all`. Tuning runs twice: its second part also learns from the answers that the first one mends.
TUNE_SHARES, GENERATE_SHARE, ADAPT_SHARE, EXPERTS_SHARE, ADAPT_MOE_SHARE = (0.2, 0.2), 0.05, 0.3, 0.15, 0.05


def main() -> None:
    args = parse()
    if args.verb == "prepare":
        print(prepare(args.corpus, args.work))
        ask_base(args.work)
    elif args.verb == "questions":
        write_questions(args.questions)
    elif args.verb == "tune":
        tune(args.work, tune_options(args, 1))
    elif args.verb == "generate":
        print(own_answers(args.work, args.minutes * 60), "answers")
    elif args.verb == "adapt" and args.moe and args.start is not None:
        raise SystemExit("--moe begins with the adapters of Model in WORK: leave --start away")
    elif args.verb == "adapt":
        adapt(args.work, replace(adapt_options(args, 1), stage="adapt-moe" if args.moe else "adapt"))
    elif args.verb == "experts":
        tune_experts(args.work, expert_options(args, 1))
    elif args.verb == "ship":
        ship(args.work, args.models, args.fixtures, args.results)
    elif args.verb == "record":
        record(args.models, args.fixtures)
    elif args.smoke:
        run_smoke(args.corpus, args.work / "smoke")
    else:
        run_all(args)


def run_all(args: argparse.Namespace) -> None:
    """Each stage goes on from its checkpoint; a stage that has had its time only writes its files again."""
    work, first = args.work, TUNE_SHARES[0]
    prepare(args.corpus, work)
    ask_base(work)
    tune(work, tune_options(args, first))
    own_answers(work, args.minutes * 60 * GENERATE_SHARE)
    tune(work, tune_options(args, sum(TUNE_SHARES)))
    own_answers(work, args.minutes * 60 * GENERATE_SHARE)
    adapt(work, adapt_options(args, ADAPT_SHARE))
    tune_experts(work, expert_options(args, EXPERTS_SHARE))
    adapt(work, replace(adapt_options(args, ADAPT_MOE_SHARE), stage="adapt-moe"))
    ship(work, args.models, args.fixtures, args.results)


def run_smoke(corpus: Path, work: Path) -> None:
    """Through everything in about two minutes; writes below the work folder only."""
    prepare(corpus, work)
    ask_base(work, batch=4, tokens_max=16, batches_max=1)
    tune(work, TuneOptions(seconds=15, held_out=4))
    own_answers(work, seconds=5, batch=4, tokens_max=16)
    adapt_some = AdaptOptions(seconds=15, rank=32, batch_cost=400, compile=False, held_out=4)
    adapt(work, adapt_some)
    tune_experts(work, TuneOptions(seconds=10, held_out=4))
    adapt(work, replace(adapt_some, stage="adapt-moe"))
    ship(work, work / "models", work / "fixtures", work / "results.json", smoke=True)


def tune_options(args: argparse.Namespace, share: float) -> TuneOptions:
    return TuneOptions(seconds=args.minutes * 60 * share, threads=args.threads, rate=args.rate, start=args.start)


def expert_options(args: argparse.Namespace, share: float) -> TuneOptions:
    return TuneOptions(seconds=args.minutes * 60 * share, threads=args.threads, rate=EXPERT_RATE, start=args.start)


def adapt_options(args: argparse.Namespace, share: float) -> AdaptOptions:
    return AdaptOptions(seconds=args.minutes * 60 * share, rank=args.rank, threads=args.threads,
                        compile=not args.no_compile, start=args.start)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m unmask_training", description="How the bundled models are made.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    add(verbs, "prepare", "bring the base file and the training data", "corpus", "work")
    add(verbs, "questions", "write the questions that the bench asks", "questions")
    tuning = train_options(add(verbs, "tune", "tune what the base says", "work"))
    tuning.add_argument("--rate", type=float, default=RATE, help="of learning; lower when going on from tuned weights")
    tuning.add_argument("--start", type=Path, help="an exported base.gguf whose tuning is gone on with")
    train_options(add(verbs, "generate", "let the tuned base answer the corpus' questions", "work"))
    adapting = train_options(add(verbs, "adapt", "train the window adapters", "work"))
    adapting.add_argument("--start", type=Path, help="an exported model.gguf whose adapters are gone on with")
    adapting.add_argument("--moe", action="store_true", help="those of Model-MoE, begun with those of Model")
    routing = train_options(add(verbs, "experts", "train the experts of Model-MoE", "work"))
    routing.add_argument("--start", type=Path, help="an exported model-moe.gguf whose experts are gone on with")
    add(verbs, "ship", "export, measure, record", "work", "models", "fixtures", "results")
    add(verbs, "record", "record the expectations of the engine's tests", "models", "fixtures")
    everything = add(verbs, "all", "all of it in order", "corpus", "work", "models", "fixtures", "results")
    train_options(everything).set_defaults(rate=RATE, start=None)
    everything.add_argument("--smoke", action="store_true", help="small settings, two minutes, WORK/smoke only")
    return parser.parse_args()


def add(verbs, name: str, text: str, *places: str) -> argparse.ArgumentParser:
    verb = verbs.add_parser(name, help=text, description=text)
    for place in places:
        verb.add_argument(f"--{place}", type=Path, help=PLACES[place], default=DEFAULTS.get(place),
                          required=place not in DEFAULTS)
    return verb


def train_options(verb: argparse.ArgumentParser) -> argparse.ArgumentParser:
    verb.add_argument("--minutes", type=float, default=90, help="time budget of the training, all runs together")
    verb.add_argument("--rank", type=int, default=64)
    verb.add_argument("--threads", type=int, default=1)
    verb.add_argument("--no-compile", action="store_true", help="where no C++ compiler is installed; a little slower")
    return verb


if __name__ == "__main__":
    main()
