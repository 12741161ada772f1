"""Making explanations of stored turns, and what may be shown of them at a place now."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

from bot.explainers import make_explainer
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
from core.views.model import PrivateView

logger = logging.getLogger(__name__)

Made = tuple[Turn, Explanation] | str
"""An explanation with its turn, or the name of the reason why there is none."""


@dataclass(frozen=True, slots=True)
class Explanations:
    """Counterfactuals are stored as they are made, so that an explanation that was cut off goes on where it was.

    Explanations of one turn are made one after the other: the second finds the counterfactuals of the first.
    ``loaded``: set when the models are.
    """

    access: ChatAccess
    turns: TurnStore
    counterfactuals: CounterfactualStore
    application: Application
    metrics: Metrics
    loaded: asyncio.Event
    _making: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def make(self, request: ExplanationRequest) -> Made:
        """Explains a turn, if it may be shown where it was asked to be."""
        turn = await self.turns.get(request.turn_id)
        if turn is None or await self._load_showable(request, turn) is None:
            return "outside"
        try:
            await self.loaded.wait()
            async with self._making.setdefault(turn.turn_id, asyncio.Lock()):
                with self.metrics.count_explanation():
                    explainer = await make_explainer(self.application, turn)
                    return turn, await self._make(explainer, turn)
        except NotExplainable as error:
            logger.info("%s cannot be explained: %s", turn.turn_id, error)
            return "not_explainable"
        except WikiWhyError as error:
            logger.warning("%s could not be explained: %s", turn.turn_id, error)
            return reason_of(error, "explaining_failed")

    async def view(self, request: ExplanationRequest, made: Made) -> PrivateView:
        """What may be shown of an explanation now, or why nothing is: hours may pass between a click and this."""
        if isinstance(made, str):
            return notice_for(made, await self.find_language(request))
        turn, explanation = made
        showable = await self._load_showable(request, turn)
        if showable is None:
            return notice_for("outside", turn.question.language)
        view = explanation_view(showable, explanation)
        return replace(view, answer_id=request.click.message_id) if request.click else view

    async def find_language(self, request: ExplanationRequest) -> Language:
        """The language of the turn."""
        turn = await self.turns.get(request.turn_id)
        return turn.question.language if turn else "en"

    async def _make(self, explainer: Explainer, turn: Turn) -> Explanation:
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
        """The turn as it may be shown now, None if it may not."""
        access = await self.access.to_see(turn, request.place, request.user)
        if not isinstance(access, Access):
            return None
        showable = await self.access.showable(turn, access)
        return showable if await self.access.all_visible(turn, access) else None
