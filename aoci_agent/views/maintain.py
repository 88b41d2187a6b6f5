"""The views of one repository: loaded or built once, and in step with the files at every answer."""

import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from aoci_agent.base.errors import NotPossible
from aoci_agent.views import proofs
from aoci_agent.views.checked import Checked, Hit, checked
from aoci_agent.views.disk import Disk
from aoci_agent.views.generations import Generations
from aoci_agent.views.held import Factory, Held
from aoci_agent.views.ledger import Cost, Ledger
from aoci_agent.views.manifest import config_digest
from aoci_agent.views.model import Source, View
from aoci_agent.views.snapshot import delta_between
from aoci_agent.views.source import Counted, WorkTree

if TYPE_CHECKING:
    from aoci_agent.base.files import Workspace
    from aoci_agent.base.git import Repository

Progress = Callable[[str, int, int], None]  # what is being done, how many are done, of how many
FOLDER = "views"
WORTH_SAVING = 1.0  # seconds of updates
_ATTEMPTS = 3  # while files are changed under our hands


@dataclass(frozen=True, slots=True)
class Freshness:
    """What was done to be in step: paths that changed since the last time, and what stays behind.

    `behind` maps a view to why it answers from older files, or cannot answer. `notes` are for
    people, and each comes once.
    """

    changed: tuple[str, ...]
    seconds: float
    behind: Mapping[str, str]
    notes: tuple[str, ...] = ()


