"""The counter of a terminal leaves nothing behind."""

import pytest

from aoci_agent.cli.counting import progress, show


def test_the_last_number_wipes_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    for done in range(1, 51):
        show("reading", done, 50)
    assert capsys.readouterr().err == "\r\x1b[Kreading 25/50\r\x1b[K"
    show("waiting for another build", 0, 0)
    assert capsys.readouterr().err.endswith("waiting for another build 0/0")


def test_nothing_is_counted_where_nobody_watches() -> None:
    assert progress() is None
