"""Find entries by words: identifiers split, light stemming, rare words count more. Needs no model."""

import math
import re
from collections import Counter
from dataclasses import dataclass

from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.wordset import wordset

_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[\u2e80-\uffff]")
_STOP = wordset(
    "a an and are as at be by can does do for from how i in is it its of on or that the this to what"
    " when where which who why with file files code defined implemented handled"
)
_WEIGHTS = (("path", 3.0), ("function", 2.0), ("api", 2.0), ("synopsis", 1.0), ("relations", 0.5))


@dataclass(frozen=True, slots=True)
class Hit:
    """One entry found; a greater score is better, comparable within one search only."""

    path: str
    score: float
    entry: Entry


def words_of(text: str) -> list[str]:
    """Stemmed lower-case words; camelCase, snake_case and paths are split."""
    return [
        stem(word)
        for part in _PART.findall(text)
        if (word := part.lower()) not in _STOP and (len(word) > 1 or not word.isascii())
    ]


def search(index: Index, query: str, limit: int = 10) -> list[Hit]:
    """The entries that best cover the query's words, best first, ties by path."""
    wanted = set(words_of(query))
    if not wanted or not index.entries:
        return []
    weights = [_weigh(entry, wanted) for entry in index.entries]
    frequency = Counter(word for found in weights for word in found)
    total = len(index.entries)
    rarity = {word: math.log(1 + total / (1 + n)) for word, n in frequency.items()}
    hits: list[Hit] = []
    for entry, found in zip(index.entries, weights, strict=True):
        score = sum(rarity[word] * weight for word, weight in sorted(found.items()))
        covered = len(found) / len(wanted)
        if found:
            prior = 1 + entry.tag.importance / 100
            hits.append(Hit(entry.path, round(score * (0.5 + covered) * prior, 6), entry))
    exact = query.strip()
    hits.sort(key=lambda hit: (not _is_path(hit.path, exact), -hit.score, hit.path))
    return hits[:limit]


def entries_at(index: Index, place: str) -> list[Entry]:
    """The entry of a file, or those of all files below a directory ("" for all); none elsewhere."""
    if place in index.by_path:
        return [index.by_path[place]]
    return [entry for entry in index.entries if not place or entry.path.startswith(f"{place}/")]


def _is_path(path: str, query: str) -> bool:
    return path == query or path.endswith(f"/{query}")


def _weigh(entry: Entry, wanted: set[str]) -> dict[str, float]:
    """Wanted word -> strength in this entry; repeats count with falling weight."""
    texts: dict[str, str | tuple[str, ...]] = {
        "path": entry.path,
        "function": entry.function,
        "api": entry.api,
        "synopsis": entry.synopsis,
        "relations": entry.relations,
    }
    found: dict[str, float] = {}
    for name, weight in _WEIGHTS:
        text = texts[name]
        words = words_of(text if isinstance(text, str) else " ".join(text))
        for word, times in Counter(word for word in words if word in wanted).items():
            found[word] = found.get(word, 0.0) + weight * (1 + math.log(times))
    return found


def stem(word: str) -> str:
    """What an English word in lower case has in common with its other forms, roughly."""
    for ending, kept in (
        ("ies", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + kept
            break
    return word.removesuffix("e") if len(word) > 3 else word
