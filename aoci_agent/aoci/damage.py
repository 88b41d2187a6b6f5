"""What in index.aoci no program may settle by guessing: it may hold a person's words.

Commands that write refuse it and say the way out; `settled` is that way where there is one.
"""

import re
from typing import NamedTuple

from aoci_agent.aoci.lock import Lock
from aoci_agent.aoci.parse import is_readable, parse
from aoci_agent.aoci.write import element_hashes, write
from aoci_agent.base.errors import ForUser

FORMAT = 1
_EDGES = ("<<<<<<< ", ">>>>>>> ")
_BASE = "||||||| "
_MIDDLE = "======="
_MAGIC = re.compile(r"#AOCI (\d+)")
_SECTION = re.compile(r"=== (?!@tables[^/]*\Z)(?P<folder>.*?)/?\Z")
_NAMED = re.compile(r"(?P<name>.+)\[(?P<tag>[^\[\]]*)\]\s*:\s*F\s*:")
_FIX = "aoci-agent index update --fix"


def is_marker(line: str) -> bool:
    """Whether git wrote this line into a file it could not merge."""
    return line == _MIDDLE or line.startswith((*_EDGES, _BASE))


def has_conflict(text: str) -> bool:
    """Whether the text holds a conflict; a lone `=======` is none."""
    return any(line.startswith(_EDGES) for line in text.split("\n"))


def without_conflict(text: str) -> str:
    """The text without markers; both sides of a conflict are read, the first of a path counts."""
    return "\n".join(line for line in text.split("\n") if not is_marker(line))


class Place(NamedTuple):
    """An entry as it stands in the text: its line counts from 1, its tag is as written."""

    path: str
    number: int
    line: str
    tag: str


def entry_places(text: str) -> list[Place]:
    """Every entry, in the order written."""
    found: list[Place] = []
    folder = ""
    for number, line in enumerate(text.split("\n"), 1):
        if section := _SECTION.match(line):
            folder = "" if section["folder"] == "." else section["folder"]
        elif named := _NAMED.match(line):
            path = f"{folder}/{named['name']}" if folder else named["name"]
            found.append(Place(path, number, line, named["tag"]))
    return found


def unreadable(text: str) -> list[tuple[int, str]]:
    """Lines of a canonical index that are neither entry, table, section, header nor blank."""
    return [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if not is_marker(line) and not is_readable(line)
    ]


def refuse(text: str, name: str) -> None:
    """Raise ForUser for a text that a rewrite could take words from."""
    magic = _MAGIC.match(text)
    if magic is not None and int(magic[1]) > FORMAT:
        told = f"{name} is written in format {magic[1]}, this program knows {FORMAT}"
        raise ForUser(told, "a newer aoci-agent wrote it: upgrade this one")
    if has_conflict(text):
        way_out = f"keep both sides: {_FIX} (or settle them in the file)"
        raise ForUser(f"{name} holds merge conflict markers", way_out)
    if magic is not None and (lost := unreadable(text)):
        number, line = lost[0]
        more = f", and {len(lost) - 1} more lines" if len(lost) > 1 else ""
        told = f"{name}: line {number} cannot be read{more}: {line[:60]}"
        raise ForUser(told, "mend or delete it; `aoci-agent index check` lists all")
    seen: dict[str, tuple[int, str]] = {}
    for path, number, line, _ in entry_places(text):
        first, known = seen.setdefault(path, (number, line))
        if known != line:
            told = f"{name}: {path} has two different entries, in lines {first} and {number}"
            raise ForUser(told, f"delete one, or let the lock decide: {_FIX}")


def settled(text: str, lock: Lock, name: str) -> str:
    """The text in canonical form, without conflicts and repeated entries.

    Of several entries of a file the one with words of a person stays. Raises ForUser where two
    have some, and where a line cannot be read.
    """
    plain = without_conflict(text)
    by_path: dict[str, dict[str, int]] = {}
    for path, number, line, _ in entry_places(plain):
        by_path.setdefault(path, {}).setdefault(line, number)
    dropped: set[int] = set()
    for path, found in by_path.items():
        if len(found) > 1:
            kept = _chosen(path, list(found), lock, name)
            dropped |= {number for line, number in found.items() if line != kept}
    lines = plain.split("\n")
    text = "\n".join(line for number, line in enumerate(lines, 1) if number not in dropped)
    refuse(text, name)
    return write(parse(text))


def _chosen(path: str, lines: list[str], lock: Lock, name: str) -> str:
    record = lock.records.get(path)
    by_hand: list[str] = []
    for line in lines:
        hashes = element_hashes(parse(line).entries[0])
        if record is None or any(not record.wrote(key, text) for key, text in hashes.items()):
            by_hand.append(line)
    if len(by_hand) > 1:
        told = f"{name}: {path} has {len(by_hand)} entries with words written by hand"
        raise ForUser(told, "keep one of them in the file, then: aoci-agent index update")
    return by_hand[0] if by_hand else lines[-1]
