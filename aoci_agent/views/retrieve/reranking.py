"""A model reads the best blocks against the query."""

from collections import Counter

from aoci_agent.base.errors import NotPossible
from aoci_agent.views.retrieve.material import Material
from aoci_agent.views.retrieve.question import Question
from aoci_agent.views.retrieve.ranking import Block, Ranking, of_files, ordered
from aoci_agent.views.retrieve.signals import Signal

READ = 50  # blocks
_OF_A_FILE = 3
_CHARACTERS = 1_000
_QUERY = 700
_WEIGHT = 1.0


def judged(found: Ranking, question: Question, material: Material) -> Signal:
    """The model's scores. Raises NotPossible without a model, ForUser where it fails."""
    judge, read = material.judge, material.read
    if judge is None or read is None:
        raise NotPossible("there is no model to rerank with")
    blocks = _chosen(found)
    texts = [text_of(block, read(block.path)) for block in blocks]
    scores = judge.scores(question.text[:_QUERY], texts)
    kept = {block: max(score, 0.0) for block, score in zip(blocks, scores, strict=True)}
    return Signal("rerank", _WEIGHT, Ranking(kept, of_files(kept)))


def text_of(block: Block, text: str) -> str:
    """What a model is given of a block: where it is, its name, its first lines."""
    lines = text.split("\n")[block.start - 1 : block.end]
    place = block.path.rpartition(".")[0].replace("/", " ")
    return f"{place} {block.symbol}\n" + "\n".join(lines)[:_CHARACTERS]


def _chosen(found: Ranking) -> list[Block]:
    """The first blocks, but few of one file."""
    taken: Counter[str] = Counter()
    blocks: list[Block] = []
    for block in ordered(found.blocks):
        if taken[block.path] < _OF_A_FILE:
            taken[block.path] += 1
            blocks.append(block)
        if len(blocks) == READ:
            break
    return blocks
