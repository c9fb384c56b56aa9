"""Tune the causal half by ordinary next-token loss: what the model says. Only scales, minima and norms move."""

import json
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from .base import END_OF_TURN, base_path, tuned_path
from .chat import encode_question, load_tokenizer
from .generators import Question, closed_questions, draw, product_questions, unknown_questions
from .head_loss import head_loss
from .network import Network, triangle
from .prepare import Example, evaluation_prompts, load_examples, normalise, write_atomically
from .scales import Scales, write_tuned

RATE, RATE_LAST, WARM_UP_STEPS = 4e-3, 0.05, 10
# Examples of one step. The base's own answers keep what it knows; the rest teaches.
SHARES = {"sum": 16, "capital": 8, "opposite": 5, "symbol": 5, "unit": 5, "calendar": 3, "product": 10, "unknown": 2, "own": 6}
# Towards the end: tables are known by then and only kept; what is not yet known, and the base's own manner, get the time.
LATE_SHARES = {"sum": 14, "capital": 2, "opposite": 2, "symbol": 2, "unit": 8, "calendar": 4, "product": 14, "unknown": 3, "own": 10}
LATE_FROM = 0.7  # of the time budget
OWN_TOKENS_MAX, BATCH = 100, 12


@dataclass
class TuneOptions:
    seconds: float
    threads: int = 1
    seed: int = 7
    rate: float = RATE
    checkpoint_seconds: float = 120
    evaluate_seconds: float = 600
    held_out: int = 96


def tune(work: Path, options: TuneOptions) -> dict:
    """Resumes from the last checkpoint in `work`; the time budget counts all runs together."""
    torch.set_num_threads(options.threads)
    run = Run(work, options)
    held = load_examples(work, "heldout")[: options.held_out]
    if not run.history:
        run.note(held_out_loss(run.scales, held))
    while run.spent() < options.seconds:
        run.step()
        if time.monotonic() - run.noted > options.evaluate_seconds:
            run.note(held_out_loss(run.scales, held))
    run.note(held_out_loss(run.scales, held))
    write_tuned(run.scales, base_path(work), tuned_path(work))
    figures = {"steps": run.steps, "targets": run.targets, "seconds": round(run.spent()), "rate": options.rate,
               "threads": options.threads, "shares": SHARES, "lateShares": LATE_SHARES, "history": run.history}
    write_atomically(work / "tune.json", figures)
    return figures


