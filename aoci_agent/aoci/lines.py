"""Token counts of index lines, remembered by digest so that a session starts without a tokenizer."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.write import MAGIC, entry_line, header_line, section_line
from aoci_agent.base import tokens
from aoci_agent.base.files import atomic_write

FILE = "counts-1.json"
# What a model must know to read the index; stands above the header of every rendering.
READING = (
    "# One line per file under its directory line `=== dir/`:"
    " name[tag]: F:what it is | R:files it uses | A:what it offers | S:further facts. `-` is none.",
    "# tag: layer, module, importance, traits, size, in this order; codes A B C D E below."
    " R: shortest unique path endings, no extension; `ubiquitous` files are left out of R.",
    "# `+ a b`: more files of that directory, named only; see them with the index or read tool.",
    "# Extracted by program: names are exact, the file itself decides."
    " A later `Δ` line replaces the entry here.",
)


def digest(line: str) -> str:
    """What a line's count is filed under."""
    return hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def counter(known: Mapping[str, int]) -> Callable[[str], int]:
    """A function line -> tokens, the line end included; unknown lines are counted and remembered."""
    memory = dict(known)

    def count(line: str) -> int:
        key = digest(line)
        if key not in memory:
            memory[key] = tokens.count(f"{line}\n")
        return memory[key]

    return count


def brief_line(entry: Entry, *, tags: bool = True) -> str:
    """An entry cut to its name, tag and function."""
    return entry_line(entry, tags=tags).split(" | R:", 1)[0]


def fold_name(name: str) -> str:
    """A name as a fold line holds it."""
    return f'"{name}"' if " " in name else name


def rendered_lines(index: Index) -> Iterable[str]:
    """Every line a rendering may show of these entries."""
    yield from (MAGIC, *READING, *map(header_line, index.header))
    for directory in sorted({entry.directory for entry in index.entries}):
        yield section_line(directory)
    for entry in index.entries:
        yield entry_line(entry)
        yield brief_line(entry)
        yield f" {fold_name(entry.name)}"


def measure(index: Index, known: Mapping[str, int]) -> dict[str, int]:
    """Counts for every line of the index, taking over the known ones."""
    count = counter(known)
    return {digest(line): count(line) for line in rendered_lines(index)}


def load_counts(folder: Path) -> dict[str, int]:
    """What an earlier build measured; {} when there is nothing to trust."""
    try:
        value: Any = json.loads((folder / FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(value, dict):
        return {}
    table = cast("dict[Any, Any]", value)
    return {str(key): int(n) for key, n in table.items() if isinstance(n, int)}


def save_counts(folder: Path, counts: Mapping[str, int]) -> None:
    """Remember the counts; a folder that cannot be written costs time at the next start only."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(folder / FILE, json.dumps(counts, separators=(",", ":")).encode())
    except OSError:
        return
