"""A real language server: jedi's, which comes with multilspy."""

from collections.abc import Iterator

import pytest

from aoci_agent.views.navigate.answer import NoAnswer
from aoci_agent.views.navigate.live import LiveNavigator
from aoci_agent.views.navigate.servers import SERVERS

JEDI = [row for row in SERVERS if row.name == "jedi"]
SHOP = '''\
class Shop:
    def price(self, name: str) -> int:
        """What it costs."""
        return len(name)
'''
MAIN = """\
from shop import Shop

grüße, _ = "😀", Shop().price("tea")
print(grüße, Shop().price("milk"))
"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveNavigator]:
    root = tmp_path_factory.mktemp("jedi")
    (root / "shop.py").write_text(SHOP, encoding="utf-8")
    (root / "main.py").write_text(MAIN, encoding="utf-8")
    canary = root / ".venv" / "bin" / "python"
    canary.parent.mkdir(parents=True)
    (root / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
    canary.write_text(f"#!/bin/sh\ntouch {root}/fired\n", encoding="utf-8")
    canary.chmod(0o755)
    scratch = tmp_path_factory.mktemp("scratch")
    navigator = LiveNavigator(root, scratch, lambda: (), trusted=True, rows=JEDI, limit=20.0)
    navigator.warm("main.py", 25.0)
    yield navigator
    navigator.close()


def at(text: str, word: str, line: int) -> int:
    return text.splitlines()[line - 1].index(word)


def test_a_definition_behind_two_unit_characters(live: LiveNavigator) -> None:
    answer = live.definition("main.py", 3, at(MAIN, "price", 3))
    found = [place.location for place in answer.places]
    assert [(place.path, place.start, place.column) for place in found] == [("shop.py", 2, 8)]


def test_references_leave_the_definition_out(live: LiveNavigator) -> None:
    answer = live.references("shop.py", 2, 8)
    # Its columns behind the emoji are not in UTF-16 units (jedi-language-server 0.41.3).
    assert [(p.location.path, p.location.start) for p in answer.places] == [
        ("main.py", 3),
        ("main.py", 4),
    ]
    assert answer.places[1].location.column == at(MAIN, "price", 4)


def test_hover_and_what_it_cannot_do(live: LiveNavigator) -> None:
    assert "What it costs." in live.hover("main.py", 4, at(MAIN, "price", 4)).text
    with pytest.raises(NoAnswer, match="does not offer"):
        live.callers("shop.py", 2, 8)


def test_no_program_of_the_repository_is_run(live: LiveNavigator) -> None:
    live.definition("main.py", 3, 0)
    assert not (live.root / "fired").exists()


def test_an_edit_is_seen_at_once(live: LiveNavigator) -> None:
    (live.root / "shop.py").write_text("# a line more\n" + SHOP, encoding="utf-8")
    answer = live.definition("main.py", 4, at(MAIN, "price", 4))
    assert [place.location.start for place in answer.places] == [3]
