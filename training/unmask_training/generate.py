"""Greedy or sampled replies to many prompts at once, one token a forward: the model's own answers."""

import json
import random
import re
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer

from .base import END_OF_TURN, base_path, best_base_path, load_base, sha256_of
from .chat import encode_question, load_tokenizer
from .decode import allowed_logits
from .generators import load
from .network import Network
from .prepare import (ANSWER_TOKENS_MIN, LOOP_LENGTH, Example, evaluation_prompts, load_examples, loops, may_not_train,
                      write_atomically)

MENDED_TOKENS_MIN = 12
LIST_ITEM, LIST_ITEMS_MIN = re.compile(r"(?:^|\n)\s*(?:\d+[.)]|[-*•])"), 3
ASKED_TOKENS_MAX = 260


@torch.no_grad()
def generate(network: Network, prompts: list[list[int]], tokens_max: int, temperature: float = 0,
             seed: int = 1) -> list[list[int]]:
    """Replies with their end of turn where it came. Prompts stand flush right; what is before them is never looked at."""
    torch.manual_seed(seed)
    count, width = len(prompts), max(map(len, prompts))
    ids = torch.tensor([[END_OF_TURN] * (width - len(p)) + p for p in prompts])
    missing = torch.tensor([width - len(p) for p in prompts])
    there = torch.arange(width)[None, :] >= missing[:, None]
    positions = (torch.arange(width)[None, :] - missing[:, None]).clamp(min=0)
    allowed = there[:, None, :] & torch.ones(width, width, dtype=torch.bool).tril()[None]
    allowed |= torch.eye(width, dtype=torch.bool)[None]  # a row that sees nothing would be no number
    hidden, cache = network.causal(ids, positions, allowed)
    running, replies = list(range(count)), [[] for _ in prompts]
    hidden = hidden[:, -1]
    for _ in range(tokens_max):
        token = choose(allowed_logits(network.head(hidden)), temperature)
        for i, t in zip(running, token.tolist()):
            replies[i].append(t)
        going = [j for j, t in enumerate(token.tolist()) if t != END_OF_TURN]
        if not going:
            break
        keep = torch.tensor(going)
        running, token, there = [running[j] for j in going], token[keep], there[keep]
        positions = positions[keep][:, -1:] + 1
        there = torch.cat([there, torch.ones(len(going), 1, dtype=torch.bool)], 1)
        cache = [(k[keep], v[keep]) for k, v in cache]
        hidden, made = network.causal(token[:, None], positions, there[:, None, :], cache)
        cache = [(torch.cat([a, c], 2), torch.cat([b, d], 2)) for (a, b), (c, d) in zip(cache, made)]
        hidden = hidden[:, -1]
    return replies


