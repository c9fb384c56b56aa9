"""Tune what the model says by ordinary next-token loss: of the base only scales, minima and norms move (`scales.py`);
then the experts of Model-MoE beside the tuned base (`experts.py`), by the same steps.
"""

import json
import os
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from .base import END_OF_TURN, base_path, best_base_path, sha256_of, tuned_path
from .chat import encode_messages, load_tokenizer
from .experts import Experts, router_loss
from .generate import LIST_ITEMS_MIN, asked_answers, is_broken_off, list_items, mended_answers
from .generators import Question, all_questions, draw
from .head_loss import head_loss
from .network import Network, triangle
from .prepare import Example, evaluation_prompts, load_examples, normalise, write_atomically
from .scales import Scales, write_tuned

RATE, RATE_LAST, WARM_UP_STEPS = 4e-3, 0.05, 10
EXPERT_RATE = 1e-3
# Examples of one step. The base's own answers keep what it knows; the rest teaches.
SHARES = {"sum": 16, "capital": 8, "opposite": 5, "symbol": 5, "unit": 5, "calendar": 3, "product": 10, "unknown": 2, "own": 6,
          "asked": 4}
# As soon as there are mended answers (`generate`): tables are known by then and only kept; the time goes to what is not
# yet known, to conversations and system lines, to ends where loops would begin, and to everyday questions and whole lists,
# without which the rest spills over: "How do I write a letter?" is then answered with the product's API.
LATE_SHARES = {"sum": 8, "capital": 2, "opposite": 2, "symbol": 2, "unit": 5, "calendar": 4, "product": 12, "unknown": 3,
               "recall": 4, "system": 4, "own": 10, "asked": 12, "list": 8, "mended": 4}
EXPERT_SHARES = {"sum": 22, "capital": 3, "opposite": 3, "symbol": 3, "unit": 8, "calendar": 6, "product": 20, "unknown": 3,
                 "recall": 2, "system": 3, "own": 4, "asked": 10, "list": 3, "mended": 12}
EARLIER_TURN_SHARE = 0.1  # of the taught questions get another question and its answer before them
BATCH = 12


@dataclass
class TuneOptions:
    seconds: float
    threads: int = 1
    seed: int = 7
    rate: float = RATE
    start: Path | None = None  # an exported file whose training is gone on with: base.gguf, for experts model-moe.gguf
    checkpoint_seconds: float = 120
    evaluate_seconds: float = 600
    held_out: int = 96


def tune(work: Path, options: TuneOptions) -> dict:
    """Resumes from the last checkpoint in `work`; the time budget counts all runs together."""
    scales, data = Scales(base_path(work)), Data(work)
    if options.start is not None:
        scales.go_on_from(options.start)
    figures = Run(work, "tune", scales, data, LATE_SHARES if data.texts["mended"] else SHARES, options).go()
    write_tuned(scales, base_path(work), tuned_path(work))
    return figures


def tune_experts(work: Path, options: TuneOptions) -> dict:
    experts = Experts(best_base_path(work), options.start)
    return Run(work, "experts", experts, Data(work), EXPERT_SHARES, options).go()


class Data:
    """Every step's examples follow from the seed and the step's number, so a resumed run goes on as it would have."""

    def __init__(self, work: Path):
        self.tokenizer = load_tokenizer(base_path(work))
        banned = evaluation_prompts()
        self.questions = [q for q in all_questions() if not q.held and normalise(q.ask) not in banned]
        own = [e for e in load_examples(work, "train") if not is_broken_off(self.tokenizer, e[1])]
        asked = asked_answers(work)
        lists = [e for e in (*own, *asked) if list_items(self.tokenizer, e[1]) >= LIST_ITEMS_MIN]
        self.texts = {"own": own, "asked": asked, "list": lists, "mended": mended_answers(work)}

    def encode(self, question: Question) -> Example:
        answer = self.tokenizer.encode(question.answer, add_special_tokens=False).ids
        return encode_messages(self.tokenizer, question.messages), [*answer, END_OF_TURN]

    def batches(self, shares: dict[str, int], seed: int, step: int) -> list[list[Example]]:
        """Cut by length, so that little is padding."""
        rng = random.Random(seed * 1_000_003 + step)
        taught = draw(self.questions, {kind: n for kind, n in shares.items() if kind not in self.texts}, rng)
        examples = [self.encode(q) for q in with_earlier_turns(taught, rng)]
        for kind, texts in self.texts.items():
            examples += rng.sample(texts, min(len(texts), shares.get(kind, 0)))
        examples.sort(key=lambda example: len(example[0]) + len(example[1]))
        return [examples[i : i + BATCH] for i in range(0, len(examples), BATCH)]


def with_earlier_turns(questions: list[Question], rng: random.Random) -> list[Question]:
    def change(question: Question) -> Question:
        earlier = rng.choice(questions)
        if rng.random() >= EARLIER_TURN_SHARE or question.system or question.before or earlier.system or earlier.before:
            return question
        return replace(question, before=((earlier.ask, earlier.answer),))

    return [change(q) for q in questions]


def shared_beginning(prompts: list[list[int]]) -> list[int]:
    first = prompts[0]
    shortest = min(map(len, prompts)) - 1
    return first[: next((i for i in range(shortest) if any(p[i] != first[i] for p in prompts)), shortest)]


