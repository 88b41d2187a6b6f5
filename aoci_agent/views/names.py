"""Which files of a workspace the views cover, asked of git only when the answer can have changed."""

from typing import TYPE_CHECKING

from aoci_agent.aoci.project import FILE, IGNORE_FILE, Project, project_of
from aoci_agent.aoci.roles import SKIPPED_DIRECTORIES, role_of
from aoci_agent.aoci.scan import Listing, listing
from aoci_agent.base.errors import BadUsage
from aoci_agent.views.snapshot import Folders, Stamp, stamp_of

if TYPE_CHECKING:
    from pathlib import Path

    from aoci_agent.base.files import Workspace
    from aoci_agent.base.git import Repository

Stamps = tuple[Stamp | None, ...]
# Nothing below these is ever covered, whatever the repository asks for.
_NEVER = frozenset(
    name for name in SKIPPED_DIRECTORIES if role_of(f"{name}/x.py")[1] == "agent state"
)


class Names:
    """The listing of one workspace, kept while nothing that decides it moved.

    What decides: the names in its folders, every .gitignore, the two files of rules in the
    repository, and git's own index and excludes.
    """

    def __init__(self, workspace: "Workspace", repository: "Repository | None") -> None:
        self._workspace = workspace
        self._repository = repository
        self._root = workspace.root
        self._project: Project | None = None
        self._rules: Stamps = ()
        self._deciding: Stamps = ()
        self._folders = Folders(str(self._root), _NEVER)
        self.problem = ""  # of the repository's rules, for people

    def listed(self) -> Listing | None:
        """A new listing, None when the last one still holds.

        Raises BadUsage for rules that make no sense the first time; later the last good ones stay
        in force and `problem` says so.
        """
        project = self._current_rules()
        deciding = tuple(map(stamp_of, self._deciding_files()))
        moved = self._folders.moved()  # asked in any case: it remembers
        if not moved and project is self._project and _same(deciding, self._deciding):
            return None
        self._project, self._deciding = project, deciding
        return listing(self._workspace, self._repository, project)

    def _current_rules(self) -> Project:
        rules = tuple(stamp_of(self._root / name) for name in (FILE, IGNORE_FILE))
        if self._project is not None and _same(rules, self._rules):
            return self._project
        try:
            project, self.problem = project_of(self._workspace), ""
        except BadUsage as error:
            if self._project is None:
                raise
            project = self._project
            self.problem = f"{error.message}: the rules before it stay in force"
        self._rules = rules
        return project

    def _deciding_files(self) -> "list[Path]":
        if self._repository is None:
            return []
        found = list(self._repository.deciding())
        for folder in self._root.parents:  # where the workspace is a folder inside a repository
            if folder.is_relative_to(self._repository.root):
                found.append(folder / ".gitignore")
        return found


def _same(stamps: Stamps, before: Stamps) -> bool:
    """Whether nothing moved; a stamp that cannot be trusted is never the same."""
    return stamps == before and None not in stamps
