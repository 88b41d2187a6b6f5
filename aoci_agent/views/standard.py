"""The views of a session, and the ways to keep them that a verification tries."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from aoci_agent.base.errors import ForUser
from aoci_agent.views.held import Factory
from aoci_agent.views.model import View
from aoci_agent.views.verify import Way

if TYPE_CHECKING:
    from aoci_agent.views.dense.embedder import Embedder
    from aoci_agent.views.graph.repair import Strategy

EMBEDDER = "static"


def standard_views(cache: Path | None, embedder: str = EMBEDDER) -> dict[str, Factory]:
    """Name -> what makes an empty view. `cache` keeps vectors by content, None keeps none.

    A factory raises ForUser, naming the extra to install, where its parts are missing.
    """
    model = functools.cache(lambda: _embedder(embedder))
    return {"lexical": _lexical, "dense": lambda: _dense(cache, model()), "graph": _graph}


def standard_ways(embedder: str = EMBEDDER) -> list[Way]:
    """Every view with every strategy it has. Nothing is shared with the session's caches."""
    views = standard_views(None, embedder)
    return [
        Way("lexical", "lexical", views["lexical"]),
        Way("dense", "dense", views["dense"]),
        Way("graph symbol", "graph", views["graph"]),
        Way("graph file", "graph", lambda: _graph("file"), standard=False),
    ]


def _lexical() -> View:
    from aoci_agent.views.lexical.view import LexicalView

    return LexicalView()


def _graph(strategy: "Strategy" = "symbol") -> View:
    from aoci_agent.views.graph.view import GraphView

    return GraphView(strategy)


def _embedder(name: str) -> "Embedder":
    from aoci_agent.views.dense.embedder import embedder_named

    model = embedder_named(name)
    if model is None:
        raise ForUser("there is no embedding model", "set one, or search by words alone")
    return model


def _dense(cache: Path | None, model: "Embedder") -> View:
    from aoci_agent.views.dense.vectors import VectorCache
    from aoci_agent.views.dense.view import DenseView

    return DenseView(model, VectorCache(cache))
