"""Reranking models by their litellm names, as plans want them: called from any thread."""

from collections.abc import Sequence

from aoci_agent.agent.models.whole import WholeAnswers, sendable
from aoci_agent.base.errors import ModelUnavailable


class LitellmJudge:
    """One reranking model. The texts of the blocks it reads are sent to the provider."""

    def __init__(self, answers: WholeAnswers) -> None:
        self.name = f"litellm:{answers.model}"
        self._model = answers.model
        self._answers = answers

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number a text, as the provider gives it; 0 for a text it says nothing of."""
        if not texts:
            return []
        body = {
            "query": sendable(query),
            "documents": [sendable(text) for text in texts],
            "top_n": len(texts),
        }
        scores = [0.0] * len(texts)
        results = [
            result
            for chunk in self._answers.ask("rerank", body)
            for result in chunk.get("results", [])
        ]
        if not results:
            raise ModelUnavailable(f"{self._model} ranked nothing")
        for result in results:
            place = int(result["index"])
            if not 0 <= place < len(texts):
                raise ModelUnavailable(f"{self._model} ranked a text it was not given")
            scores[place] = float(result["relevance_score"])
        return scores

    def close(self) -> None:
        """End the worker. Later scores start another."""
        self._answers.close()
