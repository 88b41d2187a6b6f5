"""Worlds to attack, and the boxes around them."""

import os
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest
from support.world import World, world

from aoci_agent.base.box import Box, Strength
from aoci_agent.base.sandbox.bubblewrap import Bubblewrap
from aoci_agent.base.sandbox.ladder import open_box
from aoci_agent.base.sandbox.landlock import Landlock, version
from aoci_agent.base.sandbox.layout import Layout, layout_of
from aoci_agent.base.sandbox.temporary import Temporary


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[World]:
    """A world whose home is the one of this process."""
    with world(tmp_path) as made:
        monkeypatch.setenv("HOME", str(made.home))
        yield made


def strong_box(made: World) -> Box:
    """The strong layer for a world's workspace; skips where this machine has none."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    box = open_box(made.root, made.own, made.cache / "project", os.environ)
    if box.strength is not Strength.STRONG:
        pytest.skip(f"no strong sandbox here: {box.why}")
    assert isinstance(box, Bubblewrap)
    return box


def partial_box(made: World) -> Landlock:
    """The partial layer, also where a stronger one is there; skips without Landlock."""
    abi = version()
    if not abi:
        pytest.skip("the kernel has no Landlock")
    temporary = Temporary(made.cache / "project/box/tmp")
    return Landlock(layout_for(made), temporary, abi, os.uname().machine, "asked for by the test")


def layout_for(made: World) -> Layout:
    """What `open_box` would make of a world."""
    scratch = made.cache / "project/box/caches"
    scratch.mkdir(parents=True, exist_ok=True)
    return layout_of(made.root, made.own, scratch, os.environ)
