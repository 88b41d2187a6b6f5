"""What git says of the files of a folder: which it tracks, which it ignores."""

from dataclasses import dataclass
from pathlib import Path

from aoci_agent.base.git import Repository


@dataclass(frozen=True, slots=True)
class Listing:
    """Files git tracks or would add, by path relative to the folder: True for tracked ones."""

    files: dict[str, bool]
    folders: frozenset[str]  # every folder such a file stands in; "" is the folder itself


def listed(repository: Repository, root: Path) -> Listing:
    """Ask git. Raises NotPossible."""
    under = root.relative_to(repository.root).as_posix()
    where = () if under == "." else ("--", under)
    options = ("-z", "-t", "--cached", "--others", "--exclude-standard")
    files: dict[str, bool] = {}
    folders = {""}
    for item in repository.git("ls-files", *options, *where).split("\0"):
        name = item[2:] if under == "." else item[2:].removeprefix(f"{under}/")
        if not name or name.endswith("/"):
            continue
        files[name] = item[0] != "?"
        folder = name.rpartition("/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return Listing(files, frozenset(folders))
