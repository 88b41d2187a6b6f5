"""Which files the index covers: every text file that says something of its own."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from aoci_agent.aoci.project import Project
from aoci_agent.aoci.roles import SKIPPED_DIRECTORIES, Role, is_below, projects_of_others
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.files import Workspace

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from aoci_agent.base.git import Repository

MAX_BYTES = 1_000_000
MAX_WALKED = 200_000

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass
class Listing:
    """The files of a workspace by role; paths relative to it, forward slashes, sorted."""

    indexed: list[str] = field(default_factory=list[str])
    folded: list[str] = field(default_factory=list[str])
    left_out: dict[str, int] = field(default_factory=dict[str, int])  # reason -> files
    findings: list[str] = field(default_factory=list[str])
    others: frozenset[str] = frozenset()  # folders that hold projects of others
    walked: bool = False  # without git


def listing(workspace: Workspace, repository: "Repository | None", project: Project) -> Listing:
    """Every file of the workspace by role: git's view where there is one, else a bounded walk."""
    result = Listing()
    return by_role(_paths(workspace, repository, result), project, result)


def by_role(paths: Iterable[str], project: Project, result: Listing) -> Listing:
    """The same for paths listed elsewhere, such as a commit's; `result` is filled and returned."""
    paths = list(paths)
    others = result.others = result.others | projects_of_others(paths)
    for path in paths:
        if _UNPRINTABLE.search(path):
            shown = path.encode("utf-8", "backslashreplace").decode()
            result.findings.append(f"{shown!r}: a name that cannot stand on one line, left out")
            continue
        role, reason = project.role(path)
        if reason == "" and is_below(path, others) and not project.wants(path):
            role, reason = Role.EXCLUDE, "vendored"
        if role is Role.INDEX:
            result.indexed.append(path)
        elif role is Role.FOLD:
            result.folded.append(path)
        elif reason != "agent state":  # its files come and go with the index itself
            result.left_out[reason] = result.left_out.get(reason, 0) + 1
    result.indexed.sort()
    result.folded.sort()
    return result


def _paths(workspace: Workspace, repository: "Repository | None", result: Listing) -> Iterator[str]:
    if repository is not None:
        try:
            paths, gitlinks = repository.listed(workspace.root)
            if gitlinks:
                noun = "submodule is" if len(gitlinks) == 1 else "submodules are"
                result.findings.append(f"{len(gitlinks)} {noun} not indexed: {', '.join(gitlinks)}")
            return iter(paths)
        except NotPossible as error:  # a damaged repository still has files
            result.findings.append(f"git cannot list the files ({error}): listed without it")
    return _walk(workspace.root, result)


def _walk(root: Path, result: Listing) -> Iterator[str]:
    """Regular files below the root, links not followed, ignored ones skipped."""
    result.walked = True
    ignored = _Ignore(root)
    visited: set[tuple[int, int]] = set()
    pending = [""]
    seen = 0
    while pending:
        directory = pending.pop()
        ignored.enter(directory)
        try:
            with os.scandir(root / directory) as listed:
                found = sorted(listed, key=lambda item: item.name)
        except OSError as error:
            result.findings.append(f"{directory or '.'}: cannot be listed ({error.strerror})")
            continue
        for item in found:
            path = f"{directory}/{item.name}" if directory else item.name
            if item.is_dir(follow_symlinks=False):
                status = item.stat(follow_symlinks=False)
                new = (status.st_dev, status.st_ino) not in visited
                visited.add((status.st_dev, status.st_ino))
                if new and item.name not in SKIPPED_DIRECTORIES and not ignored(f"{path}/"):
                    pending.append(path)
            elif item.is_file(follow_symlinks=False) and not ignored(path):
                seen += 1
                yield path
        if seen > MAX_WALKED:
            result.findings.append(f"more than {MAX_WALKED} files: the rest is not indexed")
            return


class _Ignore:
    """`.gitignore` files, each for its own folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._specs: list[tuple[str, GitIgnoreSpec]] = []

    def enter(self, directory: str) -> None:
        try:
            lines = (self._root / directory / ".gitignore").read_text("utf-8", "replace")
        except OSError:
            return
        from pathspec import GitIgnoreSpec

        prefix = f"{directory}/" if directory else ""
        self._specs.append((prefix, GitIgnoreSpec.from_lines(lines.splitlines())))

    def __call__(self, path: str) -> bool:
        return any(
            path.startswith(prefix) and spec.match_file(path[len(prefix) :])
            for prefix, spec in self._specs
        )
