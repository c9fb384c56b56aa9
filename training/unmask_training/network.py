"""The causal-context forward: causal rows through the frozen base, window rows through base plus adapters."""

from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .base import CONTEXT_LENGTH, MASK, NORM_EPSILON, Base, Shape

Cache = list[tuple[Tensor, Tensor]]  # per layer: keys and values [batch, kv heads, positions, head], keys rotated

def products(shape: Shape) -> tuple[tuple[str, int, int], ...]:
    """The four fused products of a layer: name, inputs, outputs."""
    return (
        ("attn_qkv", shape.width, sum(shape.qkv_rows)),
        ("attn_output", shape.width, shape.width),
        ("ffn_gate_up", shape.width, 2 * shape.feed_forward),
        ("ffn_down", shape.feed_forward, shape.width),
    )


class Adapters(nn.Module):
    """y = W x + B (A x) on window rows, and the vector that stands for a masked token. B starts at zero."""

    def __init__(self, base: Base, rank: int):
        super().__init__()
        self.rank, self.products = rank, products(base.shape)
        self.mask = nn.Parameter(base.embedding.float().mean(0))
        self.a, self.b = nn.ParameterDict(), nn.ParameterDict()
        for i in range(base.shape.layers):
            for name, inputs, outputs in self.products:
                self.a[f"{i}_{name}"] = nn.Parameter(torch.randn(rank, inputs) / inputs**0.5)
                self.b[f"{i}_{name}"] = nn.Parameter(torch.zeros(outputs, rank))

    def layer(self, i: int, dtype: torch.dtype) -> dict[str, tuple[Tensor, Tensor]]:
        return {n: (self.a[f"{i}_{n}"].to(dtype), self.b[f"{i}_{n}"].to(dtype)) for n, _, _ in self.products}


