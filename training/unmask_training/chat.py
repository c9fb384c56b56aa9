"""The chat template that ships with the models, and the base's tokenizer built from its GGUF."""

from functools import cache
from pathlib import Path

from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from .base import read_field

# Chosen among some thirty wordings by ten short questions, greedy, in F32. It is close to the line that the base was
# trained with, so nothing is lost; it says nothing of the base's makers, because asked about itself the model repeats it.
SYSTEM = "You are a helpful AI assistant named Unmask"

TEMPLATE = (
    "{% if not messages or messages[0]['role'] not in ['system', 'developer'] %}"
    "<|im_start|>system\n" + SYSTEM + "<|im_end|>\n{% endif %}"
    "{% for m in messages %}"
    "{% if m['role'] == 'developer' %}<|im_start|>system\n{{ m['content'] or '' }}<|im_end|>\n"
    "{% elif m['role'] == 'tool' %}<|im_start|>user\nTool result: {{ m['content'] or '' }}<|im_end|>\n"
    "{% else %}<|im_start|>{{ m['role'] }}\n{{ m['content'] or '' }}<|im_end|>\n{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

CONTROL_TOKENS = 17  # ids 0 to 16


@cache
def _template():
    return ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True).from_string(TEMPLATE)


def render(messages: list[dict[str, str]]) -> str:
    return _template().render(messages=messages, add_generation_prompt=True)


@cache
def load_tokenizer(base_file: Path) -> Tokenizer:
    """Byte-level BPE; every digit stands alone, then the GPT-2 pattern (`pre = smollm`)."""
    tokens = read_field(base_file, "tokenizer.ggml.tokens")
    merges = [tuple(pair.split(" ")) for pair in read_field(base_file, "tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(t, special=True) for t in tokens[:CONTROL_TOKENS]])
    return tokenizer


def render_question(question: str) -> str:
    return render([{"role": "user", "content": question}])


def encode_question(tokenizer: Tokenizer, question: str) -> list[int]:
    return encode_messages(tokenizer, [{"role": "user", "content": question}])


def encode_messages(tokenizer: Tokenizer, messages: list[dict[str, str]]) -> list[int]:
    return tokenizer.encode(render(messages), add_special_tokens=False).ids
