"""The base's 4-bit blocks with their scales and minima free, their 4-bit numbers fixed.

A block of 32 weights is w = d q + m with q from 0 to 15. Only d and m are tuned (after PEQA, arXiv:2305.14152), and the
norms; so the tuned model is written in the published file's own form without any rounding but that of d and m to F16.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFValueType, GGUFWriter
from torch import Tensor, nn

from .base import Base, interleave_rows, open_gguf, read_field, read_shape, read_tensors, split_rows
from .network import Network

BLOCK, CENTRE = 32, 7.5
SHIFT_GAIN = 4  # a block's numbers deviate by about 4 from their mean: both kinds of step then move weights alike
PARTS = {"attn_qkv": ("attn_q", "attn_k", "attn_v"), "attn_output": ("attn_output",),
         "ffn_gate_up": ("ffn_gate", "ffn_up"), "ffn_down": ("ffn_down",)}
NORMS = ("attn_norm", "ffn_norm")


@dataclass
class Blocks:
    """q [rows, blocks, 32] as bytes; d and m [rows, blocks] in F32, in the file's row order."""

    q: Tensor
    d: Tensor
    m: Tensor

    def map(self, change) -> "Blocks":
        return Blocks(change(self.q.flatten(1)).view(self.q.shape), change(self.d), change(self.m))

    @staticmethod
    def join(parts: list["Blocks"]) -> "Blocks":
        return Blocks(*(torch.cat([getattr(p, name) for p in parts]) for name in ("q", "d", "m")))


def unpack(data: np.ndarray) -> Blocks:
    """Rows of Q4_1 bytes: two F16 (d, m), then 16 bytes whose low halves are the first 16 numbers."""
    raw = np.array(data, dtype=np.uint8).reshape(data.shape[0], -1, 20)
    scales = raw[:, :, :4].copy().view(np.float16).astype(np.float32)
    packed = raw[:, :, 4:]
    q = np.concatenate([packed & 15, packed >> 4], -1)
    return Blocks(*(torch.from_numpy(np.ascontiguousarray(a)) for a in (q, scales[:, :, 0], scales[:, :, 1])))


def pack(blocks: Blocks) -> np.ndarray:
    q = blocks.q.numpy()
    scales = np.stack([blocks.d.numpy(), blocks.m.numpy()], -1).astype(np.float16).view(np.uint8)
    return np.concatenate([scales, q[:, :, :16] | (q[:, :, 16:] << 4)], -1).reshape(q.shape[0], -1)


def read_blocks(path: Path) -> dict[str, Blocks]:
    return {t.name: unpack(t.data) for t in open_gguf(path).tensors if t.tensor_type == GGMLQuantizationType.Q4_1}


