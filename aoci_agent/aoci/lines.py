"""Token counts of index lines, remembered by digest so that a session starts without a tokenizer."""

from collections.abc import Callable, Iterable, Mapping

from aoci_agent.aoci.model import Entry, Index
from aoci_agent.aoci.write import MAGIC, entry_line, header_line, line_hash, section_line
from aoci_agent.base import tokens

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


def counter(known: Mapping[str, int]) -> Callable[[str], int]:
    """A function line -> tokens, the line end included; unknown lines are counted and remembered."""
    memory = dict(known)

    def count(line: str) -> int:
        key = line_hash(line)
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
    return {line_hash(line): count(line) for line in rendered_lines(index)}
