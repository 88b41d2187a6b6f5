"""Other forms of an English word, for an index that keeps words as they are written."""

from collections.abc import Iterator
from functools import lru_cache

_SHORTEST = 4  # letters of a word that has forms worth looking for
_ROOT = 3


@lru_cache(maxsize=4096)
def other_forms(word: str) -> tuple[str, ...]:
    """Forms that may be written of the same thing: `redirects`, `redirected` of `redirect`.

    Some are no words at all; those are in no text and cost nothing.
    """
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return ()
    forms = dict.fromkeys(form for root in (word, *_roots(word)) for form in (root, *_built(root)))
    return tuple(form for form in forms if form != word)


def _roots(word: str) -> Iterator[str]:
    """What a word may have been built from."""
    found: list[str] = []
    if word.endswith("ies"):
        found.append(f"{word[:-3]}y")
    elif word.endswith("es"):
        found += [word[:-2], word[:-1]]
    elif word.endswith("s") and not word.endswith("ss"):
        found.append(word[:-1])
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            found += [stem, f"{stem}e"]
            if stem[-1:] == stem[-2:-1]:  # getting
                found.append(stem[:-1])
    yield from (root for root in found if len(root) >= _ROOT)


def _built(root: str) -> Iterator[str]:
    yield from (f"{root}s", f"{root}es", f"{root}ed", f"{root}ing")
    if root.endswith("e"):
        yield from (f"{root}d", f"{root[:-1]}ing")
    if root.endswith("y"):
        yield f"{root[:-1]}ies"
