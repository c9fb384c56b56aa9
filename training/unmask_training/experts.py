"""The experts of Model-MoE, trained beside a base that stays as it is; always in the numbers that the file will hold.

A forward works on experts rounded to Q4_0, and their gradient moves the numbers behind them (straight-through
estimator, arXiv:1308.3432), so nothing is lost when they are written. Router losses: load balance (Switch
Transformer, arXiv:2101.03961, (4)) and router z (ST-MoE, arXiv:2202.08906, (5)).
"""

from pathlib import Path

import torch
from torch import Tensor, nn

from .additions import EXPERT_TYPES, EXPERTS_USED, F32, read_additions
from .base import load_base
from .network import Network
from .upcycle import upcycle

BALANCE, ROUTER_Z = 0.01, 1e-3
BLOCK = 32


class Experts(nn.Module):
    def __init__(self, base_file: Path, start: Path | None = None):
        """Upcycled from the base, or those of an exported model-moe.gguf."""
        super().__init__()
        base = load_base(base_file)
        self.base = base.to(torch.bfloat16)
        layers = upcycle(base) if start is None else read_additions(start, base)[1]
        self.weights = nn.ParameterDict(
            {f"{i}_{name}": nn.Parameter(w) for i, layer in enumerate(layers) for name, w in layer.items()})

    @torch.no_grad()
    def rounded(self) -> list[dict[str, Tensor]]:
        def take(i: int, name: str) -> Tensor:
            w = self.weights[f"{i}_{name}"].detach()
            return w.clone() if EXPERT_TYPES[name] == F32 else round_q4_0(w)

        return [{name: take(i, name) for name in EXPERT_TYPES} for i in range(self.base.shape.layers)]

    def network(self) -> Network:
        """Rounded weights in BF16 (the router in F32) as leaves of their own, whose gradients `collect` brings home."""
        def leaf(name: str, w: Tensor) -> Tensor:
            return (w if EXPERT_TYPES[name] == F32 else w.to(torch.bfloat16)).requires_grad_()

        experts = [{name: leaf(name, w) for name, w in layer.items()} for layer in self.rounded()]
        return Network(self.base, None, experts, EXPERTS_USED)

    def collect(self, network: Network) -> None:
        for i, layer in enumerate(network.experts):
            for name, w in layer.items():
                self.weights[f"{i}_{name}"].grad = w.grad.float()


def round_q4_0(w: Tensor) -> Tensor:
    """As ggml's Q4_0: in each block of 32 the number of greatest size becomes -8 steps; the step is an F16."""
    blocks = w.reshape(-1, BLOCK)
    greatest = blocks.gather(1, blocks.abs().argmax(1, keepdim=True))
    step = greatest / -8
    inverse = torch.where(step == 0, 0, 1 / step)
    return ((blocks * inverse + 8.5).floor().clamp(0, 15).sub(8) * step.half().float()).view(w.shape)


def router_loss(network: Network, real: Tensor) -> Tensor:
    """Mean over the layers; `real` [batch, rows] says which rows are no padding."""
    total = torch.zeros(())
    for logits in network.router_logits:
        here = logits[real]
        p = torch.softmax(here, -1)
        chosen = torch.zeros_like(p).scatter(-1, p.topk(network.used, -1).indices, 1 / network.used)
        balance = p.shape[-1] * (chosen.mean(0) * p.mean(0)).sum()
        total = total + BALANCE * balance + ROUTER_Z * here.logsumexp(-1).square().mean()
    return total / len(network.router_logits)
