"""One view in memory: loaded or built, and brought in step with the files."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from aoci_agent.base.errors import ForModel, ForUser
from aoci_agent.views.generations import damage_of
from aoci_agent.views.ledger import Cost
from aoci_agent.views.manifest import ViewRecord, config_digest
from aoci_agent.views.model import Delta, Source, View
from aoci_agent.views.snapshot import delta_between

Factory = Callable[[], View]
MOST = 0.7  # share of the files from which a rebuild is the faster way
HASHED_BYTES = 64_000_000  # up to here every artifact is hashed before it is loaded


class Held:
    """A view, the files it was derived from, and whether it can answer.

    A view never costs the others anything: what it raises becomes `error`.
    """

    def __init__(self, name: str, make: Factory) -> None:
        self.name = name
        self.view: View | None = None
        self.files: Mapping[str, str] = {}  # path -> content id of what the view holds
        self.error = ""
        self.remark = ""  # for people, taken by who says it
        self.costs: list[Cost] = []
        self.seconds: dict[str, float] = {}
        self.saved = ""  # the generation that holds just this state
        self.unsaved = 0.0  # seconds it took to derive what no generation holds
        self.origin = ""  # the generation it was loaded from, which it may go on reading
        self.delta = Delta()  # the last one followed
        self._make = make
        self._failed_on: Mapping[str, str] | None = None  # files it could not be derived from

    @property
    def ready(self) -> bool:
        """Whether it can answer, be it from older files."""
        return self.view is not None

    def worth_building(self, files: Mapping[str, str]) -> bool:
        """Whether a build may succeed: it did not fail on these very files already."""
        return self._failed_on is not files

    def made(self) -> View | None:
        """A new view of this kind, None (with `error`) where a part of it is missing."""
        try:
            return self._make()
        except (ForUser, ForModel) as error:
            self.error = _told(error)
            return None

    def load(self, record: ViewRecord, folder: Path, files: Mapping[str, str]) -> bool:
        """Take a saved view; False, with `error`, when it cannot be taken."""
        view = self.made()
        if view is None or not record.artifacts:
            return False
        if config_digest(view.config) != config_digest(record.config):
            self.error = "it was built with other settings"
            return False
        started = time.perf_counter()
        self.error = damage_of(folder, record.artifacts, hashes=record.bytes <= HASHED_BYTES)
        if not self.error:
            try:
                view.load(folder)
            except Exception as error:  # noqa: BLE001 - whatever it is, the view can be built anew
                self.error = _told(error)
        if self.error:
            self.error = f"its files are damaged: {self.error}"
            return False
        self.view, self.files = view, files
        self.saved = self.origin = folder.parent.name
        self.seconds = dict(record.seconds)
        self._cost("load", started, record.bytes, 0)
        return True

    def build(self, source: Source) -> bool:
        """Derive everything from nothing; False, with `error`, when that fails."""
        view = self.made()
        if view is None:
            self._failed_on = source.files
            return False
        self.view = None
        started = time.perf_counter()
        try:
            view.build(source)
        except Exception as error:  # noqa: BLE001 - one view's failure leaves the others
            self.error = _told(error)
            self._failed_on = source.files
            return False
        self.view, self.files, self.error, self.saved = view, source.files, "", ""
        self._failed_on, self.origin = None, ""
        self._cost("build", started, 0, len(source.files))
        return True

    def follow(self, source: Source, *, proved: bool) -> bool:
        """Bring the view in step; False, with `error`, when it stays behind.

        Where the fast way failed its proof, or most files moved, the view is rebuilt.
        """
        delta = delta_between(self.files, source.files)
        if delta == Delta():
            self.files = source.files
            return True
        if not self.worth_building(source.files):
            return False
        view = self.view
        moved = len(delta.touched) + len(delta.removed)
        if view is None or not proved or moved > MOST * len(source.files):
            return self.build(source)
        self.view = None  # until it is whole again, also when this is interrupted
        started = time.perf_counter()
        try:
            view.apply(source, delta)
        except Exception as error:  # noqa: BLE001 - what it holds now is unknown: from nothing, then
            self.remark = f"the {self.name} view is built anew: its update failed ({_told(error)})"
            return self.build(source)
        self.view, self.files, self.delta, self.saved = view, source.files, delta, ""
        self.error = ""
        self._cost("update", started, 0, len(delta.touched))
        return True

    def forget(self, paths: set[str]) -> None:
        """Treat these files as unknown, so that they are derived again."""
        self.files = {path: "" if path in paths else c for path, c in self.files.items()}

    def _cost(self, what: str, started: float, size: int, files: int) -> None:
        seconds = round(time.perf_counter() - started, 6)
        self.seconds[what] = seconds
        if what != "load":
            self.unsaved += seconds
        self.costs.append(Cost(self.name, what, seconds, size, files))


def _told(error: BaseException) -> str:
    if isinstance(error, ForUser):
        return f"{error.message}: {error.hint}" if error.hint else error.message
    return str(error) if isinstance(error, ForModel) else f"{type(error).__name__}: {error}"[:300]
