"""Questions with computed answers: six closed kinds, the product, and what cannot be known.

Every kind keeps its last wordings, and arithmetic also a tenth of the operand pairs, for measuring only.
"""

import hashlib
import json
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data"
HELD_WORDINGS = 2  # of each list below, the last ones are never trained on


@dataclass(frozen=True)
class Question:
    kind: str
    ask: str
    answer: str
    facts: tuple[str, ...]  # a reply is right when all of them stand in it
    held: bool  # for measuring only
    unseen: bool = False  # neither its wording nor its operands are trained on
    before: tuple[tuple[str, str], ...] = ()  # earlier questions and answers of the conversation
    system: str | None = None  # a system line of its own

    @property
    def messages(self) -> list[dict[str, str]]:
        """In the form that the chat template takes."""
        turns = [] if self.system is None else [("system", self.system)]
        for asked, answered in self.before:
            turns += [("user", asked), ("assistant", answered)]
        return [{"role": role, "content": text} for role, text in (*turns, ("user", self.ask))]


SUMS = ["What is {a} + {b}?", "{a} + {b} = ?", "How much is {a} plus {b}?", "Add {a} and {b}.", "Calculate {a} + {b}.",
        "What do you get if you add {b} to {a}?", "{a}+{b}", "What is {a} plus {b}?", "What is the sum of {a} and {b}?",
        "Please compute {a} + {b}."]
DIFFERENCES = ["What is {a} - {b}?", "{a} - {b} = ?", "How much is {a} minus {b}?", "Subtract {b} from {a}.",
               "Calculate {a} - {b}.", "{a}-{b}", "What is {a} minus {b}?", "Take {b} away from {a}.",
               "Please compute {a} - {b}."]
PRODUCTS = ["What is {a} * {b}?", "{a} * {b} = ?", "How much is {a} times {b}?", "Multiply {a} by {b}.",
            "Calculate {a} * {b}.", "What is {a} times {b}?", "What is {a} multiplied by {b}?", "Please compute {a} * {b}."]
CAPITALS = ["What is the capital of {x}?", "Name the capital of {x}.", "Which city is the capital of {x}?",
            "Tell me the capital of {x}.", "capital of {x}", "What's the capital city of {x}?", "The capital of {x}?",
            "What is {x}'s capital?", "Do you know the capital of {x}?", "Which city is {x}'s capital?"]
OPPOSITES = ["What is the opposite of {x}?", "Give me the opposite of {x}.", "Opposite of {x}?", "What word means the opposite of {x}?",
             "Name an antonym of {x}.", "What is an antonym for {x}?", "Tell me the opposite of the word {x}.",
             "Which word is the opposite of {x}?"]
SYMBOLS = ["What is the chemical symbol for {x}?", "What is the symbol of {x}?", "Give me the chemical symbol of {x}.",
           "Chemical symbol for {x}?", "Which symbol stands for {x}?", "What symbol does {x} have?",
           "Tell me the symbol for the element {x}.", "Which chemical symbol does {x} have?"]
MANY = ["How many {b} are in {n} {a}?", "Convert {n} {a} to {b}.", "How many {b} are there in {n} {a}?", "{n} {a} in {b}?",
        "{n} {a} is how many {b}?", "How many {b} make {n} {a}?", "What is {n} {a} in {b}?"]
NEXT = ["Which {unit} comes after {x}?", "What {unit} comes after {x}?", "What is the {unit} after {x}?", "Which {unit} follows {x}?",
        "Name the {unit} after {x}.", "What is the next {unit} after {x}?"]
LAST = ["Which {unit} comes before {x}?", "What {unit} comes before {x}?", "What is the {unit} before {x}?",
        "Name the {unit} before {x}.", "Which {unit} is right before {x}?", "What is the previous {unit} before {x}?"]
NUMBER = ["Which number is the month {x}?", "What number is {x} among the months?", "{x} is which month of the year?",
          "Which month of the year is {x}?"]
LENGTH = ["How many days does {x} have?", "How many days are in {x}?", "How many days are there in {x}?",
          "What is the number of days in {x}?"]
ORDINALS = ("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth").split()
PLURALS = {"foot": "feet", "inch": "inches", "century": "centuries"}


@cache
def load(name: str):
    return json.loads((DATA / f"{name}.json").read_text())


