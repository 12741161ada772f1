"""Explaining a turn in its thread, once however often it is asked for; counterfactuals are stored as they are made."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from bot.chat.message_poster import MessagePoster
from bot.durable import RunStep
from bot.explainers import explainer_for
from bot.server.metrics import Metrics
from bot.wiring import Application
from core.access import Access, ChatAccess
from core.attribution.explainer import Explainer, Explanation
from core.attribution.steps import Counterfactual, CounterfactualStore
from core.chat.requests import ExplanationRequest
from core.errors import NotExplainable, WikiWhyError
from core.languages import Language
from core.model import Turn
from core.ports.store import TurnStore
from core.views.building import notice_for, reason_of
from core.views.explanation import explanation_view
from core.views.model import ExplanationView, View, Waiting

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExplainWorkflow:
    """Only an explanation ends it: after a failure it can be asked for again, and is shown in the same message.

    ``loaded``: set when the models are. The first step has the name that it had when a placeholder was posted.
    """

    access: ChatAccess
    poster: MessagePoster
    turns: TurnStore
    counterfactuals: CounterfactualStore
    application: Application
    metrics: Metrics
    loaded: asyncio.Event

    async def run(self, request: ExplanationRequest, step: RunStep) -> None:
        await step("placeholder", lambda: self._begin(request))
        await step("explain", lambda: self._explain(request))

    async def report_failure(self, request: ExplanationRequest) -> None:
        notice = notice_for("explaining_failed", _spoken(await self.turns.get(request.turn_id)))
        await self.poster.show_failure(request.key, request.place, notice, request.turn_id, ends=False)

    async def _begin(self, request: ExplanationRequest) -> None:
        waiting = Waiting(_spoken(await self.turns.get(request.turn_id)), "explanation")
        await self.poster.begin(request.key, request.place, waiting, request.turn_id, request.user)

    async def _explain(self, request: ExplanationRequest) -> None:
        """Explains and posts it in one step: a stored outcome would have words of pages in the workflow database."""
        made = await self._try_to_explain(request)

        async def make_view() -> View:
            if isinstance(made, str):
                return notice_for(made, _spoken(await self.turns.get(request.turn_id)))
            turn, explanation = made
            showable = await self._load_showable(request, turn)
            return explanation_view(showable, explanation) if showable else notice_for("outside", _spoken(turn))

        def finishes(view: View) -> bool:  # not a notice: another click tries again, with the stored counterfactuals
            return isinstance(view, ExplanationView)

        await self.poster.post_once(
            request.key, request.place, make_view, turn_id=request.turn_id, user=request.user, finishes=finishes
        )

    async def _try_to_explain(self, request: ExplanationRequest) -> tuple[Turn, Explanation] | str:
        """The explanation with its turn, or the name of the reason why there is none."""
        turn = await self.turns.get(request.turn_id)
        if turn is None or await self._load_showable(request, turn) is None:
            return "outside"
        try:
            await self.loaded.wait()
            with self.metrics.count_explanation():
                explainer = await explainer_for(self.application, turn)
                return turn, await self._make_explanation(explainer, turn)
        except NotExplainable as error:
            logger.info("%s cannot be explained: %s", turn.turn_id, error)
            return "not_explainable"
        except WikiWhyError as error:
            logger.warning("%s could not be explained: %s", turn.turn_id, error)
            return reason_of(error, "explaining_failed")

    async def _make_explanation(self, explainer: Explainer, turn: Turn) -> Explanation:
        storing: list[asyncio.Task[None]] = []

        def store(result: Counterfactual) -> None:
            if not result.error:
                storing.append(asyncio.create_task(self.counterfactuals.keep(turn.turn_id, result)))

        known = await self.counterfactuals.load_known(turn.turn_id)
        try:
            return await explainer.explain(turn, known, store)
        finally:
            await asyncio.gather(*storing)

    async def _load_showable(self, request: ExplanationRequest, turn: Turn) -> Turn | None:
        """The turn as it may be shown now, None if it may not: hours may pass between a click and an explanation."""
        access = await self.access.to_see(turn, request.place, request.user)
        if not isinstance(access, Access):
            return None
        showable = await self.access.showable(turn, access)
        return showable if await self.access.all_visible(turn, access) else None


def _spoken(turn: Turn | None) -> Language:
    return turn.question.language if turn else "en"