class Scales(nn.Module):
    """Relative changes: `scale` of a block's spread, `shift` of its centre in spreads, `norm` of a norm's weights."""

    def __init__(self, path: Path):
        super().__init__()
        shape, tensors, blocks = read_shape(path), read_tensors(path), read_blocks(path)
        self.shape, self.names = shape, [(i, name) for i in range(shape.layers) for name in PARTS]
        self.embedding = tensors["token_embd.weight"].to(torch.bfloat16)
        self.blocks: dict[str, Blocks] = {}
        self.scale, self.shift, self.norm = nn.ParameterDict(), nn.ParameterDict(), nn.ParameterDict()
        self.norms = {f"{i}_{n}": tensors[f"blk.{i}.{n}.weight"] for i in range(shape.layers) for n in NORMS}
        self.norms["final"] = tensors["output_norm.weight"]
        for i, name in self.names:
            parts = {part: blocks[f"blk.{i}.{part}.weight"] for part in PARTS[name]}
            for part, heads in (("attn_q", shape.heads), ("attn_k", shape.kv_heads)):
                if part in parts:
                    parts[part] = parts[part].map(lambda rows, heads=heads: split_rows(rows, heads))
            made = self.blocks[f"{i}_{name}"] = Blocks.join(list(parts.values()))
            self.scale[f"{i}_{name}"] = nn.Parameter(torch.zeros_like(made.d))
            self.shift[f"{i}_{name}"] = nn.Parameter(torch.zeros_like(made.d))
        for key, weight in self.norms.items():
            self.norm[key] = nn.Parameter(torch.zeros_like(weight))

    @torch.no_grad()
    def go_on_from(self, exported: Path) -> None:
        """Take over the changes that a file of `write_tuned` holds; its 4-bit numbers must be the source's."""
        other = Scales(exported)
        for key, old in self.blocks.items():
            new = other.blocks[key]
            if not torch.equal(old.q, new.q):
                raise SystemExit(f"{exported} is not tuned from the same file: the 4-bit numbers of {key} differ")
            d = torch.where(old.d == 0, 1, old.d)
            self.scale[key].copy_(torch.where(old.d == 0, 0, new.d / d - 1))
            self.shift[key].copy_(torch.where(old.d == 0, 0, ((new.m - old.m + CENTRE * new.d) / d - CENTRE) / SHIFT_GAIN))
        for key, old in self.norms.items():
            self.norm[key].copy_(torch.where(old == 0, 0, other.norms[key] / torch.where(old == 0, 1, old) - 1))

    def tuned(self, key: str) -> Blocks:
        """w = d0 ((1 + scale)(q - 7.5) + 7.5 + 4 shift) + m0, told as d and m."""
        old = self.blocks[key]
        d = old.d * (1 + self.scale[key])
        return Blocks(old.q, d, old.m + old.d * (CENTRE + SHIFT_GAIN * self.shift[key]) - CENTRE * d)

    def tuned_norm(self, key: str) -> Tensor:
        return self.norms[key] * (1 + self.norm[key])

    def network(self) -> Network:
        return Network(self.build())

    @torch.no_grad()
    def build(self) -> Base:
        """Weights in BF16 as leaves of their own: `collect` brings their gradients back to scales and shifts."""
        def leaf(tensor: Tensor) -> Tensor:
            return tensor.to(torch.bfloat16).requires_grad_()

        layers: list[dict[str, Tensor]] = [{n: leaf(self.tuned_norm(f"{i}_{n}")) for n in NORMS}
                                           for i in range(self.shape.layers)]
        for i, name in self.names:
            b = self.tuned(f"{i}_{name}")
            w = torch.addcmul(b.m[..., None], b.q.float(), b.d[..., None])
            layers[i][name] = leaf(w.flatten(1))
        return Base(self.shape, self.embedding, leaf(self.tuned_norm("final")), layers)

    @torch.no_grad()
    def collect(self, network: Network) -> None:
        base = network.base
        for i, name in self.names:
            key = f"{i}_{name}"
            old, gradient = self.blocks[key], base.layers[i][name].grad
            gradient = gradient.view(old.q.shape).float()
            total = gradient.sum(-1)
            self.scale[key].grad = old.d * ((gradient * old.q).sum(-1) - CENTRE * total)
            self.shift[key].grad = old.d * total * SHIFT_GAIN
        for key, weight in self.norms.items():
            i, _, name = key.partition("_")
            leaf = base.final_norm if key == "final" else base.layers[int(i)][name]
            self.norm[key].grad = weight * leaf.grad.float()

    def file_tensors(self) -> dict[str, Blocks | Tensor]:
        """What changes in the file, by its names and in its row order."""
        made: dict[str, Blocks | Tensor] = {"output_norm.weight": self.tuned_norm("final")}
        for i in range(self.shape.layers):
            made |= {f"blk.{i}.{n}.weight": self.tuned_norm(f"{i}_{n}") for n in NORMS}
        q, k, _ = self.shape.qkv_rows
        for i, name in self.names:
            whole, first = self.tuned(f"{i}_{name}"), 0
            ends = {"attn_qkv": [q, q + k], "ffn_gate_up": [self.shape.feed_forward]}.get(name, [])
            for part, end in zip(PARTS[name], [*ends, len(whole.d)]):
                piece = Blocks(whole.q[first:end], whole.d[first:end], whole.m[first:end])
                heads = {"attn_q": self.shape.heads, "attn_k": self.shape.kv_heads}.get(part)
                if heads is not None:
                    piece = piece.map(lambda rows, heads=heads: interleave_rows(rows, heads))
                made[f"blk.{i}.{part}.weight"], first = piece, end
        return made


TUNED = {
    "general.name": "Unmask base: SmolLM2-135M-Instruct, tuned",
    "general.description": "SmolLM2-135M-Instruct by Hugging Face TB (Apache-2.0), changed by the Unmask authors: scales and "
                           "minima of the Q4_1 blocks and the norms are tuned, the 4-bit numbers are the published ones.",
}


@torch.no_grad()
def write_tuned(scales: Scales, source: Path, target: Path) -> None:
    """The published file once more, with tuned scales, minima and norms; it says that it was changed."""
    reader, changed = open_gguf(source), scales.file_tensors()
    partial = target.with_suffix(".partial")
    writer = GGUFWriter(partial, read_field(source, "general.architecture"))
    own = ("general.architecture", *TUNED)
    for key, field in reader.fields.items():
        if not key.startswith("GGUF.") and key not in own:
            inner = field.types[-1] if field.types[0] == GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), field.types[0], inner)
    for key, text in TUNED.items():
        writer.add_string(key, text)
    for t in reader.tensors:
        new = changed.get(t.name)
        if isinstance(new, Tensor):
            writer.add_tensor(t.name, new.numpy())
        else:
            data = np.array(t.data) if new is None else pack(new)
            writer.add_tensor(t.name, data, raw_dtype=t.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    partial.replace(target)