def all_questions() -> list[Question]:
    return [*closed_questions(), *product_questions(), *unknown_questions(), *recalled(), *instructed()]


def closed_questions() -> list[Question]:
    return [*arithmetic(), *capitals(), *opposites(), *symbols(), *units(), *calendar()]


def arithmetic() -> list[Question]:
    made = []
    for a in range(100):
        for b in range(100):
            made += worded("sum", SUMS, dict(a=a, b=b), f"{a} + {b} = {a + b}.", (str(a + b),), pair_held("+", a, b))
            if a >= b:
                made += worded("sum", DIFFERENCES, dict(a=a, b=b), f"{a} - {b} = {a - b}.", (str(a - b),), pair_held("-", a, b))
            if a <= 12 and b <= 12:
                made += worded("sum", PRODUCTS, dict(a=a, b=b), f"{a} * {b} = {a * b}.", (str(a * b),), pair_held("*", a, b))
    return made


def pair_held(sign: str, a: int, b: int) -> bool:
    """a + b and b + a share their side: who knows one knows the other."""
    low, high = (a, b) if sign == "-" else sorted((a, b))
    return hashlib.sha256(f"{sign} {low} {high}".encode()).digest()[0] < 26


def capitals() -> list[Question]:
    return [q for x, y in load("facts")["capitals"].items()
            for q in worded("capital", CAPITALS, dict(x=x), f"The capital of {x} is {y.rstrip('.')}.", (y.rstrip("."),))]


def opposites() -> list[Question]:
    return [q for x, y in load("facts")["opposites"].items()
            for q in worded("opposite", OPPOSITES, dict(x=x), f"The opposite of {x} is {y}.", (y,))]


def symbols() -> list[Question]:
    return [q for x, y in load("facts")["symbols"].items()
            for q in worded("symbol", SYMBOLS, dict(x=x), f"The chemical symbol for {x} is {y}.", (y,))]


def units() -> list[Question]:
    made = []
    for large, small, times in load("facts")["units"]:
        for n in range(1, 13):
            a, b = (large if n == 1 else plural(large)), plural(small)
            verb = "is" if n == 1 else "are"
            slots = dict(n="one" if n == 1 else n, a=a, b=b)
            number = str(n * times)
            made += worded("unit", MANY, slots, f"{n} {a} {verb} {number} {b}.", (number,), n > 2 and pair_held(large, n, n))
    return made


def plural(unit: str) -> str:
    return PLURALS.get(unit, f"{unit}s")


def calendar() -> list[Question]:
    facts, made = load("facts"), []
    for unit, names in (("day", facts["days"]), ("month", facts["months"])):
        for i, x in enumerate(names):
            after, before = names[(i + 1) % len(names)], names[i - 1]
            made += worded("calendar", NEXT, dict(unit=unit, x=x), f"{after} comes after {x}.", (after,))
            made += worded("calendar", LAST, dict(unit=unit, x=x), f"{before} comes before {x}.", (before,))
    for i, x in enumerate(facts["months"]):
        made += worded("calendar", NUMBER, dict(x=x), f"{x} is the {ORDINALS[i]} month.", (ORDINALS[i],))
        days = facts["monthDays"][i]
        made += worded("calendar", LENGTH, dict(x=x), f"{x} has {days} days.", (str(days),))
    return made


def worded(kind: str, wordings: list[str], slots: dict, answer: str, facts: tuple[str, ...], held: bool = False):
    first_held = len(wordings) - (HELD_WORDINGS if len(wordings) > 4 else 1)
    return [Question(kind, wording.format(**slots), answer, facts, held or i >= first_held, held and i >= first_held)
            for i, wording in enumerate(wordings)]


def product_questions() -> list[Question]:
    return [Question("product", ask, q["answer"], tuple(q["facts"]), held)
            for q in load("product") for held, part in ((False, "ask"), (True, "held")) for ask in q[part]]


def unknown_questions(seed: int = 1) -> list[Question]:
    data, rng, made = load("unknown"), random.Random(seed), []
    for reason, answer in data["answer"].items():
        for held, part in ((False, "ask"), (True, "held")):
            for wording in data[reason][part]:
                made += [Question("unknown", ask, answer, ("don't know",), held) for ask in filled(wording, data["slots"], rng)]
    return made


