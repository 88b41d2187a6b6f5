"""A database of a stranger: what its schema holds calls nothing."""

import re
import sqlite3
from pathlib import Path

import pytest

import aoci_agent
from aoci_agent.base.database import connect


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A table that in truth is a view, over a function."""
    file = tmp_path / "theirs.db"
    base = sqlite3.connect(file)
    base.execute("CREATE VIEW cached AS SELECT 'key' AS key, harm() AS data")
    base.close()
    return file


@pytest.mark.gate("T23")
def test_a_view_calls_no_function(theirs: Path) -> None:
    base = connect(theirs)
    base.create_function("harm", 0, lambda: "done")
    with pytest.raises(sqlite3.OperationalError, match="unsafe use of harm"):
        base.execute("SELECT data FROM cached").fetchall()
    assert base.execute("PRAGMA cell_size_check").fetchone() == (1,)
    base.close()


@pytest.mark.gate("T23", control=True)
def test_a_view_calls_one_where_the_schema_is_believed(theirs: Path) -> None:
    base = sqlite3.connect(theirs)
    base.create_function("harm", 0, lambda: "done")
    assert base.execute("SELECT data FROM cached").fetchall() == [("done",)]
    base.close()


def test_no_other_file_of_the_program_opens_one() -> None:
    package = Path(aoci_agent.__file__).parent
    found = [
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        if "demo/project" not in file.as_posix()
        and re.search(r"sqlite3\.(connect|Connection)\(", file.read_text(encoding="utf-8"))
    ]
    assert found == ["base/database.py"]
