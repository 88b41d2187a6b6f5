"""A hover says what the file says: the whole signature, and the comment above."""

import pytest
from support.graphs import Graph

from aoci_agent.base.errors import NotPossible
from aoci_agent.views.navigate.static import StaticNavigator

MANY = ", ".join(f"argument_{number}: int = {number}" for number in range(20))
FILES = {
    "many.py": f"""
        def many({MANY}) -> int:
            \"\"\"What it does.\"\"\"
            return 1


        # Not what it says it is for.
        def few(
            one: int,  # the first
            two: int,
        ) -> int:
            \"\"\"Another.\"\"\"


        TABLE = [{MANY.replace(": int =", " ==")}]
    """,
    "run.go": """
        package run

        // Run does it.
        //
        // And more: see Stop.
        //go:noinline
        func Run(addr ...string) error {
        \treturn nil
        }

        type Stop struct{}
    """,
    "Run.java": """
        class Run {
            /**
             * What it runs.
             * @return nothing
             */
            @Deprecated
            void run() {}
        }
    """,
    "run.rs": """
        /// A run.
        #[derive(Debug)]
        pub struct Run {}
    """,
    "run.c": """
        /* One
           and two. */
        static int run(void) { return 0; }
    """,
    "long.ts": "\n".join(["", *(f"// line {n}" for n in range(30)), "function long() {}"]),
}


def hover(path: str, needle: str) -> str:
    graph = Graph.of(FILES)
    return StaticNavigator(graph.view, graph.source.read).hover(*_at(graph, path, needle)).text


def _at(graph: Graph, path: str, needle: str) -> tuple[str, int, int]:
    return path, *graph.place(path, needle)


@pytest.mark.parametrize(
    ("path", "needle", "text"),
    [
        ("many.py", "def |many", f"def many({MANY}) -> int\nWhat it does."),
        (
            "many.py",
            "def |few",
            "def few( one: int, # the first two: int, ) -> int\nAnother.",
        ),
        (
            "run.go",
            "func |Run",
            "func Run(addr ...string) error\nRun does it.\n\nAnd more: see Stop.\ngo:noinline",
        ),
        ("run.go", "type |Stop", "type Stop struct"),
        ("Run.java", "void |run", "void run()\nWhat it runs.\n@return nothing"),
        ("run.rs", "struct |Run", "pub struct Run\nA run."),
        ("run.c", "int |run", "static int run(void)\nOne\nand two."),
    ],
)
def test_signature_and_comment(path: str, needle: str, text: str) -> None:
    assert hover(path, needle) == text


def test_what_is_cut_is_marked() -> None:
    value = hover("many.py", "|TABLE")
    assert value.startswith("TABLE = [argument_0 == 0, ")
    assert (len(value), value[-1]) == (201, "…")
    lines = hover("long.ts", "function |long").splitlines()
    assert lines == ["function long()", *(f"line {number}" for number in range(20)), "…"]


def test_a_file_that_is_gone_costs_only_what_it_says_more() -> None:
    def gone(path: str) -> bytes:
        raise NotPossible(f"{path} was changed while it was read")

    graph = Graph.of(FILES)
    told = StaticNavigator(graph.view, gone).hover(*_at(graph, "many.py", "def |many")).text
    assert told.startswith("def many(argument_0: int = 0, ")
    assert told.endswith("\nWhat it does.")
