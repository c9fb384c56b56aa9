"""Tiny models with random weights, for tests only: LLaDA, LLaDA-MoE, and a base with a file of additions."""

from dataclasses import dataclass, replace
from pathlib import Path

import torch
from gguf import GGUFWriter, TokenType
from torch import Tensor

from .additions import Description, write_additions
from .base import Shape, load_base, sha256_of
from .network import Adapters

VOCABULARY, CONTROL = 288, 272  # 256 bytes, 16 merged pairs, 16 control tokens
PAIRS = "th he in er an re on at en nd ti es or te of ed".split()
NAMED = ["<|startoftext|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|mdm_mask|>"]
START, END_OF_TEXT, END_OF_TURN, MASK = CONTROL, CONTROL + 1, CONTROL + 2, CONTROL + 5
CONTEXT_LENGTH = 512
LLADA_TEMPLATE = (
    "{{ '<|startoftext|>' }}{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n"
    "{{ m['content'] }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)


@dataclass(frozen=True)
class Tiny:
    architecture: str
    shape: Shape
    experts: int = 0
    experts_used: int = 2
    tied: bool = False
    query_norm: bool = False  # RMSNorm of each head's queries and keys, before they are rotated
    half_split: bool = False  # rotation: i with i + half a head (NEOX), or neighbours (NORM)


DENSE = Shape(layers=2, width=64, heads=4, kv_heads=4, feed_forward=64, rope_base=500_000.0)
LLADA = Tiny("llada", DENSE)
LLADA_MOE = Tiny("llada-moe", replace(DENSE, feed_forward=16, rope_base=50_000.0), experts=8, query_norm=True,
                 half_split=True)
CAUSAL = Tiny("llama", replace(DENSE, kv_heads=2, rope_base=100_000.0), tied=True)


def make_tensors(tiny: Tiny, seed: int) -> dict[str, Tensor]:
    """Random, with spread enough that probabilities differ clearly from place to place."""
    generator = torch.Generator().manual_seed(seed)
    shape = tiny.shape

    def random(*size: int, gain: float = 1.0) -> Tensor:
        return torch.randn(*size, generator=generator) * gain / size[-1] ** 0.5

    def around_one(n: int) -> Tensor:
        return 1 + 0.1 * torch.randn(n, generator=generator)

    head_gain = 2.0
    made = {"token_embd.weight": random(VOCABULARY, shape.width, gain=head_gain)}
    made["output_norm.weight"] = around_one(shape.width)
    if not tiny.tied:
        made["output.weight"] = random(VOCABULARY, shape.width, gain=head_gain)
    q, k, v = shape.qkv_rows
    for i in range(shape.layers):
        layer = {
            "attn_norm": around_one(shape.width), "ffn_norm": around_one(shape.width),
            "attn_q": random(q, shape.width, gain=1.5), "attn_k": random(k, shape.width, gain=1.5),
            "attn_v": random(v, shape.width), "attn_output": random(shape.width, shape.width),
        }
        if tiny.query_norm:
            layer |= {"attn_q_norm": around_one(shape.head_dim), "attn_k_norm": around_one(shape.head_dim)}
        if tiny.experts:
            layer |= random_experts(random, tiny.experts, shape.width, shape.feed_forward)
        else:
            layer |= {
                "ffn_gate": random(shape.feed_forward, shape.width), "ffn_up": random(shape.feed_forward, shape.width),
                "ffn_down": random(shape.width, shape.feed_forward),
            }
        made |= {f"blk.{i}.{name}.weight": tensor for name, tensor in layer.items()}
    return made


def random_experts(random, count: int, width: int, features: int) -> dict[str, Tensor]:
    return {
        "ffn_gate_inp": random(count, width, gain=2.0),
        "ffn_gate_exps": random(count, features, width),
        "ffn_up_exps": random(count, features, width),
        "ffn_down_exps": random(count, width, features, gain=2.0),
    }


def write_tiny(path: Path, tiny: Tiny, tensors: dict[str, Tensor]) -> None:
    """The key names of llama.cpp, F32 throughout."""
    writer = GGUFWriter(path, tiny.architecture)
    shape = tiny.shape
    writer.add_name(f"tiny {tiny.architecture}")
    writer.add_description("Random weights, for tests only.")
    writer.add_context_length(CONTEXT_LENGTH)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_rope_dimension_count(shape.head_dim)
    writer.add_vocab_size(VOCABULARY)
    if tiny.experts:
        writer.add_expert_count(tiny.experts)
        writer.add_expert_used_count(tiny.experts_used)
        writer.add_expert_feed_forward_length(shape.feed_forward)
    add_tokenizer(writer)
    if tiny.architecture != "llama":
        writer.add_string("diffusion.shift_logits", "false")
        writer.add_mask_token_id(MASK)
        writer.add_chat_template(LLADA_TEMPLATE)
    for name, tensor in tensors.items():
        writer.add_tensor(name, tensor.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_tokenizer(writer: GGUFWriter) -> None:
    tokens = byte_letters() + PAIRS + NAMED + [f"<|reserved_{i}|>" for i in range(VOCABULARY - CONTROL - len(NAMED))]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.NORMAL] * CONTROL + [TokenType.CONTROL] * (VOCABULARY - CONTROL))
    writer.add_token_merges([f"{pair[0]} {pair[1]}" for pair in PAIRS])
    writer.add_bos_token_id(START)
    writer.add_eos_token_id(END_OF_TEXT)
    writer.add_eot_token_id(END_OF_TURN)
    writer.add_add_bos_token(False)


def byte_letters() -> list[str]:
    """GPT-2's printable letter for each byte; printable bytes stand for themselves."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in plain]
    letters = {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(rest)}
    return [letters[b] for b in range(256)]


def write_causal_pair(folder: Path, seed: int, rank: int = 32, expert_features: int = 32) -> tuple[Path, Path]:
    """A tiny base and additions with adapters and experts that really change the outcome."""
    base_file, additions_file = folder / "tiny-base.gguf", folder / "tiny-additions.gguf"
    write_tiny(base_file, CAUSAL, make_tensors(CAUSAL, seed))
    base = load_base(base_file)
    torch.manual_seed(seed)
    adapters = Adapters(base, rank)
    with torch.no_grad():
        for b in adapters.b.values():
            b.normal_(std=0.5 / rank**0.5)
    generator = torch.Generator().manual_seed(seed + 1)

    def random(*size: int, gain: float = 1.0) -> Tensor:
        return torch.randn(*size, generator=generator) * gain / size[-1] ** 0.5

    experts = [random_experts(random, 8, base.shape.width, expert_features) for _ in base.layers]
    about = Description(
        name="tiny additions", text="Random weights, for tests only.", threshold=0.2, figures={},
        base_file=base_file.name, base_sha256=sha256_of(base_file), mask=MASK, end_tokens=(END_OF_TURN, END_OF_TEXT),
        context_length=CONTEXT_LENGTH, template=LLADA_TEMPLATE)
    write_additions(additions_file, about, base.shape, adapters, experts)
    return base_file, additions_file
