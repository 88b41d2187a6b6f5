"""Names close to one that does not exist."""

import difflib
from collections.abc import Sequence
from pathlib import PurePosixPath


def near_paths(path: str, files: Sequence[str], limit: int = 3) -> list[str]:
    """Paths a model may have meant: another case, the same name elsewhere, a close spelling."""
    lower = path.lower()
    name = PurePosixPath(lower).name
    found = [file for file in files if file.lower() == lower]
    found += [file for file in files if PurePosixPath(file.lower()).name == name]
    if len(found) < limit:
        found += difflib.get_close_matches(path, files[:20_000], n=limit, cutoff=0.75)
    return list(dict.fromkeys(found))[:limit]


def did_you_mean(path: str, files: Sequence[str]) -> str:
    """A sentence with the near names, or "" when there are none."""
    near = near_paths(path, files)
    return f" Did you mean {' or '.join(near)}?" if near else ""
