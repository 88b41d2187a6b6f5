"""The views of one repository as they are kept on disk: taken from there, and written there."""

import json
import os
import shutil
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from aoci_agent.base.regular import closing
from aoci_agent.views import snapshot
from aoci_agent.views.generations import Generation, Generations, artifacts_in
from aoci_agent.views.held import Held
from aoci_agent.views.manifest import Manifest, ViewRecord
from aoci_agent.views.snapshot import Seen, fingerprint
from aoci_agent.views.source import WorkTree

_STATS = "stats.json"


class Disk:
    """The generation in use, and the way to a newer one.

    What the disk refuses is told through `note` and costs nothing but time: everything works in
    memory as well.
    """

    def __init__(self, generations: Generations, note: Callable[[str], None]) -> None:
        self.generations = generations
        self.manifest: Manifest | None = None
        self._note = note
        self._generation: Generation | None = None
        self._older: list[Generation] = []  # that loaded views may still read from

    def open(self) -> dict[str, Seen]:
        """Take hold of the newest generation; what it knows of the files, if there is one."""
        self.renew()
        if self._generation is None:
            return {}
        try:
            return snapshot.load((self._generation.folder / _STATS).read_bytes())
        except (OSError, ValueError) as error:
            self._note(f"what was known of the files is damaged, all are read again ({error})")
            return {}

    def renew(self) -> bool:
        """Go over to the newest generation; whether it is another one than before."""
        found = self._newest()
        if found is None:
            return False
        self.manifest, generation = found
        before = self._generation
        if before is not None and before.id == generation.id:
            generation.close()
            return False
        self._go_over_to(generation)
        return True

    def load(self, held: Held) -> bool:
        """Load a view from the generation in use, with the files it was derived from."""
        record = self.manifest.views.get(held.name) if self.manifest is not None else None
        if record is None or self._generation is None or not record.artifacts:
            return False
        folder = self._generation.folder
        try:
            files = _files_of(folder, self.manifest, record.source)
        except (OSError, ValueError) as error:
            self._note(
                f"the {held.name} view is built anew: what it was built of is lost ({error})"
            )
            return False
        if held.load(record, folder / held.name, files):
            return True
        if held.error:
            self._note(f"the {held.name} view is built anew: {held.error}")
        return False

    @contextmanager
    def building(self, waiting: Callable[[], None] | None = None) -> Generator[bool]:
        """Be the only builder, waiting for another; gives False where the disk refuses."""
        try:
            lock = self.generations.build_lock(waiting)
        except OSError as error:
            self.refused(error)
            yield False
            return
        with closing(lock):
            yield True

    def save(self, views: Collection[Held], tree: WorkTree, commit: str, *, dirty: bool) -> bool:
        """Write a generation: what moved is saved, the rest is taken over from the newest one."""
        try:
            generation = self.generations.new()
        except OSError as error:
            self.refused(error)
            return False
        try:
            self.renew()
            manifest = self._filled(generation, views, tree, (commit, dirty))
            self.generations.swap(manifest)
        except (OSError, ValueError) as error:
            self.generations.drop(generation)
            self.refused(error)
            return False
        for held in views:
            if held.ready and manifest.views[held.name].artifacts:
                held.saved, held.unsaved = generation.id, 0.0
        self.manifest = manifest
        self._go_over_to(generation)
        self._let_go({held.origin for held in views})
        self.generations.sweep(generation.id)
        return True

    def close(self) -> None:
        """Let go of the generations in use, and remove what nobody else uses of the older ones."""
        replaced = bool(self._older)
        self._let_go(set())
        if self._generation is not None:
            self._generation.close()
            self._generation = None
        if replaced:
            with suppress(OSError, ValueError):
                lock = self.generations.build_lock(limit=0)
                with closing(lock):
                    newest = self.generations.manifest()
                    self.generations.sweep(newest.generation if newest is not None else "")

    def _go_over_to(self, generation: Generation) -> None:
        if self._generation is not None:
            self._older.append(self._generation)
        self._generation = generation

    def _let_go(self, used: Collection[str]) -> None:
        """Of all older generations but those a view was loaded from."""
        for generation in self._older:
            if generation.id not in used:
                generation.close()
        self._older = [generation for generation in self._older if generation.id in used]

    def _filled(
        self,
        generation: Generation,
        views: Collection[Held],
        tree: WorkTree,
        of: tuple[str, bool],
    ) -> Manifest:
        commit, dirty = of
        source = fingerprint(tree.files)
        records: dict[str, ViewRecord] = {}
        for held in views:
            folder = generation.folder / held.name
            folder.mkdir(mode=0o700)
            old = self.manifest.views.get(held.name) if self.manifest is not None else None
            record = None
            if old is not None and old.artifacts and (held.saved or not held.ready):
                record = self._taken_over(held, old, generation.folder, source)
            if record is None and held.ready:
                record = self._written(held, folder, source)
                _keep_files(generation.folder, record.source, held.files, source)
            state = "failed" if held.error else "absent"
            records[held.name] = record or ViewRecord(state, error=held.error)
        (generation.folder / _STATS).write_bytes(snapshot.dump(tree.seen))
        return Manifest(
            generation.id, commit, source if dirty else "", len(tree.files), source, records
        )

    def _written(self, held: Held, folder: Path, source: str) -> ViewRecord:
        try:
            return _saved(held, folder, source)
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - the others are worth keeping
            why = f"it cannot be saved: {type(error).__name__}: {error}"[:300]
            self._note(f"the {held.name} view is in memory only: {why}")
            _emptied(folder)
            return ViewRecord("failed", source=fingerprint(held.files), error=why)

    def _taken_over(
        self, held: Held, old: ViewRecord, folder: Path, source: str
    ) -> ViewRecord | None:
        """A view that did not move: its files linked, or copied, from the generation in use.

        None when they are not there any more.
        """
        assert self._generation is not None
        try:
            files = _files_of(self._generation.folder, self.manifest, old.source)
            for name in old.artifacts:
                _link(self._generation.folder / held.name / name, folder / held.name / name)
        except (FileNotFoundError, ValueError) as error:
            self._note(f"what was kept of the {held.name} view is damaged ({error})")
            _emptied(folder / held.name)
            return None
        _keep_files(folder, old.source, files, source)
        status = "failed" if held.error else "fresh" if old.source == source else "stale"
        return ViewRecord(
            status, old.config, old.source, old.artifacts, old.counts, old.seconds, held.error
        )

    def _newest(self) -> tuple[Manifest, Generation] | None:
        try:
            return self.generations.newest()
        except ValueError as error:
            self._note(f"the manifest of the views is damaged, they are built anew ({error})")
        except OSError as error:
            self._note(f"the views kept cannot be read ({error})")
        return None

    def refused(self, error: Exception) -> None:
        """Say, once, that the disk does not take what is derived."""
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        self._note(f"the views are kept in memory only: {self.generations.folder}: {why}")


