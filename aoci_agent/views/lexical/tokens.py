"""Words of source text: identifiers whole and split, scripts without blanks as pairs of characters."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from aoci_agent.aoci.lookup import stem
from aoci_agent.aoci.wordset import wordset

VERSION = 1  # of the words a text has; part of the view's config

_RUN = re.compile(r"\w+")
# `parseHTTPResponse2` -> parse HTTP Response 2; the plural of capitals (`URLs`) stays one part.
_PART = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_LETTERS = re.compile(r"[^\W\d_]+|\d+")
# Scripts written without blanks: Thai to Khmer, kana, Han, Hangul, and their extensions.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_STOP = wordset(
    "an and are as at be but by can do does for from has have how if in into is it its not of on or"
    " so that the then there these this to was we were what when where which who why will with you"
)
_LONGEST_WORD = 64  # longer ones are hashes and encoded data, or are found by their parts
_LONGEST_RUN = 256  # longer runs of word characters are data


def words_of(text: str) -> list[str]:
    """The words of a text, in order, with repeats.

    Every identifier gives itself in lower case and, where it has several, its parts:
    `getHTTPUrl` -> gethttpurl get http url. Single letters and digits, and the commonest English
    words, are left out.
    """
    return [word for run in _RUN.findall(text) for word in _words_in(run)]


def counts_of(text: str, *, stems: bool = False) -> dict[str, int]:
    """How often each word, or its stem, occurs in a text, without making the list of them."""
    counts: dict[str, int] = {}
    words_in = _stems_in if stems else _words_in
    for run, times in Counter[str](_RUN.findall(text)).items():
        for word in words_in(run):
            counts[word] = counts.get(word, 0) + times
    return counts


def stemmed(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights of the words' stems: what several words give is added, in the words' order."""
    found: dict[str, float] = {}
    for word, weight in sorted(weights.items()):
        key = stem_of(word)
        found[key] = found.get(key, 0) + weight
    return found


def stem_of(word: str) -> str:
    """A word without its English ending; one with underscores or beyond ASCII stays as it is."""
    return stem(word) if word.isascii() and "_" not in word else word


@lru_cache(maxsize=1 << 16)
def _stems_in(run: str) -> tuple[str, ...]:
    return tuple(map(stem_of, _words_in(run)))


@lru_cache(maxsize=1 << 16)
def _words_in(run: str) -> tuple[str, ...]:
    """The words of one run of letters, digits and underscores."""
    if len(run) > _LONGEST_RUN:
        return ()
    found: list[str] = []
    for piece in (run,) if run.isascii() else _by_script(run):
        whole = _whole(piece)
        parts = [part.lower() for part in _parts(piece)]
        found += [whole] if parts in ([], [whole]) else [whole, *parts]
    return tuple(word for word in found if _counts(word))


def _counts(word: str) -> bool:
    if len(word) < 2:
        return not word.isascii()
    return len(word) <= _LONGEST_WORD and word not in _STOP


def _whole(run: str) -> str:
    """Underscores around a name are dropped, except where they mark a special name."""
    special = len(run) > 4 and run.startswith("__") and run.endswith("__")
    return run.lower() if special else run.strip("_").lower()


def _parts(run: str) -> list[str]:
    if run.isascii():
        return _PART.findall(run)
    split = (
        f"_{after}" if before.islower() and after.isupper() else after
        for before, after in pairwise(f"_{run}")
    )
    return _LETTERS.findall("".join(split))


def _by_script(run: str) -> Iterator[str]:
    """Pieces of a run with characters beyond ASCII: pairs where a script has no blanks, the rest."""
    end = 0
    for match in _UNSPACED.finditer(run):
        if match.start() > end:
            yield run[end : match.start()]
        characters = match.group()
        if len(characters) == 1:
            yield characters
        yield from (first + second for first, second in pairwise(characters))
        end = match.end()
    if end < len(run):
        yield run[end:]
