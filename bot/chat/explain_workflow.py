"""The workflow that explains an answer: to the person who clicked, or, if they share it, once to everybody.

In a channel, only the person who clicked sees the explanation: in a window if the platform has windows, else in a
private message. Filling a window twice is harmless, so it shows the explanation after any crash. In a direct message
there are no other readers, so the explanation is posted at once.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

from bot.chat.message_poster import MessagePoster
from bot.explainers import make_explainer
from bot.server.metrics import Metrics
from bot.wiring import Application
from bot.workflow import RunStep
from core.access import Access, ChatAccess
from core.attribution.explainer import Explainer, Explanation
from core.chat.requests import ExplanationRequest, PrivateClick
from core.errors import OUTAGES, ChatRefused, NotExplainable, WikiWhyError
from core.languages import Language
from core.model import AblationResult, Turn
from core.model.reasons import ReasonWithSentence
from core.model.views import ExplanationView, Notice, PrivateView, View, Waiting
from core.ports.store import CounterfactualStore, TurnStore
from core.views.explanation import build_explanation_view
from core.views.notices import EXPLANATION_BELOW, choose_notice, choose_reason

logger = logging.getLogger(__name__)

ExplanationOutcome = tuple[Turn, Explanation] | ReasonWithSentence
"""An explanation with its turn, or the reason why there is none."""


@dataclass(frozen=True, slots=True)
class Explanations:
    """Makes explanations.

    Counterfactuals are stored as they are made, so an interrupted explanation continues where it stopped. A lock per
    turn lets a second explanation reuse the counterfactuals of the first. ``loaded``: set when the models are loaded.
    """

    access: ChatAccess
    turns: TurnStore
    counterfactuals: CounterfactualStore
    application: Application
    metrics: Metrics
    loaded: asyncio.Event
    _making: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def make(self, request: ExplanationRequest) -> ExplanationOutcome:
        """Explain a turn, if it may be shown at the request's place."""
        turn = await self.turns.load_turn(request.turn_id)
        if turn is None:
            return "outside"
        if isinstance(refused := await self._load_showable(request, turn), str):
            return refused
        try:
            await self.loaded.wait()
            async with self._making.setdefault(turn.turn_id, asyncio.Lock()):
                with self.metrics.count_explanation():
                    explainer = await make_explainer(self.application, turn)
                    return turn, await self._make(explainer, turn)
        except NotExplainable as error:
            logger.info("%s cannot be explained: %s", turn.turn_id, error)
            return "not_explainable"
        except OUTAGES:
            raise
        except WikiWhyError as error:
            logger.warning("%s could not be explained: %s", turn.turn_id, error)
            return choose_reason(error, "explaining_failed")

    async def build_view(self, request: ExplanationRequest, made: ExplanationOutcome) -> PrivateView:
        """Build what may be shown of an explanation now; hours may pass between the click and this."""
        if isinstance(made, str):
            return choose_notice(made, await self.find_language(request))
        turn, explanation = made
        showable = await self._load_showable(request, turn)
        if isinstance(showable, str):
            return choose_notice(showable, turn.question.language)
        view = build_explanation_view(showable, explanation)
        return replace(view, answer_id=request.click.message_id) if request.click else view

    async def find_language(self, request: ExplanationRequest) -> Language:
        """Return the language of the request's turn."""
        turn = await self.turns.load_turn(request.turn_id)
        return turn.question.language if turn else "en"

    async def _make(self, explainer: Explainer, turn: Turn) -> Explanation:
        storing: list[asyncio.Task[None]] = []

        def store(result: AblationResult) -> None:
            if not result.error:
                storing.append(asyncio.create_task(self.counterfactuals.save(turn.turn_id, result)))

        known = await self.counterfactuals.load_known(turn.turn_id)
        try:
            return await explainer.explain(turn, known, store)
        finally:
            await asyncio.gather(*storing)

    async def _load_showable(self, request: ExplanationRequest, turn: Turn) -> Turn | ReasonWithSentence:
        """Return the turn as it may be shown now, or the reason why it may not."""
        access = await self.access.find_access_to(turn, request.place, request.user)
        if not isinstance(access, Access):
            return access
        showable = await self.access.redact(turn, access)
        is_whole = showable.answer == turn.answer and await self.access.may_show_turn(turn, access)
        return showable if is_whole else "outside"


class _NothingToShareError(Exception):
    """The explanation may not be shown any more. ``args``: the notice to show instead."""