def batch_loss(network: Network, batch: list[Example], targets: int, balance: bool = True) -> torch.Tensor:
    """Next-token loss of the answers, as a share of `targets`, and where there are experts their router's losses.
    The shared beginning runs once for the batch.
    """
    prefix = shared_beginning([prompt for prompt, _ in batch])
    known = len(prefix)
    _, cache = network.causal(torch.tensor([prefix]), torch.arange(known), triangle(known))
    rows = max(len(p) + len(a) for p, a in batch) - known - 1
    lengths = torch.tensor([len(p) + len(a) - known - 1 for p, a in batch])
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
    loss = head_loss(hidden[at], network.base.embedding, wanted[at], weight)
    if balance and network.router_logits:
        loss = loss + router_loss(network, torch.arange(rows)[None] < lengths[:, None]) * int(at.sum()) / targets
    return loss


@torch.no_grad()
def held_out_loss(network: Network, held: list[Example]) -> dict:
    """Nats a token on held-out answers of the unchanged base: how far the tuned model has moved from it."""
    total, count = 0.0, 0
    for i in range(0, len(held), 12):
        batch = held[i : i + 12]
        total += float(batch_loss(network, batch, 1, balance=False))
        count += sum(len(a) for _, a in batch)
    return {"heldOutLoss": round(total / count, 4)}


class Run:
    """The loop: steps until the time is spent, with checkpoints. `subject` is Scales or Experts: what moves."""

    def __init__(self, work: Path, stage: str, subject: Scales | Experts, data: Data, shares: dict[str, int],
                 options: TuneOptions):
        self.work, self.stage, self.subject, self.data, self.shares = work, stage, subject, data, shares
        self.options = options
        self.optimizer = torch.optim.AdamW(
            subject.parameters(), lr=options.rate, betas=(0.9, 0.98), weight_decay=0, fused=True)
        self.steps, self.targets, self.seconds, self.history = 0, 0, 0.0, []
        self.start = sha256_of(options.start) if options.start else None
        self._load()
        self.began = self.saved = self.noted = time.monotonic()

    def go(self) -> dict:
        torch.set_num_threads(self.options.threads)
        held = load_examples(self.work, "heldout")[: self.options.held_out]
        if not self.history:
            self.note(held_out_loss(self.subject.network(), held))
        while self.spent() < self.options.seconds:
            self.step()
            if time.monotonic() - self.noted > self.options.evaluate_seconds:
                self.note(held_out_loss(self.subject.network(), held))
        self.note(held_out_loss(self.subject.network(), held))
        figures = {"steps": self.steps, "targets": self.targets, "seconds": round(self.spent()),
                   "rate": self.options.rate, "threads": self.options.threads, "shares": self.shares,
                   "start": self.start, "history": self.history}
        write_atomically(self.work / f"{self.stage}.json", figures)
        return figures

    def spent(self) -> float:
        return self.seconds + time.monotonic() - self.began

    def step(self) -> None:
        spent = self.spent() / self.options.seconds
        for group in self.optimizer.param_groups:
            group["lr"] = self.options.rate * rate_share(self.steps, spent)
        batches = self.data.batches(self.shares, self.options.seed, self.steps)
        targets = sum(len(answer) for batch in batches for _, answer in batch)
        network, losses = self.subject.network(), []
        for batch in batches:
            share = sum(len(answer) for _, answer in batch)
            loss = batch_loss(network, batch, targets)
            loss.backward()
            losses.append(round(loss.item() * targets / share, 3))
        self.subject.collect(network)
        torch.nn.utils.clip_grad_norm_(self.subject.parameters(), 1.0)
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
        path = checkpoint_path(self.work, self.stage)
        partial = path.with_suffix(".partial")
        torch.save(dict(
            subject=self.subject.state_dict(), optimizer=self.optimizer.state_dict(), steps=self.steps,
            targets=self.targets, seconds=self.spent(), start=self.start, history=self.history), partial)
        os.replace(partial, path)
        self.saved = time.monotonic()

    def _load(self) -> None:
        path = checkpoint_path(self.work, self.stage)
        if not path.exists():
            return
        state = torch.load(path, weights_only=False)
        self.subject.load_state_dict(state["subject"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.steps, self.targets = state["steps"], state["targets"]
        self.seconds, self.start, self.history = state["seconds"], state.get("start"), state["history"]
        print(f"resumed at step {self.steps}, {self.seconds:.0f} s", flush=True)


def rate_share(step: int, spent: float) -> float:
    """Constant to half of the time budget, then linear down."""
    return min(1, (step + 1) / WARM_UP_STEPS) * (1 if spent < 0.5 else max(RATE_LAST, 2 * (1 - spent)))


def checkpoint_path(work: Path, stage: str) -> Path:
    return work / f"{stage}.pt"


def load_experts(work: Path) -> list[dict[str, torch.Tensor]]:
    """The trained experts, rounded as their file holds them."""
    path = checkpoint_path(work, "experts")
    experts = Experts(best_base_path(work))
    experts.load_state_dict(torch.load(path, weights_only=False)["subject"])
    return experts.rounded()
