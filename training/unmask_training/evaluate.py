"""Figures of the exported pair: tokens per forward of `verified` for several thresholds, its equality with
`sequential`, and how its open replies stand beside the published base's. On the weights as they are rounded in the file.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

from .additions import WINDOW, read_additions
from .adapt import accuracy
from .base import MASK, base_path, load_base
from .chat import encode_question, load_tokenizer
from .decode import allowed_logits, decode, take_run
from .generate import generate
from .generators import load
from .network import Network, triangle
from .prepare import load_examples, write_atomically
from .questions import CARD_QUESTIONS

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
WIDTHS = (4, 8)


@dataclass
class Draws:
    """For each start s, counted from the prompt's last token: the window's tokens for s + 2 … and how sure they are."""

    tokens: list[list[int]]
    confidence: list[list[float]]


def evaluate(work: Path, models: Path, tokens_max: int = 64, questions: int = 20, equal: int = 8) -> dict:
    base = load_base(models / "base.gguf")
    adapters, _ = read_additions(models / "model.gguf", base)
    network, tokenizer = Network(base, adapters), load_tokenizer(models / "base.gguf")
    prompts = [encode_question(tokenizer, q) for q in CARD_QUESTIONS[:questions]]
    replies = [decode(network, p, tokens_max) for p in prompts]
    table = compare_rules(network, prompts, [r.ids for r in replies])
    best = max(((v, t) for t, v in table[str(WINDOW)].items() if 0.2 <= float(t) <= 0.5))[1]
    checked = [(decode(network, p, tokens_max, WINDOW, float(best)), r) for p, r in zip(prompts[:equal], replies)]
    same = sum(verified.ids == reply.ids for verified, reply in checked)
    figures = {
        "heldOut": accuracy(network, load_examples(work, "heldout")),
        "verifiedTokensPerForward": table,
        "window": WINDOW,
        "threshold": float(best),
        "verifiedEqualsSequential": f"{same} of {len(checked)}",
        "tokensPerForwardDecoded": round(
            sum(len(v.ids) for v, _ in checked) / sum(v.forwards for v, _ in checked), 3),
        "tokensMax": tokens_max,
        "openBesideBase": compare_open_replies(work, models, tokens_max=300 if questions == len(CARD_QUESTIONS) else 8),
        "replies": {q: tokenizer.decode(r.ids) for q, r in zip(CARD_QUESTIONS, replies)},
    }
    write_atomically(work / "evaluate.json", figures)
    print(json.dumps(figures, ensure_ascii=False, indent=1))
    return figures


@torch.no_grad()
def compare_open_replies(work: Path, models: Path, tokens_max: int) -> dict:
    """Greedy replies to the open prompts, judged by the published base alone: mean log-likelihood a token. That judge
    likes its own words, and repetition, best; so most replies of any other model are worse in its eyes.
    """
    published = Network(load_base(base_path(work)).to(torch.bfloat16))
    shipped = Network(load_base(models / "base.gguf").to(torch.bfloat16))
    tokenizer = load_tokenizer(models / "base.gguf")
    prompts = [encode_question(tokenizer, q) for q in load("open")]
    ours, theirs = ([log_likelihood(published, p, r) for p, r in zip(prompts, generate(network, prompts, tokens_max))]
                    for network in (shipped, published))
    return {"prompts": len(prompts), "worseThanBase": round(sum(a < b for a, b in zip(ours, theirs)) / len(prompts), 4),
            "meanLogLikelihood": round(sum(ours) / len(ours), 4), "meanLogLikelihoodOfBase": round(sum(theirs) / len(theirs), 4)}


def log_likelihood(network: Network, prompt: list[int], reply: list[int]) -> float:
    text = [*prompt, *reply]
    hidden, _ = network.causal(torch.tensor([text[:-1]]), torch.arange(len(text) - 1), triangle(len(text) - 1))
    logits = network.head(hidden[0, len(prompt) - 1 :])
    return -F.cross_entropy(logits, torch.tensor(reply)).item()


def compare_rules(network: Network, prompts: list[list[int]], replies: list[list[int]]) -> dict:
    """`verified` gives the same reply as `sequential`, so one pass over the replies' windows tells every threshold."""
    table = {}
    for width in WIDTHS:
        draws = [draw_windows(network, p, r, width) for p, r in zip(prompts, replies)]
        table[str(width)] = {
            str(t): round(sum(map(len, replies)) / sum(count_forwards(r, d, t) for r, d in zip(replies, draws)), 3)
            for t in THRESHOLDS
        }
    return table


@torch.no_grad()
def draw_windows(network: Network, prompt: list[int], reply: list[int], width: int) -> Draws:
    """The fully masked window at every place of a known reply."""
    text, first = prompt + reply[:-1], len(prompt) - 1
    _, cache = network.causal(torch.tensor([text]), torch.arange(len(text)), triangle(len(text)))
    starts = torch.arange(first, len(text))
    ids = torch.full((len(starts), width), MASK)
    ids[:, 0] = torch.tensor(text)[starts]
    start = starts.repeat_interleave(width)
    before = torch.arange(len(text))[None, :] < start[:, None]
    allowed = torch.cat([before, start[:, None] == start[None, :]], -1)[None]
    positions = (starts[:, None] + torch.arange(width)).view(-1)
    hidden = network.window(ids.view(1, -1), positions, allowed, cache)[0]
    p, token = torch.softmax(allowed_logits(network.head(hidden)), -1).max(-1)
    return Draws(token.view(-1, width)[:, 1:].tolist(), p.view(-1, width)[:, 1:].tolist())


def count_forwards(reply: list[int], draws: Draws, threshold: float) -> int:
    """Replays the rule: `known` tokens are final, the guesses stand behind them."""
    known, guesses, forwards = 0, [], 0
    while known < len(reply):
        forwards += 1
        right = next((i for i, g in enumerate(guesses) if reply[known + i : known + i + 1] != [g]), len(guesses))
        refused = right < len(guesses)
        known += right + 1
        s = known - 1  # the window stood at the last pending token, which is one before the newest
        guesses = [] if refused or s >= len(reply) else take_run(draws.tokens[s], draws.confidence[s], threshold)
    return forwards
