"""The searcher's eye for words: what a question is about, and how well a text fits it. Fixed rules, pure."""

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

KEPT = 24  # words of a question that count, the heaviest first
IDENTIFIERS = 12  # names of a question that are searched for
_LONG = 120  # lines of a block above which it fits less: it may hold anything
_SHORT = 3  # letters of the shortest word
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d{2,}")
_CODE = re.compile(r"`([^`\n]{2,80})`")
_ADDRESS = re.compile(r"https?://\S+")
_COMMON = (
    "a about above add after all also an and any are argument arguments as at be because "
    "been before being but by can cannot case cases change class code could current "
    "currently def default description did do does doing don done each else error etc even "
    "example expected fail failed fails false file files fix fixed fixes following for from "
    "function get gets give given has have here how however if import in instead into is "
    "issue it its just last like line lines make makes may method might more most need "
    "needs new no none not now of off on one only or other our out over own print problem "
    "py python raise raises recent reproduce result return returns same self should since "
    "so some still str string such sure test tests than that the their them then there "
    "these they this those to traceback true two type use used user uses using value values "
    "version very via want was way we were what when where which while will with without "
    "work works would you your http https com www org github"
)
_STOP = frozenset(_COMMON.split())


def names_in(question: str) -> list[str]:
    """The names of code in a question, as one would search for them, the rarest looking first.

    A name has a sign of code: an underscore, a capital inside, a dot, a pair of backquotes. Of a dotted
    one the last part counts. Where a question has few, its long words follow.
    """
    text = _ADDRESS.sub(" ", question)
    quoted = {name for piece in _CODE.findall(text) for name in _NAME.findall(piece)}
    marked: dict[str, None] = {}
    plain: dict[str, None] = {}
    for name in _NAME.findall(text):
        last = re.split(r"\.|::|->|#", name)[-1]
        if len(last) <= _SHORT or last.lower() in _STOP:
            continue
        coded = name in quoted or last != name or "_" in last or re.search(r"[a-z][A-Z]", last)
        (marked if coded else plain)[last] = None
    rare = sorted(marked, key=lambda name: (-len(_PART.findall(name)), -len(name)))
    words = sorted((word for word in plain if len(word) > _SHORT + 1), key=lambda word: -len(word))
    return list(dict.fromkeys((*rare, *words)))[:IDENTIFIERS]


def weights_of(question: str) -> dict[str, float]:
    """What the question is about: its words with their weights.

    A word counts once, more when it is part of a name (2 more) or of the first line (1 more).
    """
    text = _ADDRESS.sub(" ", question)
    first = words_of(text.strip().partition("\n")[0])
    named = {word for name in names_in(text) if not name.islower() for word in words_of(name)}
    weights = {
        word: 1.0 + 2.0 * (word in named) + 1.0 * (word in first) for word in _ordered_words(text)
    }
    heaviest = sorted(weights, key=lambda word: -weights[word])[:KEPT]
    return {word: weights[word] for word in heaviest}


def words_of(text: str) -> frozenset[str]:
    """Its words, names cut at underscores and capitals, in lower case, without a plural's s."""
    return frozenset(_ordered_words(text))


def fit(weights: Mapping[str, float], text: str, head: str, lines: int) -> float:
    """How well a block fits: the share of the question's weight that is in it, from 0 to 1.

    Words in its first line count twice; a block of over 120 lines fits less, as the root of its length.
    """
    total = sum(weights.values())
    if not total:
        return 0.0
    there, top = words_of(text), words_of(head)
    found = sum(weight * (1 + (word in top)) for word, weight in weights.items() if word in there)
    return min(1.0, found / total) * min(1.0, math.sqrt(_LONG / max(lines, 1)))


def rarity(texts: Iterable[frozenset[str]], words: Iterable[str]) -> dict[str, float]:
    """By word, how much it tells among these texts: log(1 + all / those that have it)."""
    known = list(texts)
    counts = {word: sum(word in text for text in known) for word in words}
    return {
        word: math.log(1 + len(known) / count) if count else 0.0 for word, count in counts.items()
    }


@lru_cache(maxsize=4_096)
def _ordered_words(text: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for part in _PART.findall(text):
        word = part.lower()
        if len(word) > _SHORT and word.endswith("s") and not word.endswith("ss"):
            word = word[:-1]
        if len(word) >= _SHORT and word not in _STOP:
            found[word] = None
    return tuple(found)
