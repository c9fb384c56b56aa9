"""The training layout: clean rows `prompt + answer` run causally; windows of W noisy rows tile the answer.

Window row j stands at position s + j and predicts the token at s + j + 1. Row 0 is the last known token s; it sees
the clean positions before s, and its own window.
"""

import random
from dataclasses import dataclass

import torch
from torch import Tensor

from .base import END_OF_TURN, MASK
from .prepare import Example

IGNORED = -100


@dataclass
class Layout:
    clean_ids: Tensor  # [batch, C]
    ids: Tensor  # [batch, N] noisy rows
    positions: Tensor  # [batch, N]
    targets: Tensor  # [batch, N], IGNORED where nothing is to be predicted
    distance: Tensor  # [batch, N], 1 for row 0
    allowed: Tensor  # [batch, N, C + N]


def lay_out(batch: list[Example], width: int, tilings: int, full_share: float, rng: random.Random) -> Layout:
    starts = [tile(len(answer), width, tilings, rng) for _, answer in batch]
    count, rows, clean = len(batch), max(map(len, starts)) * width, max(len(p) + len(a) - 1 for p, a in batch)
    clean_ids = torch.full((count, clean), END_OF_TURN)
    ids, targets = torch.full((count, rows), END_OF_TURN), torch.full((count, rows), IGNORED)
    positions, start = torch.zeros(count, rows, dtype=torch.long), torch.zeros(count, rows, dtype=torch.long)
    window = torch.full((count, rows), -1)
    for i, (prompt, answer) in enumerate(batch):
        text = prompt + answer
        clean_ids[i, : len(text) - 1] = torch.tensor(text[:-1])
        for j, offset in enumerate(starts[i]):
            s, here = len(prompt) - 1 + offset, slice(j * width, (j + 1) * width)
            ids[i, here], targets[i, here] = noise(text[s : s + width + 1], width, full_share, rng)
            positions[i, here], start[i, here], window[i, here] = torch.arange(s, s + width), s, j
    before = torch.arange(clean)[None, None, :] < start[:, :, None]
    together = window[:, :, None] == window[:, None, :]
    distance = (torch.arange(rows) % width + 1).expand(count, rows)
    return Layout(clean_ids, ids, positions, targets, distance, torch.cat([before, together], -1))


def tile(length: int, width: int, tilings: int, rng: random.Random) -> list[int]:
    """Offsets (in the answer) of the windows; each tiling begins at another place. At least one window."""
    firsts = rng.sample(range(width), min(tilings, width))
    return [o for first in firsts for o in range(first, length - 1, width)] or [0]


def noise(segment: list[int], width: int, full_share: float, rng: random.Random) -> tuple[Tensor, Tensor]:
    """Known tokens s … s + W (cut at the answer's end) to the window's input ids and targets."""
    known = torch.tensor(segment + [END_OF_TURN] * (width + 1 - len(segment)))
    masked = torch.zeros(width + 1, dtype=torch.bool)
    count = width if rng.random() < full_share else rng.randint(1, width)
    masked[torch.tensor(rng.sample(range(1, width + 1), count))] = True
    ids = torch.where(masked[:width], MASK, known[:width])
    targets = torch.where(masked[1:], known[1:], IGNORED)
    targets[len(segment) - 1 :] = IGNORED
    return ids, targets
