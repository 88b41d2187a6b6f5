"""The navigation measure: what is asked, and how answers are compared."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from aoci_agent.base.text import content_id
from aoci_agent.evals.nav_replay import Replayed, Verdict, compared, replay
from aoci_agent.evals.nav_report import examples, tables
from aoci_agent.evals.nav_sample import Request, import_lines, sample, uses_in
from aoci_agent.views.model import Location
from aoci_agent.views.navigate.answer import Answer, NoAnswer, Place, Provenance
from aoci_agent.views.syntax.text import Text

PYTHON = """\
import os


class Shop(Base):
    size = 1

    def price(self, näme, *, tax=0):
        total = self.find(näme).cost + tax
        return max(total, os.sep)
"""
SCRIPT = "import { a } from './a';\nconst b: Kind = a.run(c);\nfunction f(x: number) { return new Box(x); }\n"
C = "struct s { int n; };\nint f(struct s *p) { return g(p->n); }\n"


def used(path: str, text: str) -> list[tuple[str, str]]:
    return [(kind, name) for kind, _, _, _, name in uses_in(Text(path, text))]


def test_names_that_are_used_and_how() -> None:
    assert used("a.py", PYTHON) == [
        ("name", "os"),
        ("name", "Base"),
        ("name", "self"),
        ("call", "find"),
        ("name", "näme"),
        ("member", "cost"),
        ("name", "tax"),
        ("call", "max"),
        ("name", "total"),
        ("name", "os"),
        ("member", "sep"),
    ]
    assert ("call", "run") in used("a.ts", SCRIPT)
    assert ("type", "Kind") in used("a.ts", SCRIPT)
    assert ("call", "Box") in used("a.ts", SCRIPT)
    assert ("call", "g") in used("a.c", C)
    assert ("member", "n") in used("a.c", C)
    assert used("a.md", "# x") == []


GO = "package a\n\nfunc f() {\n\tx, err := g(y)\n\tx.n = z\n\tvar q = err\n}\n"


def test_names_being_given_are_not_asked_about() -> None:
    assert used("a.go", GO) == [
        ("call", "g"),
        ("name", "y"),
        ("name", "x"),
        ("member", "n"),
        ("name", "z"),
        ("name", "err"),
    ]
    assert used("a.tsx", "const a = <Box size={n} />;\n") == [("name", "Box"), ("name", "n")]


def test_a_place_is_in_characters() -> None:
    text = PYTHON.splitlines()
    for _, _, line, column, name in uses_in(Text("a.py", PYTHON)):
        assert text[line - 1][column:].startswith(name)


@dataclass
class Files:
    """A source over texts."""

    texts: Mapping[str, str]

    @property
    def files(self) -> Mapping[str, str]:
        return {path: content_id(text.encode()) for path, text in self.texts.items()}

    def read(self, path: str) -> bytes:
        return self.texts[path].encode()


def test_a_sample_is_repeatable_and_of_its_language() -> None:
    source = Files({f"m{n}.py": PYTHON for n in range(9)} | {"a.c": C, "x.ts": SCRIPT})
    first = sample(source, ["python", "c"], 5, seed=1)
    assert first == sample(source, ["python", "c"], 5, seed=1)
    assert first != sample(source, ["python", "c"], 5, seed=2)
    counted = [(request.group, request.ask) for request in first]
    assert counted.count(("python", "definition")) == 5
    assert counted.count(("python", "references")) == 5
    assert {request.path for request in first if request.group == "c"} == {"a.c"}
    assert all(request.kind != "module" for request in first)


@pytest.mark.parametrize(
    ("static", "live", "verdict"),
    [
        ({1}, {1}, Verdict.MATCH),
        (set[int](), set[int](), Verdict.EMPTY),
        ({1}, set[int](), Verdict.STATIC),
        (set[int](), {1}, Verdict.LIVE),
        ({1, 2}, {1}, Verdict.DIFFER),
    ],
)
def test_comparing(static: set[int], live: set[int], verdict: Verdict) -> None:
    sets = [frozenset(("a", line) for line in lines) for lines in (static, live)]
    assert compared(*sets) is verdict


@dataclass
class Fixed:
    """Answers everything with the same lines of a.py; none means no answer."""

    lines: tuple[int, ...] | None

    def _give(self) -> Answer:
        if self.lines is None:
            raise NoAnswer("too slow")
        places = tuple(Place(Location("a.py", line, line)) for line in self.lines)
        return Answer(places, Provenance.STATIC, exact=len(places) == 1)

    def definition(self, path: str, line: int, column: int) -> Answer:
        return self._give()

    def references(self, path: str, line: int, column: int) -> Answer:
        return self._give()

    def hover(self, path: str, line: int, column: int) -> Answer:
        return self._give()

    def symbols(self, query: str) -> Answer:
        return self._give()

    def callers(self, path: str, line: int, column: int) -> Answer:
        return self._give()


def test_lines_that_only_import_can_be_left_aside() -> None:
    source = Files({"a.py": "import x\nfrom y import (\n    z,\n)\nz(x)\n"})
    imports = import_lines(source, "a.py")
    assert imports == {1, 2, 3, 4}
    (item,) = replay([asked("references")], Fixed((3, 5)), Fixed((5,)), lambda _: imports)
    assert (item.agreed, item.agreed_aside) == (False, True)


def asked(ask: str) -> Request:
    return Request("python", ask, "call", "a.py", 7, 0, "f")


def test_the_line_asked_about_is_no_reference_and_tables_count() -> None:
    both = [asked("definition"), asked("references")]
    done: list[Replayed] = replay(both, Fixed((3,)), Fixed((3, 7)))
    assert [item.verdict for item in done] == [Verdict.DIFFER, Verdict.MATCH]
    recovered: list[int] = []
    done += replay(both[:1], Fixed((3,)), Fixed(None), recover=lambda: recovered.append(1))
    assert (done[-1].verdict, done[-1].why, recovered) == (Verdict.NONE, "too slow", [1])
    labelled = [("python (x)", item) for item in done]
    rows = [line.split() for line in tables(labelled).splitlines()]
    assert ["python", "(x)", "references", "1", "1", "0"] in [row[:6] for row in rows]
    assert "too slow" in examples(labelled, 5)
