"""Train the window adapters on what the model says, for Model and then for Model-MoE. What stands behind them, base and
experts, stays as it is, bit for bit.
"""

import json
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

from .additions import EXPERTS_USED, read_additions
from .base import Base, base_path, best_base_path, load_base
from .generate import own_path
from .generators import draw
from .head_loss import head_loss
from .network import Adapters, Network, triangle
from .prepare import Example, load_examples, write_atomically
from .tune import LATE_SHARES, Data, checkpoint_path, load_experts, with_earlier_turns
from .windows import IGNORED, Layout, lay_out

RATE, RATE_LAST, WARM_UP_STEPS = 1e-3, 0.05, 30  # constant to half time, then linear to RATE_LAST of it
# Those of Model-MoE begin where Model's end: at the first rate, five minutes took 1.5 points from their right draws.
RATE_MOE = 2e-4
WIDTHS = (4, 4, 8, 8)
TILINGS, TILINGS_SHORT = 2, 4  # a short answer's windows cost little beside its prompt
SHORT = 32
QUESTIONS = 14_000  # generated ones beside the base's own answers: about half of the work
# `verified` begins every window fully masked; the rest is for `threshold`, which keeps draws.
FULL_SHARE = 0.75
HELD_OUT_WIDTH = 4


@dataclass
class AdaptOptions:
    seconds: float
    rank: int = 64
    batch_cost: int = 2800  # of one step, in the unit of step_cost: about 800 window rows
    threads: int = 1
    seed: int = 3
    compile: bool = True
    checkpoint_seconds: float = 60
    evaluate_seconds: float = 600
    held_out: int = 96
    start: Path | None = None  # an exported file of additions whose adapters are gone on with
    stage: str = "adapt"  # or "adapt-moe": with the trained experts, begun with the adapters of "adapt"


def distance_weight(distance: torch.Tensor) -> torch.Tensor:
    """The token at distance 1 comes from a causal row; each further one counts only if those before it stood."""
    return torch.where(distance == 1, 0.25, 0.8 ** (distance - 2).clamp(min=0)).clamp(min=0.1)


def step_cost(example: Example) -> int:
    """Passes through the weights: one for a clean row; for a window row forward, backward and its head."""
    prompt, answer = example
    return len(prompt) + len(answer) + tilings(example) * len(answer) * 5 // 2


def tilings(example: Example) -> int:
    return TILINGS_SHORT if len(example[1]) <= SHORT else TILINGS


def rate_at(step: int, share: float, rate: float) -> float:
    """`share` of the time budget that is spent."""
    return rate * min(1, (step + 1) / WARM_UP_STEPS) * (1 if share < 0.5 else max(RATE_LAST, 2 * (1 - share)))


def adapt(work: Path, options: AdaptOptions) -> dict:
    """Resumes from the last checkpoint in `work`; the time budget counts all runs together."""
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    network = open_network(work, options)
    trainer = Trainer(network.adapters, work, options)
    train, held = [*own_answers_of(work), *questions(work)], load_examples(work, "heldout")[: options.held_out]
    if not trainer.history:
        trainer.note(accuracy(network, held))
    if options.compile:
        network.compile()
    while trainer.spent() < options.seconds:
        loss, rows = train_step(network, trainer, trainer.next_batch(train))
        trainer.record(loss, rows)
        if trainer.due():
            trainer.note(accuracy(network, held))
    trainer.note(accuracy(network, held))
    return trainer.finish(len(train))


def open_network(work: Path, options: AdaptOptions) -> Network:
    base, experts = load_base(best_base_path(work)), None
    if options.stage == "adapt-moe":
        adapters, trained = load_adapters(work, base, "adapt").requires_grad_(True), load_experts(work)
        experts = [{name: w.to(torch.bfloat16) for name, w in layer.items()} for layer in trained]
    elif options.start is not None:
        adapters = read_additions(options.start, base)[0].requires_grad_(True)
    else:
        adapters = Adapters(base, options.rank)
    return Network(base.to(torch.bfloat16), adapters, experts, EXPERTS_USED)


def own_answers_of(work: Path) -> list[Example]:
    """The tuned base's own answers as far as `generate` has made them; the unchanged base's to the other questions."""
    own = json.loads(own_path(work).read_text()) if own_path(work).exists() else {"answers": [], "mended": []}
    made = [*own["answers"], *own["mended"]]
    answered = {tuple(prompt) for prompt, _ in made}
    return [*made, *(e for e in load_examples(work, "train") if tuple(e[0]) not in answered)]


def questions(work: Path) -> list[Example]:
    """What the tuned base was taught, in the proportions that it was taught in; nothing for an unchanged base."""
    if best_base_path(work) == base_path(work):
        return []
    data, rng = Data(work), random.Random(2)
    taught = {kind: share for kind, share in LATE_SHARES.items() if kind not in data.texts}
    each = QUESTIONS / sum(taught.values())
    drawn = draw(data.questions, {kind: round(share * each) for kind, share in taught.items()}, rng)
    return [data.encode(q) for q in with_earlier_turns(drawn, rng)]


def train_step(network: Network, trainer: "Trainer", batch: list[Example]) -> tuple[float, int]:
    layout = lay_out(batch, trainer.rng.choice(WIDTHS), max(map(tilings, batch)), FULL_SHARE, trainer.rng)
    hidden, targets, distance = run_windows(network, layout)
    weight = distance_weight(distance)
    loss = head_loss(hidden, network.base.embedding, targets, weight / weight.sum())
    trainer.update(loss)
    return loss.item(), len(targets)


