"""What clangd needs to know of a C or C++ repository, kept outside of it.

clangd writes its index beside the compile_commands.json it uses; given a folder of ours, it leaves the
repository alone. Where the repository has none, every source is compiled with the folders of its headers.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from aoci_agent.base.files import atomic_write

_SOURCES = frozenset((".c", ".cc", ".cpp", ".cxx"))
_HEADERS = frozenset((".h", ".hh", ".hpp", ".hxx"))
_PLACES = ("compile_commands.json", "build/compile_commands.json")
_MOST_FOLDERS = 40
_MOST_BYTES = 50_000_000


def prepare(root: Path, folder: Path, files: Sequence[str]) -> Path:
    """Write `folder`/compile_commands.json: the repository's own if it has one, else a plain one."""
    data = _own(root)
    if data is None:
        data = json.dumps(_plain(root, files)).encode("utf-8", "surrogateescape")
    target = folder / "compile_commands.json"
    if not target.is_file() or target.read_bytes() != data:
        atomic_write(target, data)
    return folder


def _own(root: Path) -> bytes | None:
    for name in _PLACES:
        place = root / name
        try:
            if not place.is_file() or place.stat().st_size > _MOST_BYTES:
                continue
            data = place.read_bytes()
            if isinstance(json.loads(data), list):
                return data
        except (OSError, ValueError):
            continue
    return None


def _plain(root: Path, files: Sequence[str]) -> list[dict[str, object]]:
    """One command for every source: the folders that hold headers, the fullest first."""
    headers = Counter(
        str(PurePosixPath(path).parent) for path in files if _ending(path) in _HEADERS
    )
    folders = [folder for folder, _ in headers.most_common(_MOST_FOLDERS)]
    own = _flags(root)
    flags = own or ["-I.", *(f"-I{folder}" for folder in folders if folder != ".")]
    return [
        {"directory": str(root), "file": path, "arguments": [_compiler(path), *flags, path]}
        for path in files
        if _ending(path) in _SOURCES
    ]


def _flags(root: Path) -> list[str]:
    """The lines of the repository's compile_flags.txt."""
    place = root / "compile_flags.txt"
    try:
        text = place.read_text(encoding="utf-8") if place.is_file() else ""
    except (OSError, UnicodeDecodeError):
        return []
    return [flag for line in text.splitlines() if (flag := line.strip())]


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix


def _compiler(path: str) -> str:
    return "cc" if path.endswith(".c") else "c++"
