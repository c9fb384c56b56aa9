"""Step zero of Model-MoE: routed experts beside the base's own feed-forward, which stays as the shared expert.

Each expert begins with 64 feature rows of the base's gate and up products; its down product is zero, so that the
model answers exactly as the base does until the experts are trained.
"""

import torch

from .additions import Experts
from .base import Base

COUNT, FEATURES = 8, 64
ROUTER_DEVIATION = 0.02


def upcycle(base: Base, seed: int = 5) -> Experts:
    generator = torch.Generator().manual_seed(seed)
    return [upcycle_layer(layer, generator) for layer in base.layers]


def upcycle_layer(layer: dict[str, torch.Tensor], generator: torch.Generator) -> dict[str, torch.Tensor]:
    gate, up = layer["ffn_gate_up"].float().chunk(2)
    features, width = gate.shape
    rows = torch.randperm(features, generator=generator)[: COUNT * FEATURES]
    return {
        "ffn_gate_inp": torch.randn(COUNT, width, generator=generator) * ROUTER_DEVIATION,
        "ffn_gate_exps": gate[rows].view(COUNT, FEATURES, width),
        "ffn_up_exps": up[rows].view(COUNT, FEATURES, width),
        "ffn_down_exps": torch.zeros(COUNT, width, FEATURES),
    }
