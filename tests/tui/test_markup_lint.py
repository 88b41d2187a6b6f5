"""Foreign text reaches a widget through `tui/foreign.py` only; what happens without it."""

import ast
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.markup import MarkupError
from textual.widgets import Static

import aoci_agent.tui

TUI = Path(aoci_agent.tui.__file__).parent
MAKERS = {"Content", "Content.styled", "Content.from_text"}
SHOWING = {"Static", "update", "notify", "Label", "Input", "RichLog", "write", "Text", "Markdown"}
WORDS = {"title", "sub_title", "tooltip", "placeholder", "border_title", "border_subtitle"}
# The program's own words and figures, looked at one by one: no foreign text is in them.
OWN = {
    'diff.py': {"f'… {hidden} more {more}, Ctrl+O shows all'", 'number'},
    'events.py': {"'done' if done else f'stopped: {reason}'"},
    'exactly.py': {"'  ' if number else first", 'line[place:]', 'line[place:found.start()]', 'spelling'},
    'foreign.py': {'clean(text).expandtabs(TAB)', 'one_line(text, width)'},
    'rewind_lines.py': {'f"{(signs.PROMPT if chosen else \' \')}"', "f'  … {more} more'", 'facts', 'tally'},
    'welcome.py': {'NO_MODEL', "f'{name:<8}'"},
    'activity.py': {"f'  {self._hint}'", "f'{sign} '", 'passed'},
    'approval.py': {"' ' if self._fits() else '\\n'", 'asks', "f' {name} {WORDS[name]} '"},
    'call.py': {"'▾' if self.opened else '▸'", "f'{icon} '", 'note', 'seconds(self._seconds)', 'self.status'},
    'completions.py': {"f'  {command.summary}'", "f' {_usage(command):<{width}} '"},
    'footer.py': {"f'box {status.sandbox}'", 'cost(session)', "f' [index {tokens(index, estimated=True)}]'", "f'ctx ?/{size}'", "f'ctx {told}'", 'form', 'mode'},
    'prompt.py': {'PLACEHOLDER'},
    'rewind.py': {'keys', "f'{sign} {words}'"},
    'transcript.py': {"f'{signs.PROMPT} '"},
    'trust.py': {'TURNS_ON', "f'↓ {below} more lines: Down or PageDown\\n'"},
}  # fmt: skip


def risky(tree: ast.AST) -> list[str]:
    """Texts given to a widget or made into content that are no constants."""
    found: list[str] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        given = node.args[:1] if name in MAKERS | SHOWING else []
        if name.rpartition(".")[2] in ("update", "notify"):
            given = node.args[:1]
        if name == "Content.assemble":
            given = [arg.elts[0] for arg in node.args if isinstance(arg, ast.Tuple)]
        given += [word.value for word in node.keywords if word.arg in WORDS]
        made = name in MAKERS or name == "Content.assemble"
        found += [ast.unparse(each) for each in given if _is_text(each, made=made)]
    return found


def _is_text(node: ast.expr, *, made: bool) -> bool:
    if isinstance(node, ast.Constant):
        return False
    if isinstance(node, ast.JoinedStr | ast.BinOp):
        return True
    called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return called in ("str", "repr", "format") or called.endswith(".format") or made


@pytest.mark.gate("T19")
def test_no_widget_is_given_a_text_that_was_not_cleaned() -> None:
    found = {file.name: set(risky(ast.parse(file.read_text()))) for file in TUI.rglob("*.py")}
    assert {name: texts for name, texts in found.items() if texts - OWN.get(name, set())} == {}


@pytest.mark.gate("T19", control=True)
@pytest.mark.parametrize(
    "line",
    [
        "x.update(f'{name}')",
        "Static(str(error))",
        "Content(name)",
        "self.notify('a' + text)",
        "Input(placeholder=f'{x}')",
    ],
)
def test_the_lint_finds_what_it_is_for(line: str) -> None:
    assert risky(ast.parse(line))


class Plain(App[str]):
    """A screen that shows text the way Textual does by itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        yield Static(self.text)

    def action_approve(self) -> None:
        self.exit("approved")


@pytest.mark.gate("T19", "P70", control=True)
@pytest.mark.parametrize("text", ["a[/]b", "[/bad]", "[stage=x:"])
def test_plain_markup_crashes(text: str) -> None:
    with pytest.raises(MarkupError):
        Static(text).visual  # noqa: B018 - it is parsed when it is asked for


@pytest.mark.gate("T19", control=True)
async def test_plain_markup_fires_an_action() -> None:
    async with Plain("[@click=app.approve]read me[/]").run_test() as pilot:
        await pilot.click(Static, offset=(2, 0))
        await pilot.pause()
        assert pilot.app.return_value == "approved"
