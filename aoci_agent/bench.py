"""A repository opened for work, without anything of a session: what every command starts from."""

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from aoci_agent.agent.folder_trust import FolderTrust
from aoci_agent.aoci.basis import Bases
from aoci_agent.aoci.render import Rendered
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.box import Box, Furnished, Unboxed
from aoci_agent.base.errors import BadWorkspace, ForModel
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places, home_of
from aoci_agent.base.sandbox.ladder import open_box
from aoci_agent.base.trust import deciding, fingerprint
from aoci_agent.base.trust_store import TrustStore
from aoci_agent.config import Settings

if TYPE_CHECKING:
    from aoci_agent.tools.lookups import Lookups
    from aoci_agent.views.maintain import Progress as ViewProgress, RepositoryViews
    from aoci_agent.views.navigate.live import LiveNavigator
    from aoci_agent.views.navigate.repository import Beside
    from aoci_agent.views.retrieve.material import Judge

Progress = Callable[[int, int], None]
PREPARING = 900.0  # seconds after which views that are prepared behind the screen are given up
_PLACES = ("AOCI_AGENT_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


@dataclass(frozen=True, slots=True)
class Launch:
    """What the front door decided: where, with which settings, and what is kept."""

    root: Path
    settings: Settings
    places: Places
    env: Mapping[str, str]
    keep_record: bool = True
    record_to: Path | None = None  # --record-responses
    replay_from: Path | None = None  # --fake-responses
    pace: float = 0.0  # seconds between the pieces of a replayed reply
    resume: Path | None = None  # the record of the session to go on with
    trust: bool = False  # --trust
    attended: bool = True  # somebody is there to answer questions
    no_sandbox: bool = False  # --dangerously-no-sandbox: never from settings
    worktree: bool = False  # --worktree
    folder: Path | None = None  # the person's own, where `root` is a worktree of it
    readable: tuple[Path, ...] = ()  # folders beside the repository that commands may read
    hidden: tuple[Path, ...] = ()  # folders that commands may not look into
    variables: Mapping[str, str] = field(default_factory=dict[str, str])  # for commands
    chosen: frozenset[str] = frozenset()  # settings of the command line: they win over the record


class Bench:
    """A repository opened for work: confined files, hardened git, and the index kept by content hash."""

    def __init__(self, launch: Launch) -> None:
        root = work_root(launch.root)
        self.workspace = Workspace(root)
        self.repository = Repository.find(root)
        self.cache = launch.places.cache / launch.places.project(root)
        self.store = IndexStore(self.workspace, self.repository, self.cache)
        self.bases = Bases(self.cache)
        self.spill = self.cache / "output"  # of long outputs: commands may read it
        self.launch = launch
        self._live: LiveNavigator | None = None

    def index(
        self, budget: int, progress: Progress | None = None, *, tags: bool = True
    ) -> Rendered:
        """The index of the present files within `budget` tokens, brought in step without writing into the repository."""
        self.store.follow(progress)
        return self.rendered(budget, tags=tags)

    def rendered(self, budget: int, *, tags: bool = True) -> Rendered:
        """The index as it is, as prompt text: on the base of an earlier session while that is warm."""
        return self.bases.shown(self.store.current, budget, tags=tags)

    @cached_property
    def trust(self) -> FolderTrust:
        """What the person decided about the folder, for what is there now."""
        servers = self.launch.settings.navigation != "static"
        return FolderTrust(
            TrustStore(self.launch.places.data / "trust.json"),
            self.launch.folder or self.workspace.root,
            fingerprint(self.workspace.root, self.repository),
            deciding(servers=servers),
            flag=self.launch.trust,
        )

    @property
    def trusted(self) -> bool:
        """Whether the folder may run and configure things now: where nobody sits, only by --trust."""
        return self.launch.trust or (self.launch.attended and self.trust.trust.given)

    @cached_property
    def box(self) -> Box:
        """What commands and language servers run in; tried when it is asked for the first time."""
        launch, places = self.launch, self.launch.places
        if launch.no_sandbox:
            box: Box = Unboxed("--dangerously-no-sandbox")
        else:
            own = (places.config, places.data, places.cache, *launch.hidden)
            readable = (self.spill, *launch.readable)
            box = open_box(self.workspace.root, own, self.cache, launch.env, readable)
        return Furnished(box, launch.variables) if launch.variables else box

    @cached_property
    def views(self) -> "RepositoryViews":
        """The derived views; nothing of them is read yet."""
        from aoci_agent.views.maintain import RepositoryViews
        from aoci_agent.views.standard import standard_views

        made = standard_views(self.cache)
        return RepositoryViews(self.workspace, self.repository, self.cache, made)

    def lookups(
        self, judge: "Judge | None" = None, progress: "ViewProgress | None" = None
    ) -> "Lookups":
        """Search and navigation over the views; who answers where names lead is the user's setting."""
        from aoci_agent.tools.lookups import Lookups

        return Lookups(self.workspace, self.views, self.store, self._beside(), judge, progress)

    def _beside(self) -> "Beside | None":
        """The language servers, where the setting wants them and the folder is trusted."""
        wanted = self.launch.settings.navigation
        if wanted == "static" or not self.trusted:
            return None
        from aoci_agent.views.navigate.policy import Policy
        from aoci_agent.views.navigate.repository import Beside

        policy = Policy(wanted)
        root, views = self.workspace.root, self.views
        beside = Beside(root, self.cache, policy, lambda: views.tree.files, self.box)
        self._live = beside.live
        return beside

    async def prepare(self) -> None:
        """Derive the views in a process of its own, so that the first question finds them.

        Nothing waits for it: a question that comes earlier takes what is there, or waits for the
        views it needs. What fails here is said when it is asked for.
        """
        from aoci_agent.base.process import Limits, run

        env = self.launch.env
        command = [sys.executable, "-I", "-m", "aoci_agent", "views", "build"]
        with contextlib.suppress(ForModel):
            await run(
                [*command, "--cwd", str(self.workspace.root)],
                cwd=self.workspace.root,
                limits=Limits(seconds=PREPARING),
                env={name: env[name] for name in _PLACES if name in env},
            )

    def close(self) -> None:
        """Keep what was derived for later sessions, and end what was started."""
        self.bases.close()
        if self._live is not None:
            self._live.close()
        if "views" in vars(self):
            self.views.publish()
            self.views.close()

    @property
    def commit(self) -> str:
        """HEAD, or "" without git."""
        return self.repository.head() if self.repository else ""


def work_root(folder: Path) -> Path:
    """The folder to work in. Raises BadWorkspace for a missing one, `/` and the home directory."""
    way_out = "start in a repository, or pass --cwd DIR"
    try:
        root = folder.expanduser().resolve()
        usable = root.is_dir()
    except (OSError, RuntimeError, ValueError) as error:  # no such user, too long, deleted
        raise BadWorkspace(f"{folder} is not a folder", way_out) from error
    if not usable:
        raise BadWorkspace(f"{folder} is not a folder", way_out)
    if root in (Path("/"), home_of(os.environ)):
        raise BadWorkspace(f"{root} is too broad to work in", way_out)
    return root
