"""Looking by words, by names and by places: all that needs no model."""

from aoci_agent.views.retrieve.material import Material
from aoci_agent.views.retrieve.mentions import Places, named_symbols
from aoci_agent.views.retrieve.question import Question, weights_of
from aoci_agent.views.retrieve.ranking import Ranking, added, of_files, ranked, scaled
from aoci_agent.views.retrieve.signals import Signal

CANDIDATES = 1_000  # blocks each search gives; what ranks lower never comes up
_NAMES = 0.6
_SURE = 0.7  # names from here on are searched for by themselves


def by_words(question: Question, material: Material) -> list[Signal]:
    """Title, prose and the whole text, and what they name. What several find counts more."""
    parts = [ranked(material.found(weights_of(text), CANDIDATES)) for text in question.parts]
    found = Ranking(
        added((1 / len(parts), part.blocks) for part in parts),
        added((1 / len(parts), part.files) for part in parts),
    )
    words = Signal("words", len(parts), found)
    return [words, *_named(question, material, found)]


def _named(question: Question, material: Material, found: Ranking) -> list[Signal]:
    sure = " ".join(name for name, sureness in question.names.items() if sureness >= _SURE)
    asked = ranked(material.found(weights_of(sure), CANDIDATES) if sure else ())
    symbols = named_symbols(question, dict.fromkeys((*found.blocks, *asked.blocks)))
    places = Places(path for path in material.files if material.covers(path))
    files = places.named(question)
    for path, score in places.framed(question).items():
        files[path] = files.get(path, 0) + score / 2
    signals = [
        Signal("named", _NAMES, Ranking(scaled(symbols), scaled(of_files(symbols)))),
        Signal("path", _NAMES, Ranking({}, files)),
    ]
    return [signal for signal in signals if signal.ranking.files]
