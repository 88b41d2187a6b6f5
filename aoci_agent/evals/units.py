"""Measure outlines and units: `python -m aoci_agent.evals.units PATH...`. Nothing is written.

For each repository and language: files, definitions, units by level, blocks, the share of lines with
text in L1 or L2 units and in blocks, and CPU seconds for 100,000 lines. Exit 1 when a line is in no
unit, when a block repeats one, or when a range leaves its file.
"""

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from aoci_agent.base.errors import ForUser
from aoci_agent.views.model import Level, Unit
from aoci_agent.views.syntax.outline import outline_of
from aoci_agent.views.syntax.text import decoded
from aoci_agent.views.units.blocks import blocks
from aoci_agent.views.units.cut import cut, lines_of

COLUMNS = ("language", "files", "lines", "defs", "L1", "L2", "blocks", "in units", "in blocks",
           "problems", "CPU/100k")  # fmt: skip
WIDTH = 11
_WORD = re.compile(r"\w")

Counts = Counter[str]


def measure(path: str, data: bytes) -> tuple[str, Counts, str]:
    """The language of a file, its counts, and what is wrong with its units, "" for nothing."""
    began = time.process_time()
    outline = outline_of(path, data)
    units = cut(path, data, outline)
    kept = blocks(units)
    spent = time.process_time() - began
    lines = lines_of(decoded(data))
    counts = Counts(
        files=1, lines=len(lines), defs=len(outline.definitions), microseconds=int(spent * 1e6),
        blocks=len(kept), problems=bool(outline.problem),
    )  # fmt: skip
    for level in (Level.L1, Level.L2):
        counts[level.name] = sum(unit.level == level for unit in units)
    parts = [unit for unit in units if unit.level != Level.L0]
    covered = {line for unit in parts for line in range(unit.start, unit.end + 1)}
    text = [line for line, said in enumerate(lines, 1) if said.strip()]
    words = [said for said in lines if _WORD.search(said)]
    repeated = [said for unit in kept for said in unit.text.split("\n") if _WORD.search(said)]
    counts["text"], counts["in units"] = len(text), sum(line in covered for line in text)
    counts["words"], counts["in blocks"] = len(words), len(repeated)
    return outline.language or "(plain)", counts, _wrong(units, counts, len(lines))


def _wrong(units: Sequence[Unit], counts: Counts, count: int) -> str:
    if counts["in units"] < counts["text"]:
        return f"{counts['text'] - counts['in units']} lines are in no unit"
    if counts["in blocks"] != counts["words"]:
        return f"{counts['in blocks']} lines in blocks, {counts['words']} in the file"
    outside = [unit for unit in units if not 1 <= unit.start <= unit.end <= count]
    return f"{outside[0].start}-{outside[0].end} is outside of the file" if outside else ""


def measured(root: Path) -> tuple[dict[str, Counts], list[str]]:
    """Counts by language of what the views cover of a folder, and what is wrong."""
    from aoci_agent.base.files import Workspace
    from aoci_agent.base.git import Repository
    from aoci_agent.views.source import WorkTree

    found: dict[str, Counts] = {}
    wrong: list[str] = []
    with Workspace(root) as workspace:
        tree = WorkTree(workspace, Repository.find(workspace.root))
        tree.look()
        for path in tree.files:
            language, counts, said = measure(path, tree.read(path))
            found[language] = found.get(language, Counts()) + counts
            wrong += [f"{path}: {said}"] if said else []
    return found, wrong


def _row(language: str, counts: Counts) -> str:
    cells = [language, *(str(counts[name]) for name in COLUMNS[1:7])]
    cells += [f"{counts['in units'] / max(counts['text'], 1):.2%}"]
    cells += [f"{counts['in blocks'] / max(counts['words'], 1):.2%}", str(counts["problems"])]
    cells += [f"{counts['microseconds'] / 10 / max(counts['lines'], 1):.2f}"]
    return " ".join(f"{cell:>{WIDTH}}" for cell in cells)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table for each folder."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.units")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    paths: list[Path] = parser.parse_args(arguments).paths
    faults = 0
    for path in paths:
        try:
            found, wrong = measured(path)
        except ForUser as error:
            print(f"{error.message}\n{error.hint}", file=sys.stderr)
            return 1
        print(path.resolve().name)
        print(" ".join(f"{name:>{WIDTH}}" for name in COLUMNS))
        for language in sorted(found, key=lambda name: -found[name]["lines"]):
            print(_row(language, found[language]))
        print(_row("all", sum(found.values(), Counts())), flush=True)
        print("\n".join(wrong[:20]))
        faults += len(wrong)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
