"""Looking by words, by names and by places: all that needs no model."""

from aoci_agent.views.retrieve.material import Material
from aoci_agent.views.retrieve.mentions import Places, named_symbols
from aoci_agent.views.retrieve.question import Question, weights_of
from aoci_agent.views.retrieve.ranking import Ranking, added, of_files, ranked, scaled
from aoci_agent.views.retrieve.signals import Signal

CANDIDATES = 1_000  # blocks each search gives; what ranks lower never comes up
# Measured on the development halves of localization cases; anything near does as well.
_TITLE, _PROSE, _TEXT = 1.0, 1.0, 1.5
_NAMES = 0.6
_PATHS = 1.0
_FRAMES, _MODULES = 0.5, 0.3  # against a path that is written out
_SURE = 0.7  # names from here on are searched for by themselves


def by_words(question: Question, material: Material) -> list[Signal]:
    """Title, prose and the whole text, and what they name. What several find counts more."""
    weights: dict[str, float] = {}
    parts = ((question.title, _TITLE), (question.prose, _PROSE), (question.text, _TEXT))
    for text, weight in parts:
        weights[text] = weights.get(text, 0) + weight
    searched = {text: ranked(material.found(weights_of(text), CANDIDATES)) for text in weights}
    total = sum(weights.values())
    found = Ranking(
        added((weight / total, searched[text].blocks) for text, weight in weights.items()),
        added((weight / total, searched[text].files) for text, weight in weights.items()),
    )
    return [Signal("words", total, found), *_named(question, material, found)]


def _named(question: Question, material: Material, found: Ranking) -> list[Signal]:
    sure = " ".join(name for name, sureness in question.names.items() if sureness >= _SURE)
    asked = ranked(material.found(weights_of(sure), CANDIDATES) if sure else ())
    symbols = named_symbols(question, dict.fromkeys((*found.blocks, *asked.blocks)))
    places = Places(path for path in material.files if material.covers(path))
    files = added(
        (
            (1, places.named(question)),
            (_FRAMES, places.framed(question)),
            (_MODULES, places.modules(question)),
        )
    )
    signals = [
        Signal("named", _NAMES, Ranking(scaled(symbols), scaled(of_files(symbols)))),
        Signal("path", _PATHS, Ranking({}, files)),
    ]
    return [signal for signal in signals if signal.ranking.files]