def filled(wording: str, slots: dict[str, list[str]], rng: random.Random) -> list[str]:
    """A wording with each of its slot's words; without a slot, itself."""
    name = next((n for n in slots if f"{{{n}}}" in wording), None)
    return [wording] if name is None else [wording.format(**{name: word}) for word in rng.sample(slots[name], 5)]


TOLD = {  # what a user tells of himself; the question about it; the answer
    "name": (["My name is {x}.", "I am called {x}.", "Hi, I'm {x}.", "Hello! My name is {x}."],
             ["What is my name?", "Do you remember my name?", "Who am I?", "What am I called?"], "Your name is {x}."),
    "city": (["I live in {x}.", "My home is in {x}.", "I come from {x} and live there."],
             ["Where do I live?", "In which city do I live?", "Which city do I live in?"], "You live in {x}."),
    "color": (["My favorite color is {x}.", "I like {x} best of all colors.", "The color that I like most is {x}."],
              ["What is my favorite color?", "Which color do I like?", "What color do I like most?"], "Your favorite color is {x}."),
    "pet": (["I have a {x}.", "My pet is a {x}.", "There is a {x} in my house."],
            ["Which pet do I have?", "What animal do I have?", "What is my pet?"], "You have a {x}."),
}


def recalled() -> list[Question]:
    """Conversations: something is told, perhaps something else asked, then what was told is asked for."""
    words, rng, made = load("talk"), random.Random(3), []
    between = [("What is the capital of France?", "The capital of France is Paris."), ("Thanks", "You are welcome!"),
               ("What is 2 + 3?", "2 + 3 = 5.")]
    for kind, (tellings, asks, answer) in TOLD.items():
        for i, x in enumerate(words[kind]):
            for j, telling in enumerate(tellings):
                for k, ask in enumerate(asks):
                    held = i % 10 == 9 or j == len(tellings) - 1 or k == len(asks) - 1
                    told = (telling.format(x=x), rng.choice(words["nod"]))
                    before = (told, *rng.sample(between, rng.choice((0, 0, 1))))
                    made.append(Question("recall", ask, answer.format(x=x), (x,), held, i % 10 == 9, before))
    return made


INSTRUCTED_EACH = 400  # questions of a kind for each system line


def instructed() -> list[Question]:
    """A system line that says how to answer, and is followed: the fact alone."""
    rng, made = random.Random(4), []
    kinds = {"capital": capitals(), "opposite": opposites(), "symbol": symbols(), "sum": arithmetic()}
    for kind, lines in load("talk")["system"].items():
        asked = [q for q in kinds[kind] if not q.held]
        for i, line in enumerate(lines):
            for q in rng.sample(asked, min(len(asked), INSTRUCTED_EACH)):
                made.append(Question("system", q.ask, q.facts[0], q.facts, i == len(lines) - 1, False, (), line))
    return made


MEASURED = {"sum": 250, "capital": 200, "opposite": 180, "symbol": 132, "unit": 180, "calendar": 100, "unknown": 39,
            "recall": 60, "system": 60}


def measured_questions() -> list[dict]:
    """For the bench: held-out wordings, of arithmetic with held-out operands too where the kind has them; open prompts."""
    rng = random.Random(11)
    held = [q for q in all_questions() if q.held and (q.kind != "sum" or q.unseen)]
    chosen = [q for kind, count in MEASURED.items() for q in rng.sample([h for h in held if h.kind == kind], count)]
    chosen += [h for h in held if h.kind == "product"]
    return [measured(q) for q in chosen] + [{"kind": "open", "ask": ask, "facts": []} for ask in load("open")]


def measured(q: Question) -> dict:
    earlier = {"before": q.before} if q.before else {}
    system = {} if q.system is None else {"system": q.system}
    return {"kind": q.kind, "ask": q.ask, "facts": q.facts, **earlier, **system}


def write_questions(path: Path) -> None:
    """`npm run format` brings it into the repository's form."""
    path.write_text(json.dumps(measured_questions(), ensure_ascii=False, indent=2) + "\n")


def draw(questions: list[Question], shares: dict[str, int], rng: random.Random) -> list[Question]:
    """`shares[kind]` questions of each kind, at random, with repetition only where there are too few."""
    made = []
    for kind, count in shares.items():
        pool = [q for q in questions if q.kind == kind]
        made += rng.sample(pool, count) if count <= len(pool) else rng.choices(pool, k=count)
    return made