class RepositoryViews:
    """The views of one workspace, kept in `cache`/views.

    `with views.answering("lexical") as now: now.view("lexical").search(...)`. All methods may be
    called from any thread; a view got from here is used inside `answering` only.
    """

    def __init__(
        self,
        workspace: "Workspace",
        repository: "Repository | None",
        cache: Path,
        views: Mapping[str, Factory],
    ) -> None:
        """Nothing is read yet. `views` maps a name to what makes an empty view of that kind."""
        self.ledger = Ledger(cache / FOLDER)
        self.disk = Disk(Generations(cache / FOLDER), self._note)
        self._workspace = workspace
        self._repository = repository
        self._held = {name: Held(name, make) for name, make in views.items()}
        self._lock = threading.RLock()
        self.last = Freshness((), 0.0, {})  # what the last `fresh` did
        self._tree: WorkTree | None = None
        self._notes: list[str] = []
        self._said: set[str] = set()

    @property
    def held(self) -> Mapping[str, Held]:
        """Every view there can be, by name, with its state."""
        return self._held

    @property
    def tree(self) -> WorkTree:
        """The files as of the last `fresh`."""
        with self._lock:
            if self._tree is None:
                self._tree = WorkTree(self._workspace, self._repository, self.disk.open())
            return self._tree

    @contextmanager
    def answering(self, *names: str, progress: Progress | None = None) -> Generator[Self]:
        """In step and left alone by other threads meanwhile: the way to ask a view."""
        with self._lock:
            self.fresh(*names, progress=progress)
            yield self

    def fresh(self, *names: str, progress: Progress | None = None) -> Freshness:
        """Bring views (all, when none is named) in step with the files; load or build them first.

        Raises BadUsage when the repository's own rules about its files make no sense.
        """
        with self._lock:
            started = time.perf_counter()
            wanted = [self._held[name] for name in names or self._held]
            before = self.tree.files
            for _ in range(_ATTEMPTS):
                self._look(progress)
                self._bring(wanted, progress)
                self.tree.release()
                if not self.tree.moved:
                    break
                for held in wanted:  # what they read of these is not known
                    held.forget(self.tree.moved)
            delta = delta_between(before, self.tree.files)
            self.last = Freshness(
                changed=(*delta.touched, *delta.removed) if before else (),
                seconds=time.perf_counter() - started,
                behind={held.name: held.error for held in wanted if held.error},
                notes=self.take_notes(),
            )
            return self.last

    def view(self, name: str) -> View:
        """A view that can answer. Raises NotPossible with the reason where there is none."""
        held = self._held.get(name)
        if held is None or held.view is None:
            why = held.error if held is not None else "this session has none"
            raise NotPossible(f"the {name} view cannot answer: {why or 'it was not loaded'}")
        return held.view

    def has(self, name: str) -> bool:
        """Whether a view can answer."""
        return name in self._held and self._held[name].ready

    def checked(self, name: str, hits: Iterable[Hit]) -> list[Checked[Hit]]:
        """The hits of a view against the files at this very moment.

        One whose file is gone is left out; one whose file is not what the view read is not fresh,
        and is cut to the lines there are.
        """
        with self._lock:
            return checked(hits, self._held[name].files, self.tree)

    def asked(self, name: str, seconds: float) -> None:
        """Note what a query took, for the ledger."""
        with self._lock:
            self.ledger.note(Cost(name, "query", seconds))

    def rebuild(self, *names: str, progress: Progress | None = None) -> Freshness:
        """Derive views (all, when none is named) from nothing, and keep them."""
        with self._lock:
            self._look(progress)
            with self.disk.building(_waiting(progress)) as locked:
                for held in [self._held[name] for name in names or self._held]:
                    held.build(_counted(self.tree, held.name, progress))
                if locked:
                    self._save()
            return self.fresh(*names, progress=progress)

    def publish(self) -> bool:
        """Keep what the loaded views hold for later sessions; whether anything new was written.

        A disk that refuses is no error: the views go on in memory, and a note says so.
        """
        with self._lock:
            loaded = [name for name, held in self._held.items() if held.ready]
            if loaded:
                notes = self.fresh(*loaded).notes
                self._notes += notes
            written = False
            if any(held.ready and not held.saved for held in self._held.values()):
                with self.disk.building() as locked:
                    written = locked and self._save()
            self._write_ledger()
            return written

    def close(self) -> None:
        """Let go of everything on disk. What took over a second to derive is published before."""
        with self._lock:
            if sum(held.unsaved for held in self._held.values()) > WORTH_SAVING:
                self.publish()
            self._write_ledger()
            self.disk.close()

    def proof_of(self, held: Held) -> proofs.Proof | None:
        """What is known of a view's fast path here, as it is configured now."""
        proof = proofs.read(self.disk.generations.folder).get(held.name)
        if proof is None or held.view is None:
            return proof
        return proof if proof.config == config_digest(held.view.config) else None

    def _look(self, progress: Progress | None) -> None:
        self.tree.look(None if progress is None else partial(progress, "reading"))
        for finding in self.tree.findings:
            self._note(finding)

    def _bring(self, wanted: list[Held], progress: Progress | None) -> None:
        missing = [held for held in wanted if not held.ready and not self.disk.load(held)]
        missing = [held for held in missing if held.worth_building(self.tree.files)]
        if missing:
            with self.disk.building(_waiting(progress)) as locked:
                if locked and self.disk.renew():  # another process built while we waited
                    missing = [held for held in missing if not self.disk.load(held)]
                built = [held.build(_counted(self.tree, held.name, progress)) for held in missing]
                if locked and any(built):
                    self._save()
        for held in wanted:
            if held.ready and not held.follow(self.tree, proved=self._is_proved(held)):
                self._fall_back(held)
            self.ledger.new += held.costs
            held.costs.clear()
            if held.remark:
                self._note(held.remark)
                held.remark = ""

    def _is_proved(self, held: Held) -> bool:
        proof = self.proof_of(held)
        return proof is None or proof.holds

    def _fall_back(self, held: Held) -> None:
        """Answer from the last generation where nothing newer can be had."""
        why = held.error
        if not held.ready:
            self.disk.load(held)
        held.error = why

    def _save(self) -> bool:
        commit, dirty = "", True
        if self._repository is not None:
            try:
                commit, dirty = self._repository.head(), self._repository.is_dirty()
            except NotPossible as error:
                self._note(str(error))
        return self.disk.save(list(self._held.values()), self.tree, commit, dirty=dirty)

    def _write_ledger(self) -> None:
        try:
            self.ledger.write()
        except OSError as error:
            self.disk.refused(error)

    def _note(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._notes.append(text)

    def take_notes(self) -> tuple[str, ...]:
        """What is to be said to people and was not yet."""
        notes, self._notes = tuple(self._notes), []
        return notes


def _counted(source: Source, what: str, progress: Progress | None) -> Source:
    return source if progress is None else Counted(source, partial(progress, what))


def _waiting(progress: Progress | None) -> Callable[[], None] | None:
    return None if progress is None else lambda: progress("waiting for another build", 0, 0)
