"""Edits as an agent, an editor and git make them, on the copy of a repository."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from aoci_agent.evals.history import git
from aoci_agent.views.syntax.outline import Definition, outline_of

_FUNCTIONS: Mapping[str, str] = {
    "python": "def {name}():\n    {word} = 1\n    return {word}\n",
    "go": "func {name}() int {{\n\t{word} := 1\n\treturn {word}\n}}\n",
    "rust": "pub fn {name}() -> i32 {{\n    let {word} = 1;\n    {word}\n}}\n",
    "java": "class {name} {{\n    int {word} = 1;\n}}\n",
    "typescript": "export function {name}() {{\n  const {word} = 1;\n  return {word};\n}}\n",
    "javascript": "export function {name}() {{\n  const {word} = 1;\n  return {word};\n}}\n",
    "c": "int {name}(void)\n{{\n    int {word} = 1;\n    return {word};\n}}\n",
    "ruby": "def {name}\n  {word} = 1\n  {word}\nend\n",
    "php": "function {name}() {{\n    ${word} = 1;\n    return ${word};\n}}\n",
}
_COMMENTS = {"python": "#", "ruby": "#", "shell": "#"}
INSERTED = 3_000  # lines of the huge insert


@dataclass(frozen=True)
class Made:
    """What an edit made true: words and symbols by the path they are in now ("" for nowhere)."""

    told: str = ""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    symbols: Mapping[str, str] = field(default_factory=dict[str, str])
    gone: frozenset[str] = frozenset()


class Tree:
    """The copy, with its covered files, and files and functions to choose from."""

    def __init__(self, root: Path, files: Callable[[], Mapping[str, str]]) -> None:
        self.root = root
        self._files = files
        self.language, self.suffix = self._main_language()

    def text(self, path: str) -> str:
        """A file, its line ends kept."""
        return (self.root / path).read_bytes().decode("utf-8", "surrogateescape")

    def write(self, path: str, text: str) -> None:
        """Replace or make a file."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8", "surrogateescape"))

    def sources(self) -> list[str]:
        """Files of the main language, those with most functions first."""
        paths = [path for path in self._files() if path.endswith(self.suffix)]
        return sorted(paths, key=lambda path: (-len(self.functions(path)), path))

    def functions(self, path: str) -> list[Definition]:
        """Functions at the top level of a file."""
        found = outline_of(path, (self.root / path).read_bytes()).definitions
        return [item for item in found if item.kind == "function" and not item.owner]

    def function(self, name: str, word: str) -> str:
        """The text of a new function of the main language."""
        return _FUNCTIONS[self.language].format(name=name, word=word)

    def comment(self, text: str) -> str:
        """A comment line."""
        return f"{_COMMENTS.get(self.language, '//')} {text}\n"

    def _main_language(self) -> tuple[str, str]:
        counts: dict[tuple[str, str], int] = {}
        for path in self._files():
            language = outline_of(path, b"").language
            if language in _FUNCTIONS:
                key = language, f".{path.rpartition('.')[2]}"
                counts[key] = counts.get(key, 0) + 1
        return max(counts, key=lambda key: (counts[key], key)) if counts else ("python", ".py")


class Edit(NamedTuple):
    """An edit, in one step or several; the views are judged after each."""

    name: str
    make: Callable[[Tree], Iterator[Made]]


def _add(tree: Tree) -> Iterator[Made]:
    path = f"added_zq1{tree.suffix}"
    tree.write(path, tree.function("brandNewZq1", "freshwordzq1"))
    yield Made(words={"freshwordzq1": path}, symbols={"brandNewZq1": path})


def _delete(tree: Tree) -> Iterator[Made]:
    (tree.root / f"added_zq1{tree.suffix}").unlink()
    gone = frozenset((f"added_zq1{tree.suffix}",))
    yield Made(words={"freshwordzq1": ""}, symbols={"brandNewZq1": ""}, gone=gone)


def _rename(tree: Tree) -> Iterator[Made]:
    old = tree.sources()[1]
    new = f"{old.removesuffix(tree.suffix)}_zq2{tree.suffix}"
    tree.write(old, tree.text(old) + tree.comment("renamedwordzq2"))
    (tree.root / old).rename(tree.root / new)
    yield Made(old, words={"renamedwordzq2": new}, gone=frozenset((old,)))
    (tree.root / new).rename(tree.root / old)
    yield Made("back", words={"renamedwordzq2": old}, gone=frozenset((new,)))


