"""Explaining a turn in its thread, once however often it is asked for; counterfactuals are stored as they are made."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from bot.chat.message_poster import MessagePoster, show_latest
from bot.durable import RunStep
from bot.explainers import explainer_for
from bot.server.metrics import Metrics
from bot.wiring import Application
from core.access import Access, ChatAccess
from core.attribution.explainer import Explainer, Explanation
from core.attribution.steps import Counterfactual, CounterfactualStore
from core.chat.requests import ExplanationRequest, Json
from core.errors import NotExplainable, WikiWhyError
from core.languages import Language
from core.model import Turn
from core.ports.chat_store import Post
from core.ports.store import TurnStore
from core.timing import Progress
from core.views.building import notice_for, reason_of
from core.views.explanation import explanation_view
from core.views.model import Waiting

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExplainWorkflow:
    """Only an explanation ends it: after a failure it can be asked for again, and is shown in the same message.

    ``loaded``: set when the models are.
    """

    access: ChatAccess
    poster: MessagePoster
    turns: TurnStore
    counterfactuals: CounterfactualStore
    application: Application
    metrics: Metrics
    loaded: asyncio.Event

    async def run(self, request: ExplanationRequest, step: RunStep) -> None:
        await step("placeholder", lambda: self._post_placeholder(request))
        await step("explain", lambda: self._explain(request))

    async def report_failure(self, request: ExplanationRequest) -> None:
        notice = notice_for("explaining_failed", _spoken(await self.turns.get(request.turn_id)))
        await self.poster.show_failure(request.key, request.place, notice, request.turn_id, ends=False)

    async def _post_placeholder(self, request: ExplanationRequest) -> Json:
        waiting = Waiting(_spoken(await self.turns.get(request.turn_id)), "explanation")
        post = await self.poster.ensure_posted(request.key, request.place, waiting, request.turn_id, request.user)
        return {"message_id": post.message_id}

    async def _explain(self, request: ExplanationRequest) -> None:
        """Explains and shows it in one step: a stored outcome would have words of pages in the workflow database."""
        turn = await self.turns.get(request.turn_id)
        post = await self.poster.ensure_posted(request.key, request.place, Waiting(_spoken(turn), "explanation"))
        if turn is None or await self._load_showable(request, turn) is None:
            await self.poster.update(post, notice_for("outside", _spoken(turn)))
            return
        try:
            await self.loaded.wait()
            with self.metrics.count_explanation():
                explainer = await explainer_for(self.application, turn)
                explanation = await self._make_explanation(explainer, turn, post)
        except NotExplainable as error:
            logger.info("%s cannot be explained: %s", turn.turn_id, error)
            await self.poster.update(post, notice_for("not_explainable", _spoken(turn)))
        except WikiWhyError as error:
            logger.warning("%s could not be explained: %s", turn.turn_id, error)
            # Not finished: another click tries again, with the counterfactuals that are stored so far.
            await self.poster.update(post, notice_for(reason_of(error, "explaining_failed"), _spoken(turn)))
        else:
            showable = await self._load_showable(request, turn)
            if showable is None:
                await self.poster.update(post, notice_for("outside", _spoken(turn)))
            else:
                await self.poster.finish(post, explanation_view(showable, explanation))

    async def _make_explanation(self, explainer: Explainer, turn: Turn, post: Post) -> Explanation:
        storing: list[asyncio.Task[None]] = []

        def store(result: Counterfactual) -> None:
            if not result.error:
                storing.append(asyncio.create_task(self.counterfactuals.keep(turn.turn_id, result)))

        async def show_progress(progress: Progress) -> None:
            done, total = progress.done, progress.total or 0
            await self.poster.show_progress(post, Waiting(_spoken(turn), "explanation", done=done, total=total))

        known = await self.counterfactuals.load_known(turn.turn_id)
        try:
            async with show_latest(show_progress) as show:
                return await explainer.explain(turn, known, store, lambda progress: show(progress))
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
