"""The desk every test of this room works at."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "project", tmp_path / "spill")
    yield desk
    desk.workspace.close()