def _move(tree: Tree) -> Iterator[Made]:
    first, second, *_ = tree.sources()
    tree.write(first, tree.text(first) + "\n\n" + tree.function("travellerZq3", "luggagezq3"))
    yield Made("made", words={"luggagezq3": first}, symbols={"travellerZq3": first})
    text = tree.text(first).removesuffix("\n\n" + tree.function("travellerZq3", "luggagezq3"))
    tree.write(first, text)
    tree.write(second, tree.text(second) + "\n\n" + tree.function("travellerZq3", "luggagezq3"))
    yield Made("moved", words={"luggagezq3": second}, symbols={"travellerZq3": second})
    yield from _moved_real(tree, first, second)


def _moved_real(tree: Tree, first: str, second: str) -> Iterator[Made]:
    """The same with a function that is there and that others may call."""
    functions = tree.functions(first)
    if functions:
        chosen = functions[len(functions) // 2]
        lines = tree.text(first).splitlines(keepends=True)
        body = lines[chosen.start - 1 : chosen.end]
        tree.write(first, "".join(lines[: chosen.start - 1] + lines[chosen.end :]))
        tree.write(second, tree.text(second) + "\n" + "".join(body))
        yield Made(chosen.name)


def _body(tree: Tree) -> Iterator[Made]:
    path = tree.sources()[0]
    found = outline_of(path, (tree.root / path).read_bytes()).definitions
    chosen = next(d for d in found if d.kind in ("function", "method") and d.end > d.line + 1)
    lines = tree.text(path).splitlines(keepends=True)
    indent = lines[chosen.end - 1][
        : len(lines[chosen.end - 1]) - len(lines[chosen.end - 1].lstrip())
    ]
    lines.insert(chosen.end - 1, indent + tree.comment("editedwordzq4"))
    tree.write(path, "".join(lines))
    yield Made(chosen.qualified, words={"editedwordzq4": path})
    tree.write(path, "".join(line for line in lines if "editedwordzq4" not in line))
    yield Made("undone", words={"editedwordzq4": ""})


def _switch(tree: Tree) -> Iterator[Made]:
    commits = (
        git(tree.root, "rev-list", "--first-parent", "--max-count=30", "HEAD").decode().split()
    )
    git(tree.root, "stash", "push", "--quiet", "--include-untracked", settings=_WHO)
    git(tree.root, "checkout", "--quiet", "--detach", commits[-1])
    yield Made(f"{len(commits) - 1} commits back")
    git(tree.root, "checkout", "--quiet", "-")
    git(tree.root, "stash", "pop", "--quiet", settings=_WHO)
    yield Made("and back")


def _again(tree: Tree) -> Iterator[Made]:
    path = tree.sources()[0]
    text = tree.text(path)
    tree.write(path, text + tree.comment("backagainzq5"))
    (tree.root / path).unlink()
    tree.write(path, text + tree.comment("backagainzq5"))
    yield Made("at once", words={"backagainzq5": path})
    (tree.root / path).unlink()
    yield Made("deleted", words={"backagainzq5": ""}, gone=frozenset((path,)))
    tree.write(path, text + tree.comment("backagainzq5"))
    yield Made("there again", words={"backagainzq5": path})


def _line_ends(tree: Tree) -> Iterator[Made]:
    path = tree.sources()[0]
    text = tree.text(path)
    tree.write(path, text.replace("\r\n", "\n").replace("\n", "\r\n"))
    yield Made("to CRLF", words={"backagainzq5": path})
    tree.write(path, text)
    yield Made("and back", words={"backagainzq5": path})


def _insert(tree: Tree) -> Iterator[Made]:
    path = tree.sources()[0]
    text = tree.text(path)
    tree.write(path, "".join(tree.comment(f"line {n}") for n in range(INSERTED)) + text)
    yield Made(f"{INSERTED} lines", words={"backagainzq5": path})
    tree.write(path, text)
    yield Made("taken out", words={"backagainzq5": path})


def _folder(tree: Tree) -> Iterator[Made]:
    path = next(p for p in tree.sources() if "/" in p)
    folder = path.split("/", maxsplit=1)[0]
    inside = frozenset(p for p in tree.sources() if p.startswith(f"{folder}/"))
    (tree.root / folder).rename(tree.root / f"{folder}_zq6")
    yield Made(folder, gone=inside)
    (tree.root / f"{folder}_zq6").rename(tree.root / folder)
    yield Made("and back")


_WHO = ("user.name=measure", "user.email=measure@example.org", "commit.gpgsign=false")
EDITS = (
    Edit("add a file", _add),
    Edit("delete a file", _delete),
    Edit("rename a file", _rename),
    Edit("move a function", _move),
    Edit("edit a body", _body),
    Edit("switch branches", _switch),
    Edit("delete and add again", _again),
    Edit("change line ends", _line_ends),
    Edit("insert above", _insert),
    Edit("rename a folder", _folder),
)
