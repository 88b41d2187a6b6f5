"""Looking by meaning: vectors of blocks near those of the query's title and text."""

from aoci_agent.views.retrieve.material import Material
from aoci_agent.views.retrieve.question import Question
from aoci_agent.views.retrieve.ranking import Ranking, added, ranked
from aoci_agent.views.retrieve.signals import Signal

CANDIDATES = 300
_WEIGHT = 0.7  # against 3 of the words: static vectors know less than they do
_LEAST = 0.3  # cosine; what is farther away has nothing to do with the query
_TEXT = 1_500  # characters of a long query that are embedded with its title


def by_meaning(question: Question, material: Material) -> list[Signal]:
    """Blocks near the title and near the text."""
    texts = dict.fromkeys((question.title, question.text[:_TEXT]))
    found = [material.near(text, CANDIDATES) for text in texts]
    parts = [ranked(hit for hit in hits if hit.score >= _LEAST) for hits in found]
    share = 1 / len(parts)
    ranking = Ranking(
        added((share, part.blocks) for part in parts), added((share, part.files) for part in parts)
    )
    return [Signal("meaning", _WEIGHT, ranking)]
