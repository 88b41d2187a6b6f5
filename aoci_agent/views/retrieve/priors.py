"""What a file is worth before anything is looked for: tests, samples and prose less than the product.

Whoever asks for one of these says so, and then it is worth as much.
"""

from collections.abc import Callable

from aoci_agent.aoci.facts.languages import language_of
from aoci_agent.aoci.layers import is_retired, is_sample, is_test
from aoci_agent.views.lexical.tokens import words_of
from aoci_agent.views.retrieve.question import Question
from aoci_agent.views.retrieve.ranking import Ranking

_TEST = 0.3
_PROSE = 0.6  # and configuration
_SAMPLE = 0.7
_RETIRED = 0.3
_ASKING_TESTS = frozenset(
    ("test", "tests", "testing", "spec", "specs", "fixture", "fixtures", "pytest", "unittest")
)
_ASKING_PROSE = frozenset(
    ("doc", "docs", "documentation", "documented", "readme", "changelog", "tutorial", "config")
)
_ASKING_SAMPLES = frozenset(("example", "examples", "sample", "demo", "benchmark", "benchmarks"))


def prior_of(question: Question) -> Callable[[str], float]:
    """The factor of a path, from above 0 to 1."""
    asked = set(words_of(question.title))
    tests = 1.0 if asked & _ASKING_TESTS else _TEST
    prose = 1.0 if asked & _ASKING_PROSE else _PROSE
    samples = 1.0 if asked & _ASKING_SAMPLES else _SAMPLE

    def prior(path: str) -> float:
        factor = _RETIRED if is_retired(path) else 1.0
        if is_test(path):
            return factor * tests
        if language_of(path) is None:
            return factor * prose
        return factor * (samples if is_sample(path) else 1.0)

    return prior


def weighed(ranking: Ranking, prior: Callable[[str], float]) -> Ranking:
    """The same with every score times the factor of its file."""
    known: dict[str, float] = {path: prior(path) for path in ranking.files}
    for block in ranking.blocks:
        if block.path not in known:
            known[block.path] = prior(block.path)
    return Ranking(
        {block: score * known[block.path] for block, score in ranking.blocks.items()},
        {path: score * known[path] for path, score in ranking.files.items()},
    )
