"""Which stored turns may be explained, and by which answerer: the one that answered them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from adapters.embedding.cached import CachedEmbedder
from bot.models import language_model_for
from bot.settings import Settings
from bot.wiring import Application
from core.answering.answerer import Answerer, is_written_by_model
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import MAX_TOKENS, GenerativeAnswerer
from core.attribution.attributors import AnswererOf, CounterfactualAttributor, FrugalAttributor, LikelihoodAttributor
from core.attribution.explainer import Explainer, Reference
from core.attribution.steps import Attributor, load_clustering
from core.errors import NotExplainable, TurnUnknown
from core.evidence.contextualise import contextualise
from core.model import Scope, Turn, Usage
from core.ports.models import Embedder, LanguageModel, Sampling, Vectors, WordMatcher
from core.retrieval.entries import text_hash

if TYPE_CHECKING:
    from adapters.llm.chat import OpenAIChat

_TEMPERATURE = 0.7  # of repetitions: greedy ones would only say the same again


async def turn_to_explain(application: Application, turn_id: str, scope: Scope) -> Turn:
    """A turn that this scope may see. Raises TurnUnknown; of a hidden conversation there is none."""
    turn = await application.turns.get(turn_id)
    if turn is None or not await application.turns.of_conversation(turn.conversation_id):
        raise TurnUnknown(
            f"There is no answer {turn_id} here. `wikiwhy ask --json` gives each answer's turn_id, /trace in "
            "`wikiwhy chat` shows it; another --data-dir has other answers."
        )
    # Neither what only its asker may read is shown here, nor which of its sources those are.
    if not turn.scope.principals <= scope.principals:
        raise TurnUnknown(
            f"The answer {turn_id} may rest on pages that only some may read. It is explained only where it was asked."
        )
    return turn


async def explainer_for(application: Application, turn: Turn) -> Explainer:
    """What explains this turn. Raises NotExplainable if that takes a language model and none is configured.

    Also raises what asking the model's server for its model's name raises, where no setting gives it; and, by
    likelihood, ScoringUnsupported. An extractive answer has no likelihood: it is explained counterfactually.
    """
    settings = application.settings
    vectors, _ = await asyncio.gather(_embedded_at_sync(application, turn), asyncio.to_thread(load_clustering))
    embedder = CachedEmbedder(application.cached_embedder, vectors)
    answerer_of, reference, model = await _answerers(turn, application, embedder)
    full = CounterfactualAttributor(answerer_of, embedder, settings.explain_repetitions, settings.explain_concurrency)
    attributor: Attributor = FrugalAttributor(full) if settings.explain_method == "frugal" else full
    if settings.explain_method == "likelihood" and model:
        attributor = await by_likelihood(model, embedder, settings, application.record_usage, full)
    clock, epsilon = time.perf_counter, settings.explain_epsilon
    return Explainer(attributor, full, answerer_of(0), embedder, clock, reference, epsilon)


async def by_likelihood(
    model: OpenAIChat,
    embedder: Embedder,
    settings: Settings,
    on_usage: Callable[[Usage], None] = lambda usage: None,
    full: CounterfactualAttributor | None = None,
) -> LikelihoodAttributor:
    """What attributes by the answer's likelihood. Raises ScoringUnsupported where the server cannot score a text.

    ``full``: see :class:`core.attribution.attributors.LikelihoodAttributor`.
    """
    # Importing the SDK takes a moment, which is not needed without a model.
    from adapters.llm.scoring import ServerScorer

    scorer = ServerScorer(model.calls, on_usage)
    await scorer.load()
    render_prompt = GenerativeAnswerer(model, embedder, None).render_prompt
    return LikelihoodAttributor(render_prompt, scorer, settings.explain_concurrency, full)


async def _embedded_at_sync(application: Application, turn: Turn) -> dict[str, Vectors]:
    """The vectors of those evidences that are still as they were, by contextualised text."""
    texts = [contextualise(ranked.evidence) for ranked in turn.evidences]
    by_hash = {text_hash(text): text for text in texts}
    found = await application.vectors.vectors(application.embedder.name, by_hash.keys())
    return {by_hash[key]: vector for key, vector in found.items()}


async def _answerers(
    turn: Turn, application: Application, embedder: Embedder
) -> tuple[AnswererOf, Reference, OpenAIChat | None]:
    """The answerer of each repetition, what its answers are compared with, and its model, if it has one."""
    if not is_written_by_model(turn):
        extractive = ExtractiveAnswerer(application.matcher)
        return lambda repetition: extractive, "repeated", None
    settings = application.settings
    chosen = {
        "llm_model": settings.explain_model or settings.llm_model,
        "llm_concurrency": settings.explain_concurrency,
    }
    model = language_model_for(settings.model_copy(update=chosen), application.record_usage)
    if model is None:
        raise NotExplainable(
            f"This answer was written by a language model ({turn.answer.model or 'unknown'}), and none is "
            "configured now. Set WIKIWHY_LLM_BASE_URL and what belongs to it, as when it was asked."
        )
    await model.load()
    reference: Reference = "kept" if model.name == turn.answer.model else "own"
    return make_ablation_answerers(model, embedder, application.matcher), reference, model


def make_ablation_answerers(model: LanguageModel, embedder: Embedder, matcher: WordMatcher | None = None) -> AnswererOf:
    """The answerer of each repetition: greedy for the first, sampling for the others; none has a fallback."""

    def answerer_of(repetition: int) -> Answerer:
        sampling = Sampling(MAX_TOKENS, _TEMPERATURE, seed=repetition) if repetition else Sampling(MAX_TOKENS)
        return GenerativeAnswerer(model, embedder, None, sampling, matcher)

    return answerer_of
