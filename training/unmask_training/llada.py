"""LLaDA and LLaDA-MoE in F32, and the published way to decode them: semi-autoregressive blocks, at each step the most
confident candidates are kept and the others masked again, temperature 0. Written anew from the published description.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from .network import norm, rotate, rotations
from .tiny import MASK, Tiny


@dataclass
class Step:
    positions: list[int]
    tokens: list[int]
    gap: float  # between the least confident kept candidate and the best one that was not kept
    margin: float  # smallest distance between the best and the second logit of the kept ones


def forward(tiny: Tiny, tensors: dict[str, Tensor], ids: Tensor) -> Tensor:
    """Logits of every place; every place sees every other."""
    x = F.embedding(ids, tensors["token_embd.weight"])
    for i in range(tiny.shape.layers):
        w = {name.split(".")[2]: t for name, t in tensors.items() if name.startswith(f"blk.{i}.")}
        x = x + attention(tiny, w, norm(x, w["attn_norm"]))
        h = norm(x, w["ffn_norm"])
        x = x + (experts(tiny, w, h) if tiny.experts else dense(w, h))
    return F.linear(norm(x, tensors["output_norm.weight"]), tensors["output.weight"])


def attention(tiny: Tiny, w: dict[str, Tensor], x: Tensor) -> Tensor:
    rows, heads = x.shape[0], tiny.shape.heads
    q, k, v = (F.linear(x, w[n]).view(rows, heads, -1).transpose(0, 1) for n in ("attn_q", "attn_k", "attn_v"))
    if tiny.query_norm:
        q, k = norm(q, w["attn_q_norm"]), norm(k, w["attn_k_norm"])
    q, k = turn(tiny, q), turn(tiny, k)
    mixed = torch.softmax(q @ k.transpose(-1, -2) * tiny.shape.head_dim**-0.5, -1) @ v
    return F.linear(mixed.transpose(0, 1).reshape(rows, -1), w["attn_output"])


def turn(tiny: Tiny, x: Tensor) -> Tensor:
    cos, sin = (table[: x.shape[1]] for table in rotations(tiny.shape.head_dim, tiny.shape.rope_base))
    if tiny.half_split:
        return rotate(x, cos, sin)
    half = tiny.shape.head_dim // 2
    even, odd, cos, sin = x[..., 0::2], x[..., 1::2], cos[:, :half], sin[:, :half]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


def dense(w: dict[str, Tensor], x: Tensor) -> Tensor:
    return F.linear(F.silu(F.linear(x, w["ffn_gate"])) * F.linear(x, w["ffn_up"]), w["ffn_down"])


def experts(tiny: Tiny, w: dict[str, Tensor], x: Tensor) -> Tensor:
    """Softmax over all experts, the best of them, their weights not renormalised."""
    best, chosen = torch.softmax(F.linear(x, w["ffn_gate_inp"]), -1).topk(tiny.experts_used, -1)
    rows = []
    for row, weights, indices in zip(x, best, chosen):
        total = torch.zeros_like(row)
        for p, e in zip(weights, indices):
            h = F.silu(w["ffn_gate_exps"][e] @ row) * (w["ffn_up_exps"][e] @ row)
            total = total + p * (w["ffn_down_exps"][e] @ h)
        rows.append(total)
    return torch.stack(rows)


@torch.no_grad()
def generate(tiny: Tiny, tensors: dict[str, Tensor], prompt: list[int], length: int, block: int, steps: int,
             banned_from: int | None = None) -> list[Step]:
    """`steps` are shared evenly by the blocks; within a block the first steps take what does not divide evenly.

    The published procedure bans no token; `banned_from` takes all ids from there on out of the choice.
    """
    ids = torch.tensor(prompt + [MASK] * length)
    blocks, made = length // block, []
    per_block = steps // blocks
    for b in range(blocks):
        start = len(prompt) + b * block
        for step in range(per_block):
            count = block // per_block + (step < block % per_block)
            logits = forward(tiny, tensors, ids)
            if banned_from is not None:
                logits[:, banned_from:] = float("-inf")
            made.append(commit(logits, ids, slice(start, start + block), count))
    return made


def commit(logits: Tensor, ids: Tensor, block: slice, count: int) -> Step:
    """Keep the `count` most confident candidates of the block; changes `ids`."""
    here = logits[block]
    confidence, token = torch.softmax(here.double(), -1).max(-1)
    confidence = confidence.masked_fill(ids[block] != MASK, float("-inf"))
    order = confidence.argsort(descending=True)
    kept = sorted(order[:count].tolist())
    rest = confidence[order[count]] if count < len(order) else torch.tensor(float("-inf"))
    gap = float(confidence[order[count - 1]] - rest)
    best = here[kept].topk(2, -1).values
    ids[[block.start + i for i in kept]] = token[kept]
    margin = float((best[:, 0] - best[:, 1]).min())
    return Step([block.start + i for i in kept], token[kept].tolist(), gap, margin)
