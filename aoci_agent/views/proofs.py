"""Where a view's fast path was proved on this repository, or failed: kept beside the views."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from aoci_agent.base.replace import atomic_write

_NAME = "proofs.json"
_MAX_BYTES = 1_000_000
_KEPT = 1_000  # transitions


class Proof(NamedTuple):
    """On which transitions a view, with these settings, followed to just what a rebuild gives."""

    config: str  # digest of the view's config
    results: Mapping[str, bool]  # `A..B` -> equal

    @property
    def holds(self) -> bool:
        """Whether it failed on none."""
        return all(self.results.values())

    @property
    def told(self) -> str:
        """In words, for people."""
        of = len(self.results)
        failed = of - sum(self.results.values())
        return (
            f"failed their proof on {failed} of {of} transitions"
            if failed
            else f"are proved on {of} transitions"
        )


def read(folder: Path) -> dict[str, Proof]:
    """Proofs by view; none where the file is missing or makes no sense."""
    try:
        value: Any = json.loads((folder / _NAME).read_bytes()[:_MAX_BYTES])
        return {str(name): _proof(row) for name, row in cast("dict[str, Any]", value).items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def keep(folder: Path, name: str, config: str, results: Mapping[str, bool]) -> None:
    """Add what a verification found. Raises OSError.

    A transition that failed counts until it is tried again, or the settings change.
    """
    known = read(folder)
    before = known.get(name)
    if before is not None and before.config == config:
        results = {**before.results, **results}
    failed = [transition for transition, equal in results.items() if not equal]
    newest = [*failed, *(transition for transition, equal in results.items() if equal)][-_KEPT:]
    known[name] = Proof(config, {t: results[t] for t in (*failed[:_KEPT], *newest)})
    rows = {key: proof._asdict() for key, proof in known.items()}
    atomic_write(folder / _NAME, (json.dumps(rows, indent=1, sort_keys=True) + "\n").encode())


def _proof(row: Any) -> Proof:
    results = {str(key): bool(equal) for key, equal in row["results"].items()}
    return Proof(str(row["config"]), results)