@cache
def rotations(head_dim: int, rope_base: float) -> tuple[Tensor, Tensor]:
    inverse = 1.0 / rope_base ** (torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(torch.arange(CONTEXT_LENGTH).float(), inverse).repeat(1, 2)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


def norm(x: Tensor, weight: Tensor) -> Tensor:
    return F.rms_norm(x, (x.shape[-1],), weight, NORM_EPSILON)


def product(x: Tensor, weight: Tensor, adapter: tuple[Tensor, Tensor] | None) -> Tensor:
    y = F.linear(x, weight)
    return y if adapter is None else y + F.linear(F.linear(x, adapter[0]), adapter[1])


def routed(x: Tensor, experts: dict[str, Tensor], used: int) -> tuple[Tensor, Tensor]:
    """The experts' sum and the router's logits [batch, rows, experts] in F32.

    Softmax over all experts in F32, the best `used` of them, weights not renormalised. All experts are computed, as one
    product of all their features, and those not chosen weigh nothing: with so few it is faster than to sort rows.
    """
    gates, ups, downs = (experts[name] for name in ("ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"))
    count, features, _ = gates.shape
    logits = F.linear(x.float(), experts["ffn_gate_inp"].float())
    best, chosen = torch.softmax(logits, -1).topk(used, -1)
    weights = torch.zeros_like(logits).scatter(-1, chosen, best).to(x.dtype)
    hidden = F.silu(F.linear(x, gates.flatten(0, 1))) * F.linear(x, ups.flatten(0, 1))
    weighted = hidden.unflatten(-1, (count, features)) * weights[..., None]
    return F.linear(weighted.flatten(-2), downs.transpose(0, 1).flatten(1)), logits


def block(shape: Shape, x, w, adapters, experts, used, cos, sin, past_keys, past_values, bias):
    """One layer. `bias` [batch, 1, 1, rows, keys] is 0 where a row may look and very negative where it may not."""
    batch, rows, width = x.shape
    adapter = adapters.get if adapters is not None else lambda _name: None

    def heads(t: Tensor, n: int) -> Tensor:
        return t.view(batch, rows, n, shape.head_dim).transpose(1, 2)

    q, k, v = product(norm(x, w["attn_norm"]), w["attn_qkv"], adapter("attn_qkv")).split(shape.qkv_rows, -1)
    q, k = rotate(heads(q, shape.heads), cos, sin), rotate(heads(k, shape.kv_heads), cos, sin)
    v = heads(v, shape.kv_heads)
    keys, values = (k, v) if past_keys is None else (torch.cat([past_keys, k], 2), torch.cat([past_values, v], 2))
    group = shape.heads // shape.kv_heads
    scores = q.reshape(batch, shape.kv_heads, group * rows, shape.head_dim) @ keys.transpose(-1, -2)
    scores = scores.view(batch, shape.kv_heads, group, rows, -1) * shape.head_dim**-0.5 + bias
    mixed = torch.softmax(scores, -1).view(batch, shape.kv_heads, group * rows, -1) @ values
    mixed = mixed.view(batch, shape.heads, rows, shape.head_dim).transpose(1, 2).reshape(batch, rows, width)
    x = x + product(mixed, w["attn_output"], adapter("attn_output"))
    h = norm(x, w["ffn_norm"])
    gate, up = product(h, w["ffn_gate_up"], adapter("ffn_gate_up")).chunk(2, -1)
    y, logits = product(F.silu(gate) * up, w["ffn_down"], adapter("ffn_down")), None
    if experts is not None:
        more, logits = routed(h, experts, used)
        y = y + more
    return x + y, k, v, logits


class Network:
    """Base, optional adapters, optional experts. `step` may be replaced by its compiled form."""

    def __init__(self, base: Base, adapters: Adapters | None = None, experts: list[dict] | None = None, used: int = 2):
        self.base, self.adapters, self.experts, self.used = base, adapters, experts, used
        self.step = block
        self.router_logits: list[Tensor] = []  # of the last run, per layer

    def compile(self) -> None:
        self.step = torch.compile(block, dynamic=True)

    def head(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.base.embedding).float()

    def causal(self, ids: Tensor, positions: Tensor, allowed: Tensor, past: Cache | None = None):
        """Rows of known tokens: hidden states, and their keys and values for the cache."""
        return self._run(F.embedding(ids, self.base.embedding), positions, allowed, past, None)

    def window(self, ids: Tensor, positions: Tensor, allowed: Tensor, past: Cache, mask: int = MASK) -> Tensor:
        """Rows of the window: mask tokens get the learnt vector, nothing of them is cached."""
        x = F.embedding(ids, self.base.embedding)
        x = torch.where((ids == mask)[..., None], self.adapters.mask.to(x.dtype), x)
        return self._run(x, positions, allowed, past, self.adapters)[0]

    def _run(self, x, positions, allowed, past, adapters):
        shape = self.base.shape
        cos, sin = (table[positions].to(x.dtype) for table in rotations(shape.head_dim, shape.rope_base))
        if cos.dim() == 3:  # positions differ within the batch
            cos, sin = cos[:, None], sin[:, None]
        bias = torch.zeros(allowed.shape, dtype=x.dtype).masked_fill_(~allowed, -1e9)[:, None, None]
        made: Cache = []
        self.router_logits = []
        for i, weights in enumerate(self.base.layers):
            keys, values = past[i] if past is not None else (None, None)
            mine = adapters.layer(i, x.dtype) if adapters is not None else None
            experts = self.experts[i] if self.experts is not None else None
            x, k, v, logits = self.step(shape, x, weights, mine, experts, self.used, cos, sin, keys, values, bias)
            made.append((k, v))
            if logits is not None:
                self.router_logits.append(logits)
        return norm(x, self.base.final_norm), made


def triangle(rows: int) -> Tensor:
    """[1, rows, rows]: each row sees itself and what is before it."""
    return torch.ones(1, rows, rows, dtype=torch.bool).tril()
