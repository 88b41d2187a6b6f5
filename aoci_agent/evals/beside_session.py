"""A running session, for `beside`: seconds of a search, and of following one line more in one file."""

import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.views.maintain import RepositoryViews
from aoci_agent.views.standard import standard_views

ROUNDS = 3


def main() -> int:
    """The queries after home and file, asked in this folder; prints both medians.

    The graph follows an edit too before the answer counts.
    """
    _, home, edited, *queries = sys.argv
    workspace = Workspace(Path())
    places = Places(os.environ | {"HOME": home})
    cache = places.cache / places.project(workspace.root)
    repository = Repository.find(workspace.root)
    views = RepositoryViews(workspace, repository, cache, standard_views(cache))
    views.fresh("lexical", "graph")
    searches = [_searched(views, query, "lexical") for query in queries * ROUNDS]
    edits: list[float] = []
    for number in range(ROUNDS):
        with Path(edited).open("a", encoding="utf-8") as file:
            file.write(f"\nMEASURED_AGAIN_{number} = 1\n")
        edits.append(_searched(views, f"MEASURED_AGAIN_{number}", "lexical", "graph"))
    views.close()
    print(statistics.median(searches), statistics.median(edits))
    return 0


def _searched(views: RepositoryViews, query: str, *names: str) -> float:
    started = time.perf_counter()
    with views.answering(*names) as now:
        view: Any = now.view("lexical")
        found = view.search(query, level=None, limit=20)
    if not found:
        raise RuntimeError(f"nothing was found for {query}")
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