def run_windows(network: Network, layout: Layout):
    """Hidden states, targets and distances of the rows that bear loss."""
    with torch.no_grad():
        clean = layout.clean_ids.shape[1]
        _, cache = network.causal(layout.clean_ids, torch.arange(clean), triangle(clean))
    hidden = network.window(layout.ids, layout.positions, layout.allowed, cache)
    at = layout.targets != IGNORED
    return hidden[at], layout.targets[at], layout.distance[at]


@torch.no_grad()
def accuracy(network: Network, held: list[Example], width: int = HELD_OUT_WIDTH) -> dict:
    """Share of right draws at distance 1 … W on held-out answers, windows fully masked."""
    plain = Network(network.base, network.adapters, network.experts, network.used)  # the compiled step would compile anew without gradient
    rng, right, seen, loss = random.Random(9), [0] * width, [0] * width, 0.0
    for i in range(0, len(held), 12):
        hidden, targets, distance = run_windows(plain, lay_out(held[i : i + 12], width, 1, 1.0, rng))
        logits = plain.head(hidden)
        loss += F.cross_entropy(logits, targets, reduction="sum").item()
        hit = logits.argmax(-1) == targets
        for d in range(width):
            right[d] += int(hit[distance == d + 1].sum())
            seen[d] += int((distance == d + 1).sum())
    by_distance = [round(r / max(n, 1), 4) for r, n in zip(right, seen)]
    return {"accuracyByDistance": by_distance, "loss": round(loss / max(sum(seen), 1), 4)}


class Trainer:
    """Optimiser, clock, example order and figures: all that a checkpoint holds beside the adapters."""

    def __init__(self, adapters: Adapters, work: Path, options: AdaptOptions):
        self.adapters, self.options, self.work = adapters, options, work
        self.optimizer = torch.optim.AdamW(
            adapters.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0, fused=True)
        self.rng, self.order = random.Random(options.seed), []
        self.steps, self.rows, self.seconds, self.history, self.losses = 0, 0, 0.0, [], []
        self._load()
        self.began = self.saved = self.noted = time.monotonic()

    def spent(self) -> float:
        return self.seconds + time.monotonic() - self.began

    def next_batch(self, train: list[Example]) -> list[Example]:
        """Batches of similar length and equal cost in random order; a new order for each pass."""
        if not self.order:
            by_length = sorted(range(len(train)), key=lambda i: sum(map(len, train[i])) + self.rng.random() * 40)
            self.order, budget = [[]], 0
            for i in by_length:
                budget += step_cost(train[i])
                if budget > self.options.batch_cost and self.order[-1]:
                    self.order.append([])
                    budget = step_cost(train[i])
                self.order[-1].append(i)
            self.rng.shuffle(self.order)
        return [train[i] for i in self.order.pop()]

    def update(self, loss: torch.Tensor) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = rate_at(self.steps, self.spent() / self.options.seconds,
                                  RATE_MOE if self.options.stage == "adapt-moe" else RATE)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.adapters.parameters(), 1.0)
        self.optimizer.step()

    def record(self, loss: float, rows: int) -> None:
        self.steps, self.rows = self.steps + 1, self.rows + rows
        self.losses.append(loss)
        if self.steps % 10 == 0:
            recent = sum(self.losses[-10:]) / 10
            print(f"step {self.steps}: {self.spent():.0f} s, {self.rows} targets, loss {recent:.3f}", flush=True)
            self.losses = self.losses[-10:]
        if time.monotonic() - self.saved > self.options.checkpoint_seconds:
            self.save()

    def due(self) -> bool:
        return time.monotonic() - self.noted > self.options.evaluate_seconds

    def note(self, figures: dict) -> None:
        entry = {"seconds": round(self.spent()), "steps": self.steps, "targets": self.rows, **figures}
        self.history.append(entry)
        print(json.dumps(entry), flush=True)
        self.noted = time.monotonic()
        self.save()

    def save(self) -> None:
        """Written beside and renamed, so that a kill at any moment leaves a whole checkpoint."""
        state = dict(
            adapters=self.adapters.state_dict(), rank=self.adapters.rank, optimizer=self.optimizer.state_dict(),
            rng=self.rng.getstate(), order=self.order, steps=self.steps, rows=self.rows, seconds=self.spent(),
            history=self.history)
        path = checkpoint_path(self.work, self.options.stage)
        partial = path.with_suffix(".partial")
        torch.save(state, partial)
        os.replace(partial, path)
        self.saved = time.monotonic()

    def _load(self) -> None:
        path = checkpoint_path(self.work, self.options.stage)
        if not path.exists():
            return
        state = torch.load(path, weights_only=False)
        self.adapters.load_state_dict(state["adapters"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.rng.setstate(state["rng"])
        self.order, self.steps, self.rows = state["order"], state["steps"], state["rows"]
        self.seconds, self.history = state["seconds"], state["history"]
        print(f"resumed at step {self.steps}, {self.seconds:.0f} s", flush=True)

    def finish(self, examples: int) -> dict:
        figures = {"rank": self.adapters.rank, "examples": examples, "steps": self.steps, "targets": self.rows,
                   "seconds": round(self.spent()), "threads": self.options.threads, "history": self.history}
        write_atomically(self.work / f"{self.options.stage}.json", figures)
        return figures


def load_adapters(work: Path, base: Base, stage: str) -> Adapters:
    state = torch.load(checkpoint_path(work, stage), weights_only=False)
    adapters = Adapters(base, state["rank"])
    adapters.load_state_dict(state["adapters"])
    return adapters.requires_grad_(False)
