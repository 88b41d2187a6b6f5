"""Taking the project's own source out of a prepared environment: it may be of a later base than that
of a cell that reads here, and each cell brings its own tree.

An installation of the project goes, but for its metadata, and what an editable one led to is told,
relative to the tree: cells put that on PYTHONPATH. What cannot be replaced so is refused.
"""

import ast
import csv
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

from aoci_agent.base.errors import NotPossible

TREE = "tree"
CARRIED = ("node_modules", "vendor/bundle")
FOLDER = "AOCI_REPLAY_ENV"  # tells a set-up command of the user's own where its folder is
_MAPPING = re.compile(r"^MAPPING\b[^=]*= *(\{.*\})$", re.MULTILINE)  # of setuptools


def without_source(folder: Path) -> list[str]:
    """Strip the tree of an environment, and say where Python is to find the project in another one.

    Raises NotPossible, with the way out, where something would lead into the stripped tree.
    """
    tree = (folder / TREE).resolve()
    roots: dict[str, None] = {}
    venv = next(tree.glob("*/pyvenv.cfg"), None)
    left = f"it makes the venv {venv.parent.name} in the work tree" if venv else ""
    for site in (
        *folder.glob("lib/python*/site-packages"),
        *folder.glob("*/lib/python*/site-packages"),
    ):
        roots |= dict.fromkeys(_roots(site, tree))
        for told in site.glob("*.dist-info/direct_url.json"):
            if tree.as_uri() in told.read_text("utf-8"):
                _uninstall(told.parent)
        links = (path.name for path in _links(site) if str(tree) in _text(path))
        left = left or next((f"{name} leads into the work tree" for name in links), "")
    _strip(tree)
    if left:
        raise NotPossible(
            f"set-up: {left}, which cells do not have: "
            f"python -m venv ${FOLDER}/venv && pip install -e ."
        )
    return list(roots)


def _strip(tree: Path) -> None:
    for item in tree.iterdir():
        if not item.is_dir() or item.is_symlink():
            item.unlink()
        elif all(name.split("/")[0] != item.name for name in CARRIED):
            shutil.rmtree(item)


def _roots(site: Path, tree: Path) -> Iterator[str]:
    """Folders of the tree from which an editable installation lets its packages be imported."""
    for path in _links(site):
        text = _text(path)
        mapping = _MAPPING.search(text)
        found = [Path(line) for line in text.splitlines() if line.startswith("/")]
        if mapping is not None:
            with suppress(ValueError, SyntaxError):
                packages = cast("dict[str, str]", ast.literal_eval(mapping[1]))
                found = [Path(place).parent for place in packages.values()]
        for place in found:
            if place.is_relative_to(tree):
                yield place.relative_to(tree).as_posix()


def _links(site: Path) -> list[Path]:
    """What may send Python's imports elsewhere."""
    patterns = ("*.pth", "*.egg-link", "__editable___*.py")
    return sorted(path for pattern in patterns for path in site.glob(pattern))


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace")


def _uninstall(metadata: Path) -> None:
    site = metadata.parent
    with (metadata / "RECORD").open(encoding="utf-8", newline="") as file:
        paths = [site / row[0] for row in csv.reader(file) if row]
    for path in paths:
        if path.is_relative_to(site) and ".." not in path.parts and metadata not in path.parents:
            path.unlink(missing_ok=True)
