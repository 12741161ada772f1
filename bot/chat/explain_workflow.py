"""Showing the explanation of an answer: to the person who clicked, or, when they share it, to everybody, once.

Who clicks in a channel sees it alone: in a window, where the platform has windows, else in a message that only this
person sees. A window can be filled twice with the same, so it shows the explanation after any crash. A chat with the
bot alone has no others, so there it is posted at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.chat.explanations import Explanations
from bot.chat.message_poster import MessagePoster
from bot.durable import RunStep
from core.chat.requests import ExplanationRequest, PrivateClick
from core.views.building import notice_for
from core.views.model import ExplanationView, PrivateView, View, Waiting


class _NothingToShareError(Exception):
    """What was to be posted may not be shown any more. ``args``: the notice that says so."""


@dataclass(frozen=True, slots=True)
class ExplainWorkflow:
    """Only an explanation ends it: after a failure it can be asked for again.

    The first step of what everybody sees has the name that it had when a placeholder was posted.
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
        notice = notice_for("explaining_failed", await self.explanations.find_language(request))
        if request.place.direct:
            await self.poster.show_failure(request.key, request.place, notice, request.turn_id, ends=False)
        elif click := request.click:
            await self._show(request, await self._open_window(request, click), notice)
        else:
            await self._show(request, "", notice)

    # ------------------------------------------------------------------------------------ for one person

    async def _open(self, request: ExplanationRequest, click: PrivateClick) -> str:
        await self.poster.withdraw(request.key)  # of the same click, where the platform does not tell clicks apart
        return await self._open_window(request, click)

    async def _open_window(self, request: ExplanationRequest, click: PrivateClick) -> str:
        platform = self.poster.platforms[request.place.platform]
        waiting = Waiting(await self.explanations.find_language(request), "explanation")
        return await platform.open_window(request.place, waiting, request.key, click.trigger)

    async def _show_privately(self, request: ExplanationRequest, window: str) -> None:
        made = await self.explanations.make(request)
        await self._show(request, window, await self.explanations.view(request, made))

    async def _show(self, request: ExplanationRequest, window: str, view: PrivateView) -> None:
        """In the window, unless its person has closed it; where there was none, in a message."""
        if window:
            spoken = await self.explanations.find_language(request)
            await self.poster.platforms[request.place.platform].fill_window(request.place, window, view, spoken)
        else:
            await self.poster.post_private(request.key, request.place, request.user, view, request.turn_id)

    # ------------------------------------------------------------------------------------ for everybody

    async def _begin(self, request: ExplanationRequest) -> None:
        if not request.place.direct:  # who shares it has seen it: it is posted at once, if it still may be
            await self.poster.note_intent(request.key, request.place, request.turn_id, request.user)
            return
        waiting = Waiting(await self.explanations.find_language(request), "explanation")
        await self.poster.begin(request.key, request.place, waiting, request.turn_id, request.user)

    async def _post(self, request: ExplanationRequest) -> None:
        """Explains and posts it in one step: a stored outcome would have words of pages in the workflow database.

        What cannot be shared is told to who shares it, and to nobody else.
        """
        made = await self.explanations.make(request)

        async def make_view() -> View:
            view = await self.explanations.view(request, made)
            if not request.place.direct and not isinstance(view, ExplanationView):
                raise _NothingToShareError(view)
            return view

        def finishes(view: View) -> bool:  # not a notice: another click tries again, with the stored counterfactuals
            return isinstance(view, ExplanationView)

        try:
            await self.poster.post_once(
                request.key, request.place, make_view, turn_id=request.turn_id, user=request.user, finishes=finishes
            )
        except _NothingToShareError as error:
            await self._show(request, "", error.args[0])
