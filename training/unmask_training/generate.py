"""Greedy or sampled replies to many prompts at once, one token a forward: the model's own answers."""

import json
import random
import time
from pathlib import Path

import torch

from .base import END_OF_TURN, best_base_path, load_base
from .decode import allowed_logits
from .network import Network
from .prepare import ANSWER_TOKENS_MIN, load_examples, loops, write_atomically


@torch.no_grad()
def generate(network: Network, prompts: list[list[int]], tokens_max: int, temperature: float = 0,
             seed: int = 1) -> list[list[int]]:
    """Replies with their end of turn where it came. Prompts stand flush right; what is before them is never looked at."""
    torch.manual_seed(seed)
    count, width = len(prompts), max(map(len, prompts))
    ids = torch.tensor([[END_OF_TURN] * (width - len(p)) + p for p in prompts])
    missing = torch.tensor([width - len(p) for p in prompts])
    there = torch.arange(width)[None, :] >= missing[:, None]
    positions = (torch.arange(width)[None, :] - missing[:, None]).clamp(min=0)
    allowed = there[:, None, :] & torch.ones(width, width, dtype=torch.bool).tril()[None]
    allowed |= torch.eye(width, dtype=torch.bool)[None]  # a row that sees nothing would be no number
    hidden, cache = network.causal(ids, positions, allowed)
    running, replies = list(range(count)), [[] for _ in prompts]
    hidden = hidden[:, -1]
    for _ in range(tokens_max):
        token = choose(allowed_logits(network.head(hidden)), temperature)
        for i, t in zip(running, token.tolist()):
            replies[i].append(t)
        going = [j for j, t in enumerate(token.tolist()) if t != END_OF_TURN]
        if not going:
            break
        keep = torch.tensor(going)
        running, token, there = [running[j] for j in going], token[keep], there[keep]
        positions = positions[keep][:, -1:] + 1
        there = torch.cat([there, torch.ones(len(going), 1, dtype=torch.bool)], 1)
        cache = [(k[keep], v[keep]) for k, v in cache]
        hidden, made = network.causal(token[:, None], positions, there[:, None, :], cache)
        cache = [(torch.cat([a, c], 2), torch.cat([b, d], 2)) for (a, b), (c, d) in zip(cache, made)]
        hidden = hidden[:, -1]
    return replies


def choose(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    if temperature == 0:
        return logits.argmax(-1)
    return torch.multinomial(torch.softmax(logits / temperature, -1), 1)[:, 0]


def own_answers(work: Path, seconds: float, batch: int = 48, tokens_max: int = 160) -> int:
    """The best base's answers to the corpus' questions, those that end and do not loop; goes on from what is there."""
    began, target = time.monotonic(), own_path(work)
    made = json.loads(target.read_text()) if target.exists() else {"asked": 0, "answers": []}
    prompts = sorted({tuple(p) for p, _ in load_examples(work, "train")}, key=lambda p: (len(p), p))
    random.Random(4).shuffle(order := [prompts[i : i + batch] for i in range(0, len(prompts), batch)])
    base = load_base(best_base_path(work)).to(torch.bfloat16)
    while made["asked"] < len(order) and time.monotonic() - began < seconds:
        here = [list(p) for p in order[made["asked"]]]
        for prompt, answer in zip(here, generate(Network(base), here, tokens_max)):
            if answer[-1] == END_OF_TURN and not loops(answer) and len(answer) >= ANSWER_TOKENS_MIN:
                made["answers"].append((prompt, answer))
        made["asked"] += 1
        write_atomically(target, made)
    return len(made["answers"])


def own_path(work: Path) -> Path:
    return work / "own.json"
