"""Which files of a workspace the views cover, asked of git only when the answer can have changed."""

from typing import TYPE_CHECKING

from aoci_agent.aoci.project import FILE, IGNORE_FILE, Project, project_of
from aoci_agent.aoci.roles import SKIPPED_DIRECTORIES, projects_of_others, role_of
from aoci_agent.aoci.scan import Listing, by_role, listing
from aoci_agent.base.errors import BadUsage, NotPossible
from aoci_agent.base.stamps import Stamps, same, stamp_of
from aoci_agent.views.snapshot import Folders

if TYPE_CHECKING:
    from aoci_agent.base.files import Workspace
    from aoci_agent.base.git import Repository

_FEW = 100  # files asked about by name
# Nothing below these is ever covered, whatever the repository asks for.
_NEVER = frozenset(
    name for name in SKIPPED_DIRECTORIES if role_of(f"{name}/x.py")[1] == "agent state"
)


class Names:
    """The listing of one workspace, kept while nothing that decides it moved.

    What decides: the names in its folders, every .gitignore, the two files of rules in the
    repository, and what git itself goes by (`Repository.deciding`).
    """

    def __init__(self, workspace: "Workspace", repository: "Repository | None") -> None:
        self._workspace = workspace
        self._repository = repository
        self._root = workspace.root
        self._project: Project | None = None
        self._rules: Stamps = ()
        self._deciding: Stamps = ()
        self._folders = Folders(str(self._root), _NEVER)
        self._last: Listing | None = None
        self.problem = ""  # of the repository's rules, for people

    def listed(self) -> Listing | None:
        """A new listing (what is indexed, and findings), None when the last one still holds.

        Where nothing but plain files came or went, git is asked about those that came alone.
        Raises BadUsage for rules that make no sense the first time; later the last good ones stay
        in force and `problem` says so.
        """
        project = self._current_rules()
        git = self._repository
        deciding = git.deciding(self._root) if git is not None else ()
        moved = self._folders.moved()  # asked in any case: it remembers
        held = project is self._project and same(deciding, self._deciding)
        if self._last is not None and held and not moved:
            return None
        self._project, self._deciding = project, deciding
        followed = self._followed(project) if held else None
        self._last = None  # what is not listed to the end is listed again
        self._last = followed or listing(self._workspace, self._repository, project)
        return self._last

    def _followed(self, project: Project) -> Listing | None:
        """The last listing with the files that came or went since, None where that is not all."""
        last, files = self._last, self._folders.files
        if last is None or last.walked or files is None or self._repository is None:
            return None
        came, went = files
        shown = all(path.isprintable() for path in (*came, *went))
        if len(came) > _FEW or not shown or projects_of_others((*came, *went)):
            return None
        found = Listing(findings=last.findings, others=last.others)
        if came:
            try:
                paths, submodules = self._repository.listed(self._root, came)
            except NotPossible:
                return None
            if submodules:
                return None
            by_role(paths, project, found)
        found.indexed = sorted({*last.indexed, *found.indexed}.difference(went))
        return found

    def _current_rules(self) -> Project:
        rules = tuple(stamp_of(self._root / name) for name in (FILE, IGNORE_FILE))
        if self._project is not None and same(rules, self._rules):
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
