"""Models: text generation, likelihood of a text, embedding, word matching and reranking."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from core.model import Prompt, Usage

TextListener = Callable[[str], None]
"""Called with the whole text so far while it is generated. A text may start over."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Parameters of generation."""

    max_tokens: int = 400
    temperature: float = 0.0  # 0 is greedy
    seed: int | None = None  # makes the text reproducible, if the server supports it


@dataclass(frozen=True, slots=True)
class Generation:
    """A generated text."""

    text: str
    finished: bool = True  # False if ``max_tokens`` cut it off
    usage: Usage = field(default_factory=Usage)


class LanguageModel(Protocol):
    """A chat model. Calls may run concurrently; the implementation limits their number."""

    @property
    def name(self) -> str:
        """The model's name, stored in the turn's configuration."""

    @property
    def context_tokens(self) -> int:
        """The maximum number of tokens of prompt and answer together."""

    def count_tokens(self, text: str) -> int:
        """Estimate the number of tokens of a text, rather too high than too low."""

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        """Generate the answer to a prompt.

        Raises :class:`core.errors.ModelUnavailable` if the model does not answer after retries,
        :class:`core.errors.ModelRejected` if it cannot answer until a setting is corrected, and
        :class:`core.errors.ContextTooLong` if the prompt does not fit into its window.
        """


@dataclass(frozen=True, slots=True)
class Score:
    """The likelihood of a text."""

    log_likelihood: float  # natural logarithm (nats), summed over all tokens; finite and at most 0
    tokens: int


class AnswerScorer(Protocol):
    """Scores given texts. Calls may run concurrently; the implementation limits their number."""

    async def score(self, prompt: Prompt, answer: str) -> Score:
        """Return the likelihood that the model's answer to this prompt begins with exactly this text.

        Whether the answer would end there is ignored. An empty text has 0 tokens and log-likelihood 0. Raises
        :class:`core.errors.ScoringUnsupported` if the server cannot score texts, and the errors of
        :meth:`core.ports.models.LanguageModel.generate`.
        """


Vectors = npt.NDArray[np.float32]
"""Shape (texts, dimension), rows L2-normalised."""


Matrix = npt.NDArray[np.float64]


class Embedder(Protocol):
    """Embeds texts as vectors. Some models (e5) embed queries and passages differently.

    All members may raise :class:`core.errors.EmbedderUnavailable`.
    """

    @property
    def name(self) -> str:
        """Identifies model AND numerics: embedders with the same name give interchangeable vectors."""

    @property
    def dimension(self) -> int: ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors: ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors: ...


TokenVectors = bytes
"""The compressed vectors of a text's tokens, readable only by the model that made them."""


class TokenEmbedder(Protocol):
    """Embeds each token of a text and the text as a whole in one pass.

    All members may raise :class:`core.errors.EmbedderUnavailable`.
    """

    @property
    def name(self) -> str:
        """Identifies model, numerics and compression: equal names mean interchangeable token vectors."""

    @property
    def embedder(self) -> str:
        """The name of the embedder whose passage vectors :meth:`embed` returns."""

    @property
    def unit_name(self) -> str:
        """The same for the token vectors of units."""

    async def embed(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenVectors]]: ...

    async def embed_units(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the token vectors of units, which are stored more exactly because answers are chosen by them."""


@dataclass(frozen=True, slots=True, eq=False)
class WordMatches:
    """How well texts match each word of a question by meaning, across synonyms and languages."""

    words: tuple[str, ...]  # of the question, split at white space
    weights: Matrix  # shape (words,), sum 1; rare words have more
    scores: Matrix  # shape (texts, words), 0 to 1

    @property
    def totals(self) -> Matrix:
        """The weighted mean over the words, shape (texts,)."""
        return np.asarray(self.scores @ self.weights)


@dataclass(frozen=True, slots=True)
class TextInContext:
    """A text and the lines before it that say what it is about; ``context`` is "" or ends with a line break."""

    context: str
    text: str

    @classmethod
    def of(cls, lines: Iterable[str], text: str) -> TextInContext:
        """Return a text below those of the lines that are not empty."""
        return cls("".join(f"{line}\n" for line in lines if line), text)

    @property
    def whole(self) -> str:
        """Both, as they are embedded."""
        return self.context + self.text


class WordMatcher(Protocol):
    """Compares a question with texts word by word, by late interaction (ColBERT, SIGIR 2020).

    All members may raise :class:`core.errors.EmbedderUnavailable`.
    """

    async def match_words(self, question: str, texts: Sequence[str]) -> WordMatches:
        """Match a question with texts. Units with stored token vectors need no model call."""

    async def rate_answers(self, question: str, texts: Sequence[TextInContext]) -> Matrix:
        """Return the log-odds that each text answers the question, shape (texts,).

        They are 0 for a text without tokens, and for all texts if the model has no token vectors.
        """

    async def match_stored(self, question: str, hashes: Collection[str]) -> dict[str, float]:
        """Return the totals of whole texts by hash, for the hashes with stored token vectors."""


class Reranker(Protocol):
    """Scores texts for a question. Higher is better; scores of different calls are not comparable."""

    @property
    def name(self) -> str:
        """The model's name, stored in the turn's configuration."""

    async def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one score per text, in order. Raises :class:`core.errors.RerankerUnavailable`."""
