"""What holds for every language of the graph that is read by a table."""

from random import Random
from typing import get_args

import pytest
import tree_sitter
from hypothesis import HealthCheck, given, settings, strategies as st
from support.graphs import Graph, Texts
from support.projects import PROJECTS

from aoci_agent.views.graph.languages import language_for
from aoci_agent.views.graph.repair import Strategy
from aoci_agent.views.graph.view import GraphView

LANGUAGES = sorted(PROJECTS)


def rebuilt(source: Texts) -> GraphView:
    view = GraphView()
    view.build(source)
    return view


@pytest.mark.parametrize("strategy", get_args(Strategy))
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_update_there_and_back_is_a_rebuild(language: str, strategy: Strategy) -> None:
    before = Texts.of(PROJECTS[language])
    view = GraphView(strategy)
    view.build(before)
    first = view.digest()
    for path, text in PROJECTS[language].items():
        for edit in ({path: None}, {path: f"\n\n{text}"}, {path: renamed(text)}):
            after = before.changed(edit)
            view.apply(after, before.delta(after))
            assert view.digest() == rebuilt(after).digest(), (path, edit)
            view.apply(before, after.delta(before))
            assert view.digest() == first, (path, edit)


def renamed(text: str) -> str:
    """Another name for what most of the others use, fewer imports."""
    lines = text.replace("cost", "price").replace("greet", "hail").split("\n")
    marks = ("import ", "use ", "#include", "using ", "require", "source ")
    return "\n".join(line for line in lines if not line.strip().startswith(marks[len(text) % 6]))


@pytest.mark.parametrize(
    "path", ["a.py", "a.go", "a.ts", "a.tsx", "a.js", "a.java", "a.rs", "a.rb"]
)
def test_a_file_is_parsed_once(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tree_sitter.Parser] = []
    parser = tree_sitter.Parser

    def counted(language: tree_sitter.Language) -> tree_sitter.Parser:
        made.append(parser(language))
        return made[-1]

    monkeypatch.setattr(tree_sitter, "Parser", counted)
    language = language_for(path)
    assert language is not None
    language.read(path, f"parsed_once_{path}\n".replace(".", "_").encode())
    assert len(made) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_use_lies_on_a_name_and_every_definition_on_its_own(language: str) -> None:
    graph = Graph.of(PROJECTS[language])
    for path, data in graph.source.texts.items():
        lines = data.decode().split("\n")
        for symbol in graph.view.symbols_in(path):
            assert lines[symbol.line - 1][symbol.column :].startswith(symbol.name), symbol
            for reference in graph.view.references(symbol):
                where = reference.location
                assert where.column < len(
                    graph.source.texts[where.path].decode().split("\n")[where.start - 1]
                )


@pytest.mark.parametrize("language", LANGUAGES)
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(chance=st.randoms(use_true_random=False))
def test_no_text_is_too_odd(language: str, chance: Random) -> None:
    path, text = chance.choice(sorted(PROJECTS[language].items()))
    reader = language_for(path)
    if reader is None:
        return
    cut = sorted(chance.sample(range(len(text) + 1), 2))
    odd = (
        text[: cut[0]]
        + chance.choice(["", "{", "}", "(", "\u00e9\U0001f600", "\0", "<", "\\", '"'])
        + text[cut[1] :]
    )
    facts = reader.read(path, odd.encode() if chance.random() < 0.8 else odd.encode("utf-16"))
    assert facts.language == reader.name


@pytest.mark.parametrize(
    "ending", ["java", "scala", "kt", "rs", "c", "cpp", "cs", "php", "rb", "swift", "sh"]
)
def test_deep_and_long_texts_end(ending: str) -> None:
    reader = language_for(f"a.{ending}")
    assert reader is not None
    for text in (
        "(" * 3000,
        "a." * 3000 + "b",
        "{" * 2000 + "}" * 2000,
        "x + " * 3000 + "x;",
        "f(" * 1000,
        "",
    ):
        reader.read(f"a.{ending}", text.encode())
