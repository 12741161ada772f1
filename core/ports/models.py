"""Models: a prompt to a text, the likelihood of a text, texts to vectors, and the order of texts for a question."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from core.model import Prompt, Usage

TextListener = Callable[[str], None]
"""Called with a text while it is being written: each time all of it so far, which may start over."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a text is drawn. ``temperature`` 0 is greedy; ``seed`` makes a draw repeatable where the server can."""

    max_tokens: int = 400
    temperature: float = 0.0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Generation:
    """What a model wrote. ``finished`` is False where ``max_tokens`` cut it off."""

    text: str
    finished: bool = True
    usage: Usage = field(default_factory=Usage)


class LanguageModel(Protocol):
    """A chat model. Calls may run concurrently; the implementation limits how many do."""

    @property
    def name(self) -> str:
        """The model's name, for the turn's configuration."""
        ...

    @property
    def context_tokens(self) -> int:
        """Tokens of a prompt and its answer together, at most."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a text; an estimate, rather too many than too few."""
        ...

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        """Answers a prompt.

        Raises :class:`core.errors.ModelUnavailable` if the model does not answer now, after retries;
        :class:`core.errors.ModelRejected` if it will not answer until a setting is corrected;
        :class:`core.errors.ContextTooLong` if the prompt does not fit into its window.
        """
        ...


@dataclass(frozen=True, slots=True)
class Score:
    """``log_likelihood``: of all ``tokens`` of a text together, natural logarithm (nats), finite and at most 0."""

    log_likelihood: float
    tokens: int


class AnswerScorer(Protocol):
    """Scores fixed texts. Calls may run concurrently; the implementation limits how many do."""

    async def score(self, prompt: Prompt, answer: str) -> Score:
        """How likely the model is to begin its answer to this prompt with this text, word for word.

        Whether it would end there does not count. An empty text has no tokens, and log-likelihood 0.

        Raises :class:`core.errors.ScoringUnsupported` if the model's server cannot score a text, and otherwise what
        :meth:`core.ports.models.LanguageModel.generate` raises.
        """
        ...


Vectors = npt.NDArray[np.float32]
"""Shape (texts, dimension), rows L2-normalised."""


Matrix = npt.NDArray[np.float64]


class Embedder(Protocol):
    """Turns texts into vectors. Queries and passages differ for models trained that way (e5).

    All members may raise :class:`core.errors.EmbedderUnavailable`.
    """

    @property
    def name(self) -> str:
        """Names model AND numerics: two embedders with one name give interchangeable vectors."""
        ...

    @property
    def dimension(self) -> int: ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors: ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors: ...


TokenVectors = bytes
"""The vectors of a text's tokens, compressed. Only the model that made them reads them."""


class TokenEmbedder(Protocol):
    """Gives each token of a text a vector, and the text as a whole one, in one pass.

    All members may raise :class:`core.errors.EmbedderUnavailable`.
    """

    @property
    def name(self) -> str:
        """Names model, numerics and compression: token vectors of one name are interchangeable."""
        ...

    @property
    def embedder(self) -> str:
        """The name of the embedder whose vectors of passages :meth:`embed` gives."""
        ...

    async def embed(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenVectors]]: ...


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Parts of a text, by ranges of its characters: a sentence, and what says what it is about."""

    text: str
    ranges: tuple[tuple[int, int], ...]

    @classmethod
    def whole(cls, text: str) -> Excerpt:
        return cls(text, ((0, len(text)),))

    @property
    def words(self) -> str:
        """The parts alone, one a line."""
        return "\n".join(self.text[start:end] for start, end in self.ranges)


@dataclass(frozen=True, slots=True, eq=False)
class WordMatches:
    """How well texts match each word of a question, by meaning, also in other words and other languages.

    ``words``: those of the question as they are written, split at white space; ``weights``: shape (words,), sum 1, more
    for rare words; ``scores``: shape (texts, words), 0 to 1.
    """

    words: tuple[str, ...]
    weights: Matrix
    scores: Matrix

    @property
    def totals(self) -> Matrix:
        """Shape (texts,): the weighted mean over the words."""
        return np.asarray(self.scores @ self.weights)


class WordMatcher(Protocol):
    """Compares a question with texts word by word: late interaction (ColBERT, SIGIR 2020).

    May raise :class:`core.errors.EmbedderUnavailable`.
    """

    async def match_words(self, question: str, texts: Sequence[Excerpt]) -> WordMatches:
        """How well the excerpts match. Those of texts with stored token vectors take no computing."""
        ...

    async def match_stored(self, question: str, hashes: Collection[str]) -> dict[str, float]:
        """The totals of whole texts by their hashes, for those with stored token vectors."""
        ...


class Reranker(Protocol):
    """Scores texts for one question; higher is better, and scores of one call compare with each other only."""

    @property
    def name(self) -> str:
        """For the turn's configuration."""
        ...

    async def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One score a text, in their order. Raises :class:`core.errors.RerankerUnavailable`."""
        ...
