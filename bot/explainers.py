"""Make the explainer of a stored turn, with the answerer that gave the answer; check that the turn may be shown."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from adapters.embedding.cached import CachedEmbedder
from bot.models import make_language_model
from bot.settings import Settings
from bot.wiring import Application
from core.answering.answerer import Answerer, is_written_by_model
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import MAX_TOKENS, GenerativeAnswerer
from core.attribution.attributors import (
    AnswererOf,
    Attributor,
    CounterfactualAttributor,
    FrugalAttributor,
    LikelihoodAttributor,
)
from core.attribution.explainer import Explainer, Reference
from core.attribution.steps import load_clustering
from core.errors import NotExplainable, TurnUnknown
from core.evidence.contextualise import contextualise, hash_text
from core.model import Scope, Turn, Usage
from core.ports.models import Embedder, LanguageModel, Sampling, Vectors

if TYPE_CHECKING:
    from adapters.llm.chat import OpenAIChat

_TEMPERATURE = 0.7  # of repetitions, because greedy decoding would repeat the same answer


async def load_turn_to_explain(application: Application, turn_id: str, scope: Scope) -> Turn:
    """Load a turn that this scope may see. Raises TurnUnknown, also for turns of hidden conversations."""
    turn = await application.turns.load_turn(turn_id)
    if turn is None or not await application.turns.load_some(turn.conversation_id, [turn_id]):
        raise TurnUnknown(
            f"There is no answer {turn_id} in this data directory. `wikiwhy ask --json` prints the turn_id of each "
            "answer, and /trace in `wikiwhy chat` shows it. For answers elsewhere, name their --data-dir."
        )
    # An explanation would show restricted text, or which of the sources are restricted.
    if not turn.scope.principals <= scope.principals:
        raise TurnUnknown(
            f"The answer {turn_id} may rest on restricted pages. Use Explain in the chat where the question was asked."
        )
    return turn


async def make_explainer(application: Application, turn: Turn) -> Explainer:
    """Return the explainer of a turn. Raises NotExplainable if it needs a language model and none is configured.

    Without a model name in the settings, it asks the model's server for the name, and raises what that raises. With
    the method ``likelihood`` it raises ScoringUnsupported if the server cannot score texts. An extractive answer has no
    likelihood, so it is always explained counterfactually.
    """
    settings = application.settings
    vectors, _ = await asyncio.gather(_load_stored_vectors(application, turn), asyncio.to_thread(load_clustering))
    embedder = CachedEmbedder(application.cached_embedder, vectors)
    extractive = ExtractiveAnswerer(application.matcher)
    answerer_of, reference, model = await _make_answerers(turn, application, embedder, extractive)
    counterfactual = CounterfactualAttributor(
        answerer_of, embedder, settings.explain_repetitions, settings.explain_concurrency
    )
    attributor: Attributor = FrugalAttributor(counterfactual) if settings.explain_method == "frugal" else counterfactual
    if settings.explain_method == "likelihood" and model:
        attributor = await make_likelihood_attributor(
            model, embedder, extractive, settings, application.record_usage, counterfactual
        )
    clock, epsilon = time.perf_counter, settings.explain_epsilon
    return Explainer(attributor, counterfactual, answerer_of(0), embedder, clock, reference, epsilon)


async def make_likelihood_attributor(
    model: OpenAIChat,
    embedder: Embedder,
    extractive: ExtractiveAnswerer,
    settings: Settings,
    on_usage: Callable[[Usage], None] = lambda usage: None,
    counterfactual: CounterfactualAttributor | None = None,
) -> LikelihoodAttributor:
    """Return the attributor by likelihood. Raises ScoringUnsupported if the server cannot score a text.

    ``counterfactual``: see :class:`core.attribution.attributors.LikelihoodAttributor`.
    """
    # Imported here because the SDK loads slowly, and only a language model needs it.
    from adapters.llm.scoring import ServerScorer

    scorer = ServerScorer(model.calls, on_usage)
    await scorer.load()
    render_prompt = GenerativeAnswerer(model, embedder, extractive).render_prompt
    return LikelihoodAttributor(render_prompt, scorer, settings.explain_concurrency, counterfactual)


async def _load_stored_vectors(application: Application, turn: Turn) -> dict[str, Vectors]:
    """Load the stored vectors of the evidences that have not changed since the turn, by contextualised text."""
    texts = [contextualise(ranked.evidence) for ranked in turn.evidences]
    by_hash = {hash_text(text): text for text in texts}
    found = await application.vectors.load_vectors(application.embedder.name, by_hash.keys())
    return {by_hash[key]: vector for key, vector in found.items()}


async def _make_answerers(
    turn: Turn, application: Application, embedder: Embedder, extractive: ExtractiveAnswerer
) -> tuple[AnswererOf, Reference, OpenAIChat | None]:
    """Return the answerers by repetition, what their answers are compared with, and their language model, if any."""
    if not is_written_by_model(turn):
        return lambda repetition: extractive, "repeated", None
    settings = application.settings
    chosen = {
        "llm_model": settings.explain_model or settings.llm_model,
        "llm_concurrency": settings.explain_concurrency,
    }
    model = make_language_model(settings.model_copy(update=chosen), application.record_usage)
    if model is None:
        raise NotExplainable(
            f"A language model ({turn.answer.model or 'unknown'}) wrote this answer, and none is configured now. Set "
            "WIKIWHY_LLM_BASE_URL and the other settings of the model as they were when the question was asked."
        )
    await model.load()
    reference: Reference = "kept" if model.name == turn.answer.model else "own"
    return make_ablation_answerers(model, embedder, extractive), reference, model


def make_ablation_answerers(model: LanguageModel, embedder: Embedder, extractive: ExtractiveAnswerer) -> AnswererOf:
    """Return the answerers by repetition: greedy for the first, sampling for the others; none falls back."""

    def answerer_of(repetition: int) -> Answerer:
        sampling = Sampling(MAX_TOKENS, _TEMPERATURE, seed=repetition) if repetition else Sampling(MAX_TOKENS)
        return GenerativeAnswerer(model, embedder, extractive, sampling, falls_back=False)

    return answerer_of