@dataclass(frozen=True, slots=True)
class ExplainWorkflow:
    """Explains an answer. A failure does not finish the work, so it can be requested again.

    The stored step name ``placeholder`` dates from when a placeholder was posted first; see :class:`AskWorkflow`.
    """

    explanations: Explanations
    poster: MessagePoster

    async def run(self, request: ExplanationRequest, step: RunStep) -> None:
        if click := request.click:
            window = await step("open", lambda: self._open(request, click))
            await step("explain", lambda: self._show_privately(request, window))
        else:
            await step("placeholder", lambda: self._begin(request))
            await step("explain", lambda: self._post(request))

    async def report_failure(self, request: ExplanationRequest) -> None:
        notice = await self._choose_notice(request, "explaining_failed")
        if request.place.direct:
            refused = await self._choose_notice(request, "explanation_refused")
            await self.poster.show_failure(
                request.key, request.place, notice, request.turn_id, ends=False, user=request.user, refused=refused
            )
        elif click := request.click:
            await self._show(request, await self._open_window(request, click), notice)
        else:
            await self._show(request, "", notice)

    # ------------------------------------------------------------------------------------ for one person

    async def _open(self, request: ExplanationRequest, click: PrivateClick) -> str:
        await self.poster.notices.forget(request.key)
        await self.poster.withdraw(request.key)  # an earlier one, where clicks of one person have the same id
        return await self._open_window(request, click)

    async def _open_window(self, request: ExplanationRequest, click: PrivateClick) -> str:
        platform = self.poster.platforms[request.place.platform]
        waiting = Waiting(await self.explanations.find_language(request), "explanation")
        return await platform.open_window(request.place, waiting, request.key, click.trigger)

    async def _show_privately(self, request: ExplanationRequest, window: str) -> None:
        made = await self.explanations.make(request)
        await self._show(request, window, await self.explanations.build_view(request, made))

    async def _show(self, request: ExplanationRequest, window: str, view: PrivateView) -> None:
        """Show a view in the window, or in a private message if there is no window or it does not take the view.

        If that is refused, a direct message says so: the view itself was made for the readers of this place.
        """
        if window and await self._fill_window(request, window, view):
            return
        try:
            await self.poster.post_private(request.key, request.place, request.user, view, request.turn_id)
            ended = Notice(EXPLANATION_BELOW.render(await self.explanations.find_language(request)))
        except ChatRefused as error:
            logger.info("%s cannot be shown in a private message: %s", request.key, error)
            ended = await self._choose_notice(request, "explanation_refused")
            await self.poster.notices.notify(request.key, request.place, request.user, ended, directly=True)
        if window:
            try:
                await self._fill_window(request, window, ended)
            except WikiWhyError as error:  # a retry would post the message again
                logger.warning("The window of %s stays as it is: %s", request.key, error)

    async def _fill_window(self, request: ExplanationRequest, window: str, view: PrivateView) -> bool:
        """Show a view in the window; return False if the platform refuses it."""
        platform, language = (
            self.poster.platforms[request.place.platform],
            await self.explanations.find_language(request),
        )
        try:
            await platform.fill_window(request.place, window, view, language)
        except ChatRefused as error:
            logger.warning("The window of %s cannot show it: %s", request.key, error)
            return False
        return True

    async def _choose_notice(self, request: ExplanationRequest, reason: ReasonWithSentence) -> Notice:
        return choose_notice(reason, await self.explanations.find_language(request))

    # ------------------------------------------------------------------------------------ for everybody

    async def _begin(self, request: ExplanationRequest) -> None:
        await self.poster.notices.forget(request.key)
        if not request.place.direct:  # the person who shares it has seen it, so no work sign is needed
            await self.poster.note_intent(request.key, request.place, request.turn_id, request.user)
            return
        waiting = Waiting(await self.explanations.find_language(request), "explanation")
        await self.poster.begin(request.key, request.place, waiting, request.turn_id, request.user)

    async def _post(self, request: ExplanationRequest) -> None:
        """Make and post the explanation in one step: a stored outcome would contain words of pages.

        If it may not be shared, or its message is refused, only the person who shares it is told.
        """
        made = await self.explanations.make(request)

        async def make_view() -> View:
            view = await self.explanations.build_view(request, made)
            if not request.place.direct and not isinstance(view, ExplanationView):
                raise _NothingToShareError(view)
            return view

        def finishes(view: View) -> bool:  # after a notice, another click tries again
            return isinstance(view, ExplanationView)

        try:
            await self.poster.post_once(
                request.key, request.place, make_view, turn_id=request.turn_id, user=request.user, finishes=finishes
            )
        except _NothingToShareError as error:
            await self._show(request, "", error.args[0])
        except ChatRefused as error:
            if request.place.direct or isinstance(made, str):
                raise
            logger.warning("%s cannot be posted: %s", request.key, error)
            refused = await self._choose_notice(request, "sharing_refused")
            await self.poster.notices.notify(request.key, request.place, request.user, refused)