class Data:
    """Every step's examples follow from the seed and the step's number, so a resumed run goes on as it would have."""

    def __init__(self, work: Path):
        self.tokenizer = load_tokenizer(base_path(work))
        banned = evaluation_prompts()
        every = [*closed_questions(), *product_questions(), *unknown_questions()]
        self.questions = [q for q in every if not q.held and normalise(q.ask) not in banned]
        self.own = [(p, a) for p, a in load_examples(work, "train") if len(a) <= OWN_TOKENS_MAX]
        self.prefix = shared_beginning([self.encode(q)[0] for q in self.questions[:: len(self.questions) // 50]])

    def encode(self, question: Question) -> Example:
        answer = self.tokenizer.encode(question.answer, add_special_tokens=False).ids
        return encode_question(self.tokenizer, question.ask), [*answer, END_OF_TURN]

    def batches(self, seed: int, step: int, shares: dict[str, int]) -> list[list[Example]]:
        """Cut by length, so that little is padding."""
        rng = random.Random(seed * 1_000_003 + step)
        taught = draw(self.questions, {kind: count for kind, count in shares.items() if kind != "own"}, rng)
        examples = [self.encode(q) for q in taught] + rng.sample(self.own, shares["own"])
        examples.sort(key=lambda example: len(example[0]) + len(example[1]))
        return [examples[i : i + BATCH] for i in range(0, len(examples), BATCH)]


def shared_beginning(prompts: list[list[int]]) -> list[int]:
    first = prompts[0]
    length = next(i for i in range(len(first)) if any(p[i] != first[i] for p in prompts))
    return first[:length]


def batch_loss(network: Network, prefix: list[int], batch: list[Example], targets: int) -> torch.Tensor:
    """Next-token loss of the answers, as a share of `targets`; the shared beginning runs once for the batch."""
    known = len(prefix)
    _, cache = network.causal(torch.tensor([prefix]), torch.arange(known), triangle(known))
    rows = max(len(p) + len(a) for p, a in batch) - known - 1
    ids = torch.full((len(batch), rows), END_OF_TURN)
    wanted = torch.full((len(batch), rows), -1)
    for i, (prompt, answer) in enumerate(batch):
        text = (prompt + answer)[known:]
        ids[i, : len(text) - 1] = torch.tensor(text[:-1])
        first = len(prompt) - known - 1
        wanted[i, first : first + len(answer)] = torch.tensor(answer)
    past = [(k.expand(len(batch), -1, -1, -1), v.expand(len(batch), -1, -1, -1)) for k, v in cache]
    allowed = torch.cat([torch.ones(1, rows, known, dtype=torch.bool), triangle(rows)], -1)
    hidden, _ = network.causal(ids, torch.arange(known, known + rows), allowed, past)
    at = wanted >= 0
    weight = torch.full((int(at.sum()),), 1 / targets)
    return head_loss(hidden[at], network.base.embedding, wanted[at], weight)


@torch.no_grad()
def held_out_loss(scales: Scales, held: list[Example]) -> dict:
    """Nats a token on held-out answers of the unchanged base: how far the tuned model has moved from it."""
    network, total, count = Network(scales.build()), 0.0, 0
    prefix = shared_beginning([p for p, _ in held])
    for i in range(0, len(held), 12):
        batch = held[i : i + 12]
        total += float(batch_loss(network, prefix, batch, 1))
        count += sum(len(a) for _, a in batch)
    return {"heldOutLoss": round(total / count, 4)}


class Run:
    def __init__(self, work: Path, options: TuneOptions):
        self.work, self.options = work, options
        self.scales, self.data = Scales(base_path(work)), Data(work)
        self.optimizer = torch.optim.AdamW(
            self.scales.parameters(), lr=options.rate, betas=(0.9, 0.98), weight_decay=0, fused=True)
        self.steps, self.targets, self.seconds, self.history = 0, 0, 0.0, []
        self._load()
        self.began = self.saved = self.noted = time.monotonic()

    def spent(self) -> float:
        return self.seconds + time.monotonic() - self.began

    def step(self) -> None:
        spent = self.spent() / self.options.seconds
        for group in self.optimizer.param_groups:
            group["lr"] = self.options.rate * rate_share(self.steps, spent)
        batches = self.data.batches(self.options.seed, self.steps, SHARES if spent < LATE_FROM else LATE_SHARES)
        targets = sum(len(answer) for batch in batches for _, answer in batch)
        base = self.scales.build()
        network, losses = Network(base), []
        for batch in batches:
            share = sum(len(answer) for _, answer in batch)
            loss = batch_loss(network, self.data.prefix, batch, targets)
            loss.backward()
            losses.append(round(loss.item() * targets / share, 3))
        self.scales.collect(base)
        torch.nn.utils.clip_grad_norm_(self.scales.parameters(), 1.0)
        self.optimizer.step()
        self.steps, self.targets = self.steps + 1, self.targets + targets
        if self.steps % 5 == 0:
            print(f"step {self.steps}: {self.spent():.0f} s, {self.targets} targets, loss {losses}", flush=True)
        if time.monotonic() - self.saved > self.options.checkpoint_seconds:
            self.save()

    def note(self, figures: dict) -> None:
        entry = {"seconds": round(self.spent()), "steps": self.steps, **figures}
        self.history.append(entry)
        print(json.dumps(entry), flush=True)
        self.noted = time.monotonic()
        self.save()

    def save(self) -> None:
        """Written beside and renamed, so that a kill at any moment leaves a whole checkpoint."""
        partial = scales_path(self.work).with_suffix(".partial")
        torch.save(dict(
            scales=self.scales.state_dict(), optimizer=self.optimizer.state_dict(), steps=self.steps,
            targets=self.targets, seconds=self.spent(), history=self.history), partial)
        os.replace(partial, scales_path(self.work))
        self.saved = time.monotonic()

    def _load(self) -> None:
        if not scales_path(self.work).exists():
            return
        state = torch.load(scales_path(self.work), weights_only=False)
        self.scales.load_state_dict(state["scales"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.steps, self.targets = state["steps"], state["targets"]
        self.seconds, self.history = state["seconds"], state["history"]
        print(f"resumed at step {self.steps}, {self.seconds:.0f} s", flush=True)


def rate_share(step: int, spent: float) -> float:
    """Constant to half of the time budget, then linear down."""
    return min(1, (step + 1) / WARM_UP_STEPS) * (1 if spent < 0.5 else max(RATE_LAST, 2 * (1 - spent)))


def scales_path(work: Path) -> Path:
    return work / "scales.pt"


def load_scales(work: Path) -> Scales:
    scales = Scales(base_path(work))
    scales.load_state_dict(torch.load(scales_path(work), weights_only=False)["scales"])
    return scales.requires_grad_(False)
