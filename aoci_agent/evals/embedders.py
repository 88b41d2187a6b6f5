"""Measure embedding models: `python -m aoci_agent.evals.embedders [--model NAME...] PATH...`.

Functions of Python with a docstring, the docstring taken out, are searched with its first paragraph: how
often the function is first, among the first ten, and the mean of 1/rank; beside BM25. And how many texts
a model embeds in a second of the processor, how long a query takes, and how long the model takes to load.
Docstrings favour models of meaning: a person's question shares fewer thoughts with the code.
"""

import argparse
import ast
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from aoci_agent.base.errors import ForUser
from aoci_agent.views.dense.arrays import products
from aoci_agent.views.dense.embedder import embedder_named

if TYPE_CHECKING:
    from aoci_agent.views.dense.arrays import Vectors
    from aoci_agent.views.dense.embedder import Embedder

COLUMNS = ("model", "functions", "R@1", "R@10", "MRR", "texts/CPU s", "query ms", "load CPU s")
WIDTH = 11
SHORTEST = 30  # characters of a docstring that says something


class Function(NamedTuple):
    """A function without its docstring, and the first paragraph of that."""

    text: str
    said: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for BM25 and for each model."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.embedders")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="folders with Python")
    parser.add_argument("--model", nargs="+", default=["static", "semantic"], metavar="NAME")
    parser.add_argument("--functions", type=int, default=1_000, metavar="N")
    options = parser.parse_args(arguments)
    found = sorted({each for path in options.paths for each in functions_below(path)})
    chosen = random.Random(1).sample(found, min(options.functions, len(found)))
    if not chosen:
        print("no function with a docstring is there", file=sys.stderr)
        return 1
    print(" ".join(f"{name:>{WIDTH}}" for name in COLUMNS))
    _print("BM25", _by_words(chosen), ("", "", ""))
    for name in cast("list[str]", options.model):
        try:
            embedder = embedder_named(name)
        except ForUser as error:
            print(f"{error.message}\n{error.hint}", file=sys.stderr)
            return 1
        if embedder is not None:
            _print(name, *_by_model(embedder, chosen))
    return 0


def functions_below(folder: Path) -> Iterator[Function]:
    """The functions with a docstring in the Python files below a folder, or of one file."""
    for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
        try:
            text = path.read_text("utf-8")
            tree = ast.parse(text)
        except (OSError, ValueError, SyntaxError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _function(node, text.split("\n"))


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> Iterator[Function]:
    said = (ast.get_docstring(node) or "").split("\n\n")[0]
    first = node.body[0]
    if len(said) >= SHORTEST and len(node.body) > 1:
        head = lines[node.lineno - 1 : first.lineno - 1]
        body = lines[first.end_lineno or first.lineno : node.end_lineno]
        yield Function("\n".join([*head, *body]), said)


def _by_words(functions: Sequence[Function]) -> list[int]:
    from rank_bm25 import BM25Plus

    from aoci_agent.views.lexical.tokens import words_of

    ranker: Any = BM25Plus([words_of(each.text) for each in functions])
    return [_rank(ranker.get_scores(words_of(each.said)), at) for at, each in enumerate(functions)]


def _by_model(
    embedder: "Embedder", functions: Sequence[Function]
) -> tuple[list[int], tuple[str, str, str]]:
    """Ranks, and the speeds as they are printed."""
    started = time.process_time()
    embedder.embed(["def main(): pass"])
    loaded = time.process_time()
    rows = embedder.embed([each.text[: embedder.limit] for each in functions])
    embedded = time.process_time()
    queries = [embedder.embed([each.said[: embedder.limit]], query=True)[0] for each in functions]
    asked = time.process_time()
    speeds = (
        f"{len(functions) / max(embedded - loaded, 1e-6):,.0f}",
        f"{1000 * (asked - embedded) / len(functions):.2f}",
        f"{loaded - started:.2f}",
    )
    return [_rank(products(rows, query), at) for at, query in enumerate(queries)], speeds


def _rank(scores: "Vectors", right: int) -> int:
    """The place of one in a ranking, from 1; those with the same score stand before it."""
    return int((scores >= scores[right]).sum())


def _print(name: str, ranks: Sequence[int], speeds: tuple[str, str, str]) -> None:
    count = len(ranks)
    figures = (
        sum(rank == 1 for rank in ranks) / count,
        sum(rank <= 10 for rank in ranks) / count,
        sum(1 / rank for rank in ranks) / count,
    )
    cells = (name[:WIDTH], f"{count:,}", *(f"{figure:.3f}" for figure in figures), *speeds)
    print(" ".join(f"{cell:>{WIDTH}}" for cell in cells), flush=True)


if __name__ == "__main__":
    sys.exit(main())
