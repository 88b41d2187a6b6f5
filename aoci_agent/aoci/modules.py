"""B, the business module: a directory that groups files, under a code of two letters."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from aoci_agent.aoci.wordset import wordset

MAX_SHARE = 0.08
MIN_FILES = 4
MIN_SHARE = 0.01
_DULL = wordset(
    "src app apps lib libs pkg packages internal main java python web www server client modules features"
    " components pages core common"
)


def modules_of(paths: Sequence[str], known: Mapping[str, str]) -> dict[str, str]:
    """Directory -> code. `known` (directory -> code, from the lock) is kept where still in use."""
    folders = sorted(_split(paths))
    codes: dict[str, str] = {}
    for folder in folders:  # two branches may have given one code to two folders
        if folder in known and known[folder] not in codes.values():
            codes[folder] = known[folder]
    for folder in folders:
        if folder not in codes:
            codes[folder] = _code(folder, set(codes.values()))
    return {folder: codes[folder] for folder in folders}


def module_of(path: str, modules: Mapping[str, str]) -> str:
    """The code of the nearest module directory above a file."""
    folder = path.rpartition("/")[0]
    while folder and folder not in modules:
        folder = folder.rpartition("/")[0]
    return modules.get(folder or ".", "Rt")


def _split(paths: Iterable[str]) -> set[str]:
    """Directories small enough to name a module: large ones are divided into their children."""
    total: Counter[str] = Counter()
    children: dict[str, set[str]] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder:
            above = folder.rpartition("/")[0]
            total[folder] += 1
            children.setdefault(above or ".", set()).add(folder)
            folder = above
        total["."] += 1
    limit = max(MIN_FILES * 3, total["."] * MAX_SHARE)
    least = max(MIN_FILES, total["."] * MIN_SHARE)
    chosen: set[str] = {"."}
    pending = ["."]
    while pending:
        folder = pending.pop()
        for child in sorted(children.get(folder, ())):
            inner = children.get(child, set())
            if total[child] > limit and inner:
                pending.append(child)
                own = total[child] - sum(total[folder] for folder in inner)
                if own or len(inner) > 1:  # `src/main/java/org` is one step, not four modules
                    chosen.add(child)
            elif total[child] >= least:
                chosen.add(child)
    return chosen


def _code(folder: str, taken: set[str]) -> str:
    """Two letters from the directory's own name, then from its parents', else any free pair."""
    if folder == ".":
        return "Rt"
    parts = list(reversed(PurePosixPath(folder).parts))
    names = [part for part in parts if part.lower() not in _DULL] + parts
    for name in names:
        letters = [letter for letter in name.lower() if "a" <= letter <= "z"]
        for position, first in enumerate(letters):
            for second in letters[position + 1 :]:
                if (code := first.upper() + second) not in taken and code != "Rt":
                    return code
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    pairs = (a.upper() + b for a in alphabet for b in alphabet)
    return next((pair for pair in pairs if pair not in taken), "Zz")
