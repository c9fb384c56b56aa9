"""One reply at a time, plain and slow, greedy: rules `sequential` and `verified` (see README.md, Rules)."""

from dataclasses import dataclass, field

import torch

from .base import BANNED, END_OF_TURN, MASK
from .network import Cache, Network, triangle


@dataclass
class Reply:
    ids: list[int] = field(default_factory=list)
    forwards: int = 0
    margin_min: float = float("inf")  # smallest distance between the best and the second logit


@torch.no_grad()
def decode(network: Network, prompt: list[int], tokens_max: int, width: int = 0, threshold: float = 0.0) -> Reply:
    """Width 0 is `sequential`; else `verified`, whose reply must be the same."""
    reply, state = Reply(), _State(network, prompt)
    while True:
        sure = state.confirm(reply)
        reply.ids += state.pending[1:sure]
        following = state.drawn[sure - 1]
        reply.ids.append(following)
        if END_OF_TURN in reply.ids or len(reply.ids) >= tokens_max:
            return _cut(reply, tokens_max)
        guesses = state.guess(width, threshold) if width > 0 and sure == len(state.pending) else []
        state.advance(sure, [following, *guesses])


class _State:
    """The cache holds what is final; `pending` is the last final token and the draws that are to be confirmed."""

    def __init__(self, network: Network, prompt: list[int]):
        self.network = network
        known = len(prompt) - 1
        _, self.cache = network.causal(torch.tensor([prompt[:-1]]), torch.arange(known), triangle(known))
        self.pending, self.drawn = prompt[-1:], []

    def confirm(self, reply: Reply) -> int:
        """Run the pending rows; how many of them one-at-a-time decoding would have drawn too."""
        count, past = len(self.pending), length(self.cache)
        allowed = torch.cat([torch.ones(1, count, past, dtype=torch.bool), triangle(count)], -1)
        hidden, made = self.network.causal(
            torch.tensor([self.pending]), torch.arange(past, past + count), allowed, self.cache)
        self.cache = [(torch.cat([a, c], 2), torch.cat([b, d], 2)) for (a, b), (c, d) in zip(self.cache, made)]
        best = allowed_logits(self.network.head(hidden[0])).topk(2, -1)
        self.drawn = best.indices[:, 0].tolist()
        sure = next((i for i in range(1, count) if self.drawn[i - 1] != self.pending[i]), count)
        reply.forwards += 1
        reply.margin_min = min(reply.margin_min, float((best.values[:, 0] - best.values[:, 1])[:sure].min()))
        return sure

    def guess(self, width: int, threshold: float) -> list[int]:
        """The window stands at the last pending token: the run of its draws until one is unsure."""
        s = length(self.cache) - 1
        ids = torch.tensor([[self.pending[-1]] + [MASK] * (width - 1)])
        before = [(k[:, :, :s], v[:, :, :s]) for k, v in self.cache]
        hidden = self.network.window(
            ids, torch.arange(s, s + width), torch.ones(1, width, s + width, dtype=torch.bool), before)
        p, token = torch.softmax(allowed_logits(self.network.head(hidden[0])), -1).max(-1)
        return take_run(token.tolist()[1:], p.tolist()[1:], threshold)

    def advance(self, sure: int, pending: list[int]) -> None:
        final = length(self.cache) - len(self.pending) + sure
        self.cache = [(k[:, :, :final], v[:, :, :final]) for k, v in self.cache]
        self.pending = pending


def take_run(tokens: list[int], confidence: list[float], threshold: float) -> list[int]:
    stop = next((i for i, p in enumerate(confidence) if p < threshold), len(tokens))
    return tokens[:stop]


def allowed_logits(logits: torch.Tensor) -> torch.Tensor:
    logits = logits.clone()
    logits[..., BANNED] = float("-inf")
    return logits


def length(cache: Cache) -> int:
    return cache[0][0].shape[2]


def _cut(reply: Reply, tokens_max: int) -> Reply:
    end = reply.ids.index(END_OF_TURN) + 1 if END_OF_TURN in reply.ids else tokens_max
    reply.ids = reply.ids[: min(end, tokens_max)]
    return reply
