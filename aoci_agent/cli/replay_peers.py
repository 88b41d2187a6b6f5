"""What the commands of replay say about other agents: whether they can run, and how."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aoci_agent.base.box import Box, Unboxed
from aoci_agent.base.errors import BadUsage
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.cli.replay_places import hidden_from, strong_box
from aoci_agent.config import Settings, environment
from aoci_agent.evals.replay import oracle
from aoci_agent.evals.replay.peers.catalog import PEERS
from aoci_agent.evals.replay.peers.program import peer_named, program_of
from aoci_agent.evals.replay.peers.running import Peered
from aoci_agent.evals.replay.run_cell import Solver
from aoci_agent.evals.replay.store import Run
from aoci_agent.evals.replay.upstream import upstream_of


def peers_asked(words: str, models: Sequence[str], root: Path, *, here: bool) -> list[str]:
    """The agents of `--peers`. Raises BadUsage where one is not known, or cannot use a model.

    `here`: they run on this machine; then it is raised too where one is not installed, and
    ModelUnavailable where a model of them has no key.
    """
    names = list(dict.fromkeys(filter(None, (word.strip() for word in words.split(",")))))
    for name in names:
        peer = peer_named(name)
        if here:
            program_of(peer, environment(), outside=root)
    own = [model for model in models if model in oracle.NAMES]
    if names and own:
        raise BadUsage(
            f"the model {own[0]} is the harness's own: {names[0]} cannot use it",
            "name a model of an endpoint, or leave --peers out",
        )
    for model in models if names and here else ():
        upstream_of(model, environment(), {})
    return names


def peer_solver(name: str, made: Run, repository: Repository) -> Solver | None:
    """What runs cells of that solver; None for a policy of this program."""
    if name not in PEERS:
        return None
    settings = Settings.model_validate(made.settings)
    prices: dict[str, Any] = {model: one.model_dump() for model, one in settings.prices.items()}
    hidden = hidden_from(repository, Places(environment()))

    def boxed(root: Path, readable: Sequence[Path], state: Path) -> Box:
        if made.no_sandbox:
            return Unboxed()
        return strong_box(root, hidden, state, readable, name)

    return Peered(PEERS[name], boxed, environment(), prices).solve
