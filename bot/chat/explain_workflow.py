"""ExplainWorkflow a turn in its thread, once however often it is asked for; what was found out is kept as it comes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from bot.chat.access import ChatAccess
from bot.chat.error_notices import failure, instead
from bot.chat.message_poster import MessagePoster
from bot.chat.parts import ChatParts
from bot.chat.payloads import Json, place_of
from bot.chat.throttle import latest
from bot.durable import Step, Workflow
from bot.explainers import explainer_for
from bot.wiring import Application
from core.attribution.attributor import Counterfactual, CounterfactualStore
from core.attribution.explainer import Explanation
from core.errors import NotExplainable, WikiWhyError
from core.identity.identities import Access
from core.model import Turn
from core.ports import Post, Progress
from core.text import Language
from core.views.explanation_building import explanation_view
from core.views.notices import Waiting

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExplainWorkflow:
    """The workflow ``explain``. Its payload: ``place``, ``turn`` and ``user``, who clicked first.

    Only what was explained ends it: after a failure it can be asked for again, and comes in the same message.
    """

    application: Application
    access: ChatAccess
    posting: MessagePoster
    counterfactuals: CounterfactualStore
    parts: ChatParts

    @property
    def workflow(self) -> Workflow:
        steps = [Step("placeholder", self._placeholder), Step("explain", self._explain)]
        return Workflow("explain", steps, self._failed)

    async def _placeholder(self, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        turn = await self.application.turns.get(payload["turn"])
        waiting = Waiting(_spoken(turn), "explanation")
        post = await self.posting.ensure_posted(
            payload["key"], place_of(payload), waiting, payload["turn"], payload["user"]
        )
        return {"message_id": post.message_id}

    async def _explain(self, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        # Shown in the step that makes it: an outcome would keep words of pages in the books.
        post = await self.posting.ensure_posted(payload["key"], place_of(payload), Waiting("en", "explanation"))
        turn = await self.application.turns.get(payload["turn"])
        if turn is None or await self._showable(turn, payload) is None:
            await self.posting.update(post, instead("outside", _spoken(turn)))
            return {}
        try:
            await self.parts.loaded.wait()
            with self.parts.metrics.count_explanation():
                explanation = await self._explained(turn, post)
        except NotExplainable as error:
            logger.info("%s cannot be explained: %s", turn.turn_id, error)
            await self.posting.update(post, instead("not_explainable", _spoken(turn)))
        except WikiWhyError as error:
            logger.warning("%s could not be explained: %s", turn.turn_id, error)
            # Not finished: who clicks again has it tried again, with what was found out so far.
            await self.posting.update(post, instead(failure(error, "explaining_failed"), _spoken(turn)))
        else:
            shown = await self._showable(turn, payload)
            if shown is None:
                await self.posting.update(post, instead("outside", _spoken(turn)))
            else:
                await self.posting.finish(post, explanation_view(shown, explanation))
        return {}

    async def _explained(self, turn: Turn, post: Post) -> Explanation:
        keeping: list[asyncio.Task[None]] = []

        def keep(result: Counterfactual) -> None:
            if not result.error:
                keeping.append(asyncio.create_task(self.counterfactuals.keep(turn.turn_id, result)))

        async def tell(progress: Progress) -> None:
            done, total = progress.done, progress.total or 0
            await self.posting.show_progress(post, Waiting(_spoken(turn), "explanation", done=done, total=total))

        known = await self.counterfactuals.load_known(turn.turn_id)
        explainer = await explainer_for(self.application, turn)
        try:
            async with latest(tell) as hear:
                return await explainer.explain(turn, known, keep, lambda progress: hear(progress))
        finally:
            await asyncio.gather(*keeping)

    async def _showable(self, turn: Turn, payload: Json) -> Turn | None:
        """The turn as it may be shown now, None if it may not: between a click and an explanation hours may lie."""
        access = await self.access.to_see(turn, place_of(payload), payload["user"])
        if not isinstance(access, Access):
            return None
        shown = await self.access.showable(turn, access)
        return shown if await self.access.all_visible(turn, access) else None

    async def _failed(self, payload: Json, error: Exception) -> None:
        turn = await self.application.turns.get(payload["turn"])
        notice = instead("explaining_failed", _spoken(turn))
        await self.posting.show_failure(payload["key"], place_of(payload), notice, payload["turn"], ends=False)


def _spoken(turn: Turn | None) -> Language:
    return turn.question.language if turn else "en"
