"""Every place of the screen that shows foreign text, with every payload, on a real terminal."""

import ast
import base64
import json
import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.hostile import ALL, ESCAPES, MARKUP
from support.ptys import finish, sequences, terminal, words

import aoci_agent.tui
from aoci_agent.base.terminal import clean

TUI = Path(aoci_agent.tui.__file__).parent
CLIPBOARD = re.compile(r"\x1b\]52;c;([^\x07\x1b]*)(?:\x07|\x1b\\)")
# Which of the app's colours is caught in a run is a matter of timing; no payload has this form.
PALETTE = re.compile(r"colour [34]8;5;\d+$")
PLAIN = {"COLORTERM": None}  # 256 colours
# Asked for by the program, and never on the screen as such.
UNSHOWN = {
    "arguments", "call body", "diff new name", "diff old name", "last answer", "question tool",
    "tool name", "metered model", "metered policy", "mode words",
}  # fmt: skip
# What is asked about is spelled out character by character: nothing to take away.
SPELLED = {"always", "command body", "part"}
# Functions that clean texts of the program's own, or only what has unusual blanks.
OWN = {
    "tui/events.py:Renderer._end_line",
    "tui/exactly.py:_spelling",  # one character at a time
    "tui/widgets/approval.py:ApprovalPanel._paint_more",  # words of letters only
    "tui/widgets/trust.py:TrustPanel.compose",  # cleaned by trust_lines before
    "tui/widgets/trust.py:TrustPanel._paint",
}
CLEANERS = {"block", "line", "clean", "one_line"}
SPLIT = 10  # payloads that a line break or a sign of Markdown takes apart


@dataclass
class Shown:
    """What one run of the program sent, and what it says of itself."""

    output: bytes
    clickable: int
    fault: str
    sites: dict[str, list[int]]  # function that cleans -> the payloads it was given
    asked: list[str]  # places


@pytest.fixture(scope="module", params=[5, pytest.param(1, marks=pytest.mark.gate_only)])
def stride(request: pytest.FixtureRequest) -> int:
    """Every run takes each fifth payload, the gate takes all."""
    return request.param


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, stride: int) -> dict[str, Shown]:
    """The three runs of the program, side by side."""
    folder = tmp_path_factory.mktemp("corpus")
    with ExitStack() as stack:
        its = {
            kind: stack.enter_context(
                terminal(
                    "hostile_program.py",
                    kind,
                    str(folder / kind),
                    str(stride),
                    environment=PLAIN,
                    size=(150, 70),
                )
            )
            for kind in ("hostile", "plain", "raw")
        }
        finish(*its.values())
        shown = {
            kind: Shown(it.output, **json.loads((folder / kind).read_text()))
            for kind, it in its.items()
        }
        assert [(it.exit_code, shown[kind].fault) for kind, it in its.items()] == [(0, "")] * 3
        return shown


@pytest.fixture
def hostile(runs: dict[str, Shown]) -> Shown:
    return runs["hostile"]


@pytest.fixture
def plain(runs: dict[str, Shown]) -> Shown:
    return runs["plain"]


@pytest.fixture
def raw(runs: dict[str, Shown]) -> Shown:
    return runs["raw"]


@pytest.mark.gate("T18", "T19", "S07", "P70")
def test_the_terminal_gets_no_sequence_but_those_of_the_app(
    stride: int,
    hostile: Shown,
    plain: Shown,
    raw: Shown,
    record_property: Callable[[str, object], None],
) -> None:
    own = {each for each in sequences(plain.output) if not CLIPBOARD.match(each)}
    sent = {each for each in sequences(hostile.output) if not CLIPBOARD.match(each)}
    assert {each for each in sent - own if not PALETTE.match(each)} == set()
    assert hostile.clickable == 0
    record_property("cases", len(_places(raw)) * len(ALL[::stride]))


@pytest.mark.gate("T18", "T20")
def test_what_is_sent_has_no_unseen_character_and_says_what_was_there(
    stride: int, hostile: Shown
) -> None:
    shown = words(hostile.output)
    assert clean(shown) == shown
    missing = [text for text in ALL[::stride] if clean(text)[:20].strip() not in shown]
    assert [text for text in missing if "\n" not in text] == []


@pytest.mark.gate("T18", control=True)
def test_without_cleaning_each_place_lets_a_sequence_through(raw: Shown) -> None:
    assert set(raw.asked) - _places(raw) == UNSHOWN | SPELLED
    assert len(_places(raw)) > 55


@pytest.mark.gate("T18", "P78")
def test_the_clipboard_gets_the_answer_with_its_controls_shown(hostile: Shown) -> None:
    copied = [base64.b64decode(each) for each in CLIPBOARD.findall(hostile.output.decode())]
    assert copied
    for text in copied:
        assert clean(text.decode()) == text.decode()


@pytest.mark.gate("T18", "T19")
def test_every_function_that_cleans_was_given_every_payload(stride: int, hostile: Shown) -> None:
    """A new widget that shows foreign text belongs into `support/hostile_program.py`."""
    fed = {
        name
        for name, found in hostile.sites.items()
        if len(found) >= len(ALL[::stride]) - SPLIT // stride
    }
    assert _cleaning_functions() - OWN - fed == set()


def test_there_are_payloads_enough() -> None:
    assert len(set(ESCAPES)) >= 60
    assert len(set(MARKUP)) >= 30


def _places(raw: Shown) -> set[str]:
    return set(CLIPBOARD.findall(raw.output.decode()))


def _cleaning_functions() -> set[str]:
    """Functions of the screen that call a cleaner, as `widgets/call.py:Call._tail`."""
    found: set[str] = set()
    for file in TUI.rglob("*.py"):
        if file.name not in ("foreign.py", "replay.py"):  # the latter is another screen
            place = f"tui/{file.relative_to(TUI).as_posix()}"
            found |= {f"{place}:{name}" for name in _callers(ast.parse(file.read_text()), "")}
    return found


def _callers(node: ast.AST, name: str) -> set[str]:
    found: set[str] = set()
    for child in ast.iter_child_nodes(node):
        inner = name
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            inner = f"{name}.{child.name}".strip(".")
        elif isinstance(child, ast.Call) and _called(child.func) in CLEANERS:
            found.add(name)
        found |= _callers(child, inner)
    return found


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr if ast.unparse(function.value) == "foreign" else ""
    return function.id if isinstance(function, ast.Name) else ""
