"""Counting tokens as the models do, without the network, and cutting text to a number of them."""

import functools
import importlib.util
import os
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

_ENCODING = "o200k_base"
# tiktoken stores a download under the SHA-1 of its address; this is o200k_base's.
_FILE = "fb374d419588a4632f3f557e76b4b70aebbca790"
_CHARACTERS_PER_TOKEN = 4  # measured on source code: 4.0 to 5.0
_PIECE = 20_000  # characters encoded at once; a run longer than this has no boundary to respect
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Cut:
    """A text within its limit, and how much is missing in its middle."""

    text: str
    omitted_lines: int
    omitted_tokens: int


def count(text: str) -> int:
    """Tokens of `text` in o200k_base; an estimate where the tokenizer cannot be loaded.

    The first call takes half a second. Special tokens in the text count as the plain text they are.
    """
    encoding = _encoding()
    if encoding is None:
        return estimate(text)
    return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))


def estimate(text: str) -> int:
    """Tokens of `text` without a tokenizer: a quarter of its bytes, rounded up."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // _CHARACTERS_PER_TOKEN)


def exact() -> bool:
    """Whether `count` counts with the tokenizer. Loads it."""
    return _encoding() is not None


def cut_middle(text: str, limit: int) -> Cut:
    """`text` within `limit` tokens: whole lines of its beginning and end, with a line between.

    A text of a few very long lines is cut inside a line instead. `limit` below the size of the
    marker line gives an empty text.
    """
    total = count(text)
    if total <= limit:
        return Cut(text, 0, 0)
    lines = _LINE.findall(text)
    sizes = [count(line) for line in lines]
    budget = limit - count(_marker(len(lines), total)) - 4  # joints may tokenize differently
    while budget > 0:
        head = _fitting(sizes, budget // 2)
        tail = _fitting(sizes[head:][::-1], budget - sum(sizes[:head]))
        cut = _joined(lines, sizes, head, tail) if head + tail else _inside(text, total, budget)
        if count(cut.text) <= limit:
            return cut
        budget -= max(1, count(cut.text) - limit)
    return Cut("", len(lines), total)


def shorten_lines(text: str, width: int = 2000) -> str:
    """`text` with every line cut to `width` characters, saying how many are missing."""
    if len(text) <= width:
        return text
    return "".join(_shortened(line, width) for line in _LINE.findall(text))


def _shortened(line: str, width: int) -> str:
    body = line.rstrip("\r\n")
    if len(body) <= width:
        return line
    return f"{body[:width]} [... {len(body) - width:,} characters]{line[len(body) :]}"


def _marker(lines: int, tokens: int) -> str:
    return f"[... {lines:,} lines omitted, {tokens:,} tokens ...]\n"


def _joined(lines: list[str], sizes: list[int], head: int, tail: int) -> Cut:
    end = len(lines) - tail
    omitted = sum(sizes[head:end])
    middle = _marker(end - head, omitted)
    return Cut("".join((*lines[:head], middle, *lines[end:])), end - head, omitted)


def _inside(text: str, total: int, budget: int) -> Cut:
    """Both ends of a text whose lines are too long to keep any."""
    characters = max(1, len(text) * budget // total // 2)
    omitted = max(0, total - budget)
    lines = text[characters:-characters].count("\n")
    return Cut(
        f"{text[:characters]}\n{_marker(lines, omitted)}{text[-characters:]}", lines, omitted
    )


def _fitting(sizes: Sequence[int], budget: int) -> int:
    """How many of the first sizes fit the budget together."""
    used = 0
    for number, size in enumerate(sizes):
        used += size
        if used > budget:
            return number
    return len(sizes)


# A place where the tokenizer's pattern always splits: after a line end, before a word.
_BOUNDARY = re.compile(r"\n(?=[^\s/])")


def _pieces(text: str) -> list[str]:
    """Cut where tokens end anyway, so that no piece is long: time grows with a run's square."""
    if len(text) <= _PIECE:
        return [text]
    pieces: list[str] = []
    start = 0
    while len(text) - start > _PIECE:
        end = start + _PIECE
        for match in _BOUNDARY.finditer(text, start + _PIECE // 2, end):
            end = match.end()
        pieces.append(text[start:end])
        start = end
    pieces.append(text[start:])
    return pieces


def _encoding() -> "Encoding | None":
    with _lock:
        return _load()


@functools.cache
def _load() -> "Encoding | None":
    folder = _bundled()
    if folder is None:
        return None
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        import tiktoken

        return tiktoken.get_encoding(_ENCODING)
    except (ImportError, OSError, ValueError):
        return None
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


def _bundled() -> Path | None:
    """The folder of litellm's wheel that holds the encoding, found without importing litellm.

    Without the file tiktoken would download it, so a missing file means no tokenizer.
    """
    with suppress(ImportError, ValueError, AttributeError):
        spec = importlib.util.find_spec("litellm")
        for place in (spec and spec.submodule_search_locations) or ():
            folder = Path(place) / "litellm_core_utils" / "tokenizers"
            if (folder / _FILE).is_file():
                return folder
    return None
