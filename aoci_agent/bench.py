"""A repository opened for work, without anything of a session: what every command starts from."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from aoci_agent.aoci.render import Rendered, render
from aoci_agent.aoci.store import IndexStore
from aoci_agent.base.errors import BadWorkspace
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places, home_of
from aoci_agent.config import Settings

Progress = Callable[[int, int], None]


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


class Bench:
    """A repository opened for work: confined files, hardened git, and the index kept by content hash."""

    def __init__(self, launch: Launch) -> None:
        root = work_root(launch.root)
        self.workspace = Workspace(root)
        self.repository = Repository.find(root)
        self.cache = launch.places.cache / launch.places.project(root)
        self.store = IndexStore(self.workspace, self.repository, self.cache)

    def index(
        self, budget: int, progress: Progress | None = None, *, tags: bool = True
    ) -> Rendered:
        """The index of the present files within `budget` tokens, brought in step without writing into the repository."""
        self.store.follow(progress)
        return render(self.store.current, budget, tags=tags)

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
