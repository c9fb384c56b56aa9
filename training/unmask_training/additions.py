"""Files of additions: adapters, mask vector and, for Model-MoE, router and experts beside an unchanged base.

Written and read here, so that every figure is measured on the weights as they are rounded in the file.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from gguf import GGMLQuantizationType, GGUFValueType, GGUFWriter
from gguf.quants import quantize
from torch import Tensor

from .base import (CONTEXT_LENGTH, END_OF_TURN, MASK, SHA256, Base, Shape, interleave_rows, read_field, read_tensors,
                   split_rows)
from .chat import TEMPLATE
from .network import Adapters

Experts = list[dict[str, Tensor]]  # per layer; see upcycle.py

WINDOW = 4
EXPERTS_USED = 2
F32, Q8_0, Q4_0 = GGMLQuantizationType.F32, GGMLQuantizationType.Q8_0, GGMLQuantizationType.Q4_0
EXPERT_TYPES = {"ffn_gate_inp": F32, "ffn_gate_exps": Q4_0, "ffn_up_exps": Q4_0, "ffn_down_exps": Q4_0}


@dataclass
class Description:
    name: str
    text: str
    threshold: float
    figures: dict
    base_file: str = "base.gguf"
    base_sha256: str = SHA256
    mask: int = MASK
    end_tokens: tuple[int, ...] = (END_OF_TURN,)
    context_length: int = CONTEXT_LENGTH
    template: str = TEMPLATE


def write_additions(path: Path, about: Description, shape: Shape, adapters: Adapters, experts: Experts | None) -> None:
    partial = path.with_suffix(".partial")
    writer = GGUFWriter(partial, "unmask-additions")
    write_fields(writer, about, adapters.rank)
    write_tensor(writer, "mask_embd.weight", adapters.mask, F32)
    for i in range(shape.layers):
        for name, _, _ in adapters.products:
            a, b = adapters.a[f"{i}_{name}"], adapters.b[f"{i}_{name}"]
            if name == "attn_qkv":
                b = turn(b, shape, interleave_rows)
            write_tensor(writer, f"blk.{i}.{name}.adapter_a.weight", a, Q8_0)
            write_tensor(writer, f"blk.{i}.{name}.adapter_b.weight", b, Q8_0)
    if experts is not None:
        write_experts(writer, experts)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    partial.replace(path)


def write_fields(writer: GGUFWriter, about: Description, rank: int) -> None:
    writer.add_name(about.name)
    writer.add_license("apache-2.0")
    writer.add_description(about.text)
    writer.add_uint32("unmask.version", 1)
    writer.add_string("unmask.base.file", about.base_file)
    writer.add_string("unmask.base.sha256", about.base_sha256)
    writer.add_string("unmask.attention", "causal-context")
    writer.add_bool("unmask.shift", True)
    writer.add_uint32("unmask.mask_token_id", about.mask)
    writer.add_key_value("unmask.end_token_ids", list(about.end_tokens), GGUFValueType.ARRAY, GGUFValueType.UINT32)
    writer.add_uint32("unmask.context_length", about.context_length)
    writer.add_uint32("unmask.window", WINDOW)
    writer.add_string("unmask.rule", "verified")
    writer.add_float32("unmask.threshold", about.threshold)
    writer.add_string("unmask.chat_template", about.template)
    writer.add_uint32("unmask.adapter.rank", rank)
    writer.add_string("unmask.figures", json.dumps(about.figures))


def write_experts(writer: GGUFWriter, experts: Experts) -> None:
    count, features, _ = experts[0]["ffn_gate_exps"].shape
    writer.add_uint32("unmask.expert.count", count)
    writer.add_uint32("unmask.expert.used_count", EXPERTS_USED)
    writer.add_uint32("unmask.expert.feed_forward_length", features)
    writer.add_float32("unmask.expert.weights_scale", 1.0)
    for i, layer in enumerate(experts):
        for name, kind in EXPERT_TYPES.items():
            write_tensor(writer, f"blk.{i}.{name}.weight", layer[name], kind)


def write_tensor(writer: GGUFWriter, name: str, tensor: Tensor, kind: GGMLQuantizationType) -> None:
    values = tensor.detach().float().contiguous().numpy()
    writer.add_tensor(name, values if kind == F32 else quantize(values, kind), raw_dtype=None if kind == F32 else kind)


def turn(rows: Tensor, shape: Shape, order) -> Tensor:
    """Query and key rows into another rotation order; value rows stay."""
    q, k, v = rows.split(shape.qkv_rows)
    return torch.cat([order(q, shape.heads), order(k, shape.kv_heads), v])


def read_additions(path: Path, base: Base) -> tuple[Adapters, Experts | None]:
    """What the file really holds, dequantised to F32, in the order that network.py works in."""
    tensors = read_tensors(path)
    adapters = Adapters(base, read_field(path, "unmask.adapter.rank"))
    state = {"mask": tensors["mask_embd.weight"]}
    for i in range(base.shape.layers):
        for name, _, _ in adapters.products:
            b = tensors[f"blk.{i}.{name}.adapter_b.weight"]
            state[f"a.{i}_{name}"] = tensors[f"blk.{i}.{name}.adapter_a.weight"]
            state[f"b.{i}_{name}"] = turn(b, base.shape, split_rows) if name == "attn_qkv" else b
    adapters.load_state_dict(state)
    adapters.requires_grad_(False)
    if "blk.0.ffn_gate_inp.weight" not in tensors:
        return adapters, None
    return adapters, [{n: tensors[f"blk.{i}.{n}.weight"] for n in EXPERT_TYPES} for i in range(base.shape.layers)]