def _saved(held: Held, folder: Path, source: str) -> ViewRecord:
    view = held.view
    assert view is not None
    view.save(folder)
    of = fingerprint(held.files)
    return ViewRecord(
        status="failed" if held.error else "fresh" if of == source else "stale",
        config=dict(view.config),
        source=of,
        artifacts=artifacts_in(folder),
        counts=dict(view.counts),
        seconds=held.seconds,
        error=held.error,
    )


def _keep_files(folder: Path, of: str, files: Mapping[str, str], source: str) -> None:
    """Keep what a view was derived from, unless the generation's own stat cache tells it."""
    if of != source:
        data = json.dumps(dict(files), separators=(",", ":")).encode()
        (folder / f"files-{of}.json").write_bytes(data)


def _files_of(folder: Path, manifest: Manifest | None, source: str) -> Mapping[str, str]:
    """Path -> content id of a fingerprint. Raises OSError, ValueError."""
    if manifest is not None and manifest.source == source:
        seen = snapshot.load((folder / _STATS).read_bytes())
        files = {path: item.content for path, item in seen.items() if item.content}
    else:
        value: Any = json.loads((folder / f"files-{source}.json").read_bytes())
        if not isinstance(value, dict):
            raise ValueError("no list of files")
        files = {str(path): str(of) for path, of in cast("dict[Any, Any]", value).items()}
    if fingerprint(files) != source:
        raise ValueError("another list of files")
    return dict(sorted(files.items()))


def _link(old: Path, new: Path) -> None:
    try:
        os.link(old, new)
    except OSError:
        shutil.copyfile(old, new)


def _emptied(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, exist_ok=True)