def choose(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    if temperature == 0:
        return logits.argmax(-1)
    return torch.multinomial(torch.softmax(logits / temperature, -1), 1)[:, 0]


def own_answers(work: Path, seconds: float, batch: int = 48, tokens_max: int = 200) -> dict[str, int]:
    """The best base's own greedy answers to the corpus' questions; goes on from what this same base has made,
    and the time budget counts all runs together.

    `answers` are those that end and do not loop. `mended` are those that loop, cut at the last sentence end before the
    first repetition: trained on them, the model learns to end where it would have begun to repeat itself. A list with
    fewer than three items left is dropped: those taught to stop after the first item.
    """
    began, target = time.monotonic(), own_path(work)
    made = {"base": sha256_of(best_base_path(work)), "seconds": 0.0, "asked": 0, "answers": [], "mended": []}
    if target.exists() and (there := json.loads(target.read_text()))["base"] == made["base"]:
        made = there
    order = asked_in_order(work, batch)
    base, ends = load_base(best_base_path(work)).to(torch.bfloat16), sentence_ends(base_path(work))
    tokenizer = load_tokenizer(base_path(work))
    spent = made["seconds"]
    while made["asked"] < len(order) and made["seconds"] < seconds:
        here = order[made["asked"]]
        for prompt, answer in zip(here, generate(Network(base), here, tokens_max)):
            if loops(answer):
                cut = cut_before_loop(answer, ends)
                whole = not 0 < list_items(tokenizer, cut) < LIST_ITEMS_MIN
                made["mended"] += [(prompt, cut)] if whole and len(cut) >= MENDED_TOKENS_MIN else []
            elif answer[-1] == END_OF_TURN and len(answer) >= ANSWER_TOKENS_MIN and not is_broken_off(tokenizer, answer):
                made["answers"].append((prompt, answer))
        made["asked"] += 1
        made["seconds"] = spent + time.monotonic() - began
        write_atomically(target, made)
        print(f"{made['asked']} of {len(order)} batches: {len(made['answers'])} answers, {len(made['mended'])} mended", flush=True)
    return {"answers": len(made["answers"]), "mended": len(made["mended"])}


def asked_in_order(work: Path, batch: int) -> list[list[list[int]]]:
    """First everyday questions and those that the unchanged base did not finish, where loops are most frequent; alike in length."""
    unfinished = {tuple(p) for p in json.loads((work / "unfinished.json").read_text())}
    finished = {tuple(p) for p, _ in load_examples(work, "train")} - unfinished
    order = []
    for prompts in ({tuple(p) for p, _ in asked_answers(work)}, unfinished, finished):
        ordered = [list(p) for p in sorted(prompts, key=lambda p: (len(p), p))]
        random.Random(4).shuffle(part := [ordered[i : i + batch] for i in range(0, len(ordered), batch)])
        order += part
    return order


def sentence_ends(base_file: Path) -> frozenset[int]:
    vocabulary = load_tokenizer(base_file).get_vocab()
    return frozenset(i for token, i in vocabulary.items() if token in (".", "!", "?", ".\"", "\u010a", ".)"))


def cut_before_loop(ids: list[int], ends: frozenset[int]) -> list[int]:
    """What stands before the first repeated run of LOOP_LENGTH tokens, to its last sentence end; with an end of turn."""
    seen: set[tuple[int, ...]] = set()
    for i in range(len(ids) - LOOP_LENGTH + 1):
        gram = tuple(ids[i : i + LOOP_LENGTH])
        if gram in seen:
            last = max((j for j in range(i) if ids[j] in ends), default=-1)
            return [*ids[: last + 1], END_OF_TURN]
        seen.add(gram)
    return ids


def ask_base(work: Path, batch: int = 48, tokens_max: int = ASKED_TOKENS_MAX, batches_max: int | None = None) -> None:
    """Keeps the unchanged base's greedy answers to `data/asks.json`: everyday questions and lists, which the corpus has few
    of; what the tuning teaches of the product would else be said there too. Where they loop, they are mended.
    """
    if asked_path(work).exists():
        return
    banned, tokenizer, ends = evaluation_prompts(), load_tokenizer(base_path(work)), sentence_ends(base_path(work))
    asked = sorted({form.format(what) for part in load("asks") for what in part["of"] for form in part["forms"]})
    prompts = sorted((encode_question(tokenizer, ask) for ask in asked if not may_not_train(ask, banned)), key=len)
    base, kept = load_base(base_path(work)).to(torch.bfloat16), []
    for i in range(0, len(prompts), batch)[:batches_max]:
        here = prompts[i : i + batch]
        for prompt, answer in zip(here, generate(Network(base), here, tokens_max)):
            whole = cut_before_loop(answer, ends) if loops(answer) else answer
            if whole[-1] == END_OF_TURN and len(whole) >= MENDED_TOKENS_MIN and not is_broken_off(tokenizer, whole):
                kept.append((prompt, whole))
        print(f"{min(i + batch, len(prompts))} of {len(prompts)} asked: {len(kept)} answers", flush=True)
    write_atomically(asked_path(work), kept)


def asked_answers(work: Path) -> list[Example]:
    return [(prompt, answer) for prompt, answer in json.loads(asked_path(work).read_text())]


def asked_path(work: Path) -> Path:
    return work / "asked.json"


def is_broken_off(tokenizer: Tokenizer, ids: list[int]) -> bool:
    """A list that ends before its third item. The base ends some of its lists so, and what learns from them soon ends all."""
    return LIST_ITEM.match(tokenizer.decode(ids)) is not None and list_items(tokenizer, ids) < LIST_ITEMS_MIN


def list_items(tokenizer: Tokenizer, ids: list[int]) -> int:
    return len(LIST_ITEM.findall(tokenizer.decode(ids)))


def mended_answers(work: Path) -> list[Example]:
    return json.loads(own_path(work).read_text())["mended"] if own_path(work).exists() else []


def own_path(work: Path) -> Path:
    return work / "own.json"
