"""What other people's packages make of the same input. Reads one JSON object from standard input, writes one.

ids      {"gguf": path, "lines": [...]}              → {pattern: [[ids]]}, by the package tokenizers
prompts  {"gguf": path, "prompts": [...]}            → [[ids]], special tokens taken for what they are
template {"cases": [{template, messages, bos, eos}]} → [{"prompt": …} or {"refused": …}], by Jinja2
gguf     {"path": path}                              → keys and tensors as the package gguf reads them
"""

import hashlib
import json
import sys

# Where the pattern of SmolLM comes from: its tokenizer.json has Digits(individual_digits) and ByteLevel.
LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BAILING = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)


def field(reader, name):
    return reader.fields[name].contents()


def ids(given):
    from gguf import GGUFReader
    from tokenizers import Regex, Tokenizer, models
    from tokenizers import pre_tokenizers as pre

    reader = GGUFReader(given["gguf"])
    vocab = {token: i for i, token in enumerate(field(reader, "tokenizer.ggml.tokens"))}
    merges = [tuple(merge.split(" ")) for merge in field(reader, "tokenizer.ggml.merges")]

    def split(pattern):
        byte_level = pre.ByteLevel(add_prefix_space=False, use_regex=False)
        return pre.Sequence([pre.Split(Regex(pattern), "isolated"), byte_level])

    gpt_2 = pre.ByteLevel(add_prefix_space=False, use_regex=True)
    patterns = {
        "smollm": (pre.Sequence([pre.Digits(individual_digits=True), gpt_2]), False),
        "gpt-2": (gpt_2, False),
        "llama-bpe": (split(LLAMA_3), True),
        "bailingmoe": (split(BAILING), False),
    }
    out = {}
    for name, (pattern, whole_words) in patterns.items():
        tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, ignore_merges=whole_words))
        tokenizer.pre_tokenizer = pattern
        encoded = tokenizer.encode_batch(given["lines"], add_special_tokens=False)
        out[name] = [encoding.ids for encoding in encoded]
    return out


def prompts(given):
    from gguf import GGUFReader
    from tokenizers import AddedToken, Tokenizer, models
    from tokenizers import pre_tokenizers as pre

    reader = GGUFReader(given["gguf"])
    tokens = field(reader, "tokenizer.ggml.tokens")
    merges = [tuple(merge.split(" ")) for merge in field(reader, "tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    gpt_2 = pre.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.pre_tokenizer = pre.Sequence([pre.Digits(individual_digits=True), gpt_2])
    kinds = field(reader, "tokenizer.ggml.token_type")
    control = [token for token, kind in zip(tokens, kinds) if kind == 3]
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in control])
    return [encoding.ids for encoding in tokenizer.encode_batch(given["prompts"], add_special_tokens=False)]


def template(given):
    """The environment that Hugging Face's transformers renders chat templates in (utils/chat_template_utils.py)."""
    from jinja2 import TemplateError
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def raise_exception(message):
        raise TemplateError(message)

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.globals["raise_exception"] = raise_exception
    out = []
    for case in given["cases"]:
        values = {"bos_token": case["bos"], "eos_token": case["eos"], "tools": None, "documents": None}
        try:
            compiled = environment.from_string(case["template"])
            out.append({"prompt": compiled.render(messages=case["messages"], add_generation_prompt=True, **values)})
        except Exception as error:
            out.append({"refused": str(error)})
    return out


def gguf(given):
    from gguf import GGUFReader

    reader = GGUFReader(given["path"])
    keys = {name: value.contents() for name, value in reader.fields.items() if not name.startswith("GGUF.")}
    tensors = {}
    for tensor in reader.tensors:
        digest = hashlib.sha256(tensor.data.tobytes()).hexdigest()
        shape = [int(length) for length in tensor.shape]
        tensors[tensor.name] = {"type": tensor.tensor_type.name, "shape": shape, "sha256": digest}
    return {"keys": keys, "tensors": tensors}


json.dump({"ids": ids, "prompts": prompts, "template": template, "gguf": gguf}[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
