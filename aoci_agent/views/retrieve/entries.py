"""Looking in the AOCI index: entries are documents of files, their functions and interfaces weighted."""

from aoci_agent.aoci.lookup import search
from aoci_agent.base.errors import NotPossible
from aoci_agent.views.retrieve.material import Material
from aoci_agent.views.retrieve.question import Question
from aoci_agent.views.retrieve.ranking import Ranking, added, scaled
from aoci_agent.views.retrieve.signals import Signal

CANDIDATES = 100
_WEIGHT = 1.0


def by_entries(question: Question, material: Material) -> list[Signal]:
    """Files whose entries fit the title, and the text. Raises NotPossible without an index."""
    index = material.entries
    if index is None or not index.entries:
        raise NotPossible("there is no index")
    parts = [
        {
            hit.path: hit.score
            for hit in search(index, text, CANDIDATES)
            if material.covers(hit.path)
        }
        for text in dict.fromkeys((question.title, question.text))
    ]
    return [Signal("index", _WEIGHT, Ranking({}, scaled(added((1, scaled(p)) for p in parts))))]
