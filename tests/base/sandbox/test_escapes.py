import json
import os
import subprocess
from collections.abc import Callable

import pytest
from base.sandbox.conftest import partial_box, strong_box
from support.escapes import ATTACKS
from support.world import KEY, World

from aoci_agent.base.box import Access, Box
from aoci_agent.base.process import Limits, run_blocking
from aoci_agent.base.sandbox.landlock import GIT_OPEN, MEMORY, MODES, SEEN

# What every box allows: its work. A file that others run later is told instead (T16).
ALLOWED = {"workspace", "autorun_file"}
# What this kernel may refuse anybody, so that its refusal inside shows nothing.
KERNEL = {
    *("io_uring", "user_namespace", "cloned_namespace", "mount", "trace_agent", "kernel_keys"),
    *("kernel_programs", "machine_socket", "listen", "hard_link", "agent_environment"),
}
SOCKETS = {
    *("tcp", "udp", "local_socket", "local_socket_among_tools", "abstract_socket"),
    "machine_socket",
}
THREATS = ("T10", "T12", "T13", "T16", "S02")


OWN_MEMORY = {"shared_memory"}  # the program has one of its own, which goes with it
# By the gap that names it.
OPEN = {
    GIT_OPEN: {"write_git_hook", "write_git_config", "write_git_ref", "move_git", "create_state"},
    MODES: {"change_mode", "change_times"},
    SEEN: {"see_files", "see_agent"},
    MEMORY: {"shared_memory"},
}


def worked(made: World, box: Box, access: Access | None = None) -> set[str]:
    entry = box.enter(made.attack, made.root, access or Access())
    done = run_blocking(entry, cwd=made.root, limits=Limits(seconds=30))
    assert done.exit_code == 0, done.stderr.decode()
    return set(json.loads(done.stdout))


@pytest.mark.gate(*THREATS, control=True)
def test_outside_of_a_box_every_attack_works(
    here: World, record_property: Callable[[str, object], None]
) -> None:
    before = here.digest()
    env = {**os.environ, "AGENT_KEY": KEY}
    done = subprocess.run(here.attack, cwd=here.root, env=env, capture_output=True, check=True)
    worked = set(json.loads(done.stdout))
    assert set(ATTACKS) - worked - KERNEL == set()
    assert here.digest() != before
    assert here.heard == {"tcp", "udp", "local", "signal"}
    assert here.shared.exists()
    record_property("cases", len(worked))
    record_property("refused by this kernel", sorted(KERNEL - worked))


@pytest.mark.gate(*THREATS)
def test_nothing_gets_out_of_the_strong_box(
    here: World, record_property: Callable[[str, object], None]
) -> None:
    box = strong_box(here)
    before = here.digest()
    assert worked(here, box) == ALLOWED | OWN_MEMORY
    assert here.digest() == before
    assert here.heard == set()
    assert not here.shared.exists()
    assert box.gaps == ()
    record_property("cases", len(ATTACKS))


@pytest.mark.gate(*THREATS)
def test_the_partial_layer_has_exactly_the_gaps_it_names(
    here: World, record_property: Callable[[str, object], None]
) -> None:
    box = partial_box(here)
    expected = set[str]().union(*(OPEN[gap] for gap in box.gaps if gap in OPEN))
    assert worked(here, box) == ALLOWED | expected
    assert here.heard == set()
    record_property("cases", len(ATTACKS))


@pytest.mark.gate("T13")
@pytest.mark.parametrize("layer", [strong_box, partial_box])
def test_with_the_network_nothing_else_opens(here: World, layer: Callable[[World], Box]) -> None:
    done = worked(here, layer(here), Access(network=True))
    assert done & SOCKETS == {"tcp", "udp"}
    assert here.heard == {"tcp", "udp"}
