"""Candidates of the history tried one by one, or side by side; what was refused once is remembered."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, cast

from aoci_agent.base.descendants import end_all
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.files import atomic_write
from aoci_agent.base.git import Repository
from aoci_agent.evals.replay.bases import Bases
from aoci_agent.evals.replay.gold import leaks, symbols
from aoci_agent.evals.replay.history import Candidate
from aoci_agent.evals.replay.task import Task
from aoci_agent.evals.replay.validate import Verdict, validate
from aoci_agent.evals.replay.wording import prompt_of

_FILE = "refused.json"


class Mine:
    """Makes tasks of candidates. `stopped` ends what is under way at its next step."""

    def __init__(
        self, repository: Repository, bases: Bases, setup: str = "", check: str = ""
    ) -> None:
        self._repository = repository
        self._bases = bases
        self._setup = setup
        self._check = check
        self.stopped = threading.Event()

    def try_all(
        self,
        found: Sequence[Candidate],
        jobs: int = 1,
        alive: Callable[[], object] = str,
        every: float = 60.0,
    ) -> Generator[tuple[Candidate, Verdict]]:
        """As they end; `alive` is called when none has for so many seconds.

        Closed or interrupted early, it ends every command and leaves no tree.
        """
        with ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(self.try_one, candidate): candidate for candidate in found}
            waiting = set(futures)
            try:
                while waiting:
                    done, waiting = wait(waiting, every, FIRST_COMPLETED)
                    if not done:
                        alive()
                    for future in done:
                        yield futures[future], future.result()
            except BaseException:
                self.stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                while not all(future.done() for future in futures):
                    end_all()
                    time.sleep(0.1)
                self._bases.sweep()
                raise

    def try_one(self, candidate: Candidate) -> Verdict:
        """Never raises for a bad one."""
        try:
            prompt = prompt_of(self._repository, candidate)
            if not prompt:
                return Verdict(None, "its message says nothing", 0.0, lasting=True)
            task = self._task(candidate, prompt)
        except NotPossible as error:
            return Verdict(None, " ".join(str(error).split())[:300], 0.0)
        changed = {change.path: change.status for change in candidate.source}
        return validate(task, self._bases, changed, self.stopped)

    def _task(self, candidate: Candidate, prompt: str) -> Task:
        named = symbols(self._repository, candidate.base, candidate.commit, candidate.changed)
        return Task(
            id=id_of(candidate),
            prompt=prompt,
            base=candidate.base,
            fix=candidate.commit,
            setup=self._setup,
            check=self._check,
            hidden=candidate.tests,
            gold_files=candidate.changed,
            gold_symbols=named,
            leaks=leaks(prompt, candidate.changed, named),
            date=candidate.date,
        )


def id_of(candidate: Candidate) -> str:
    """The name of its task."""
    return candidate.commit[:10]


class Refused:
    """Why candidates were refused, by commit, for one pair of set-up and check."""

    def __init__(self, home: Path, setup: str, check: str) -> None:
        self.folder = home / "refused"  # what is behind each reason, the last one
        self._path = home / _FILE
        self._key = hashlib.blake2b(repr((setup, check)).encode(), digest_size=6).hexdigest()
        try:
            self._all: dict[str, Any] = dict(json.loads(self._path.read_bytes()))
        except (OSError, ValueError, TypeError):
            self._all = {}  # they are tried again

    @property
    def known(self) -> Mapping[str, str]:
        """Commit to reason."""
        found = self._all.get(self._key)
        return cast("dict[str, str]", found) if isinstance(found, dict) else {}

    def add(self, candidate: Candidate, verdict: Verdict) -> None:
        """Kept at once; it is tried again where the reason may be gone then."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        whole = f"{verdict.why}\n\n{verdict.output}\n".encode("utf-8", "replace")
        atomic_write(self.folder / f"{id_of(candidate)}.txt", whole)
        if verdict.lasting:
            self._all[self._key] = {**self.known, candidate.commit: verdict.why}
            atomic_write(self._path, json.dumps(self._all, indent=0).encode("utf-8", "replace"))
