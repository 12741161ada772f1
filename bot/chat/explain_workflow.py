"""The workflow that explains an answer: to the person who clicked, or, if they share it, once to everybody.

In a channel, only the person who clicked sees the explanation: in a window if the platform has windows, else in a
private message. Filling a window twice is harmless, so it shows the explanation after any crash. In a direct message
there are no other readers, so the explanation is posted at once.
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
        notice = notice_for("explaining_failed", await self.explanations.find_language(request))
        if request.place.direct:
            await self.poster.show_failure(request.key, request.place, notice, request.turn_id, ends=False)
        elif click := request.click:
            await self._show(request, await self._open_window(request, click), notice)
        else:
            await self._show(request, "", notice)

    # ------------------------------------------------------------------------------------ for one person

    async def _open(self, request: ExplanationRequest, click: PrivateClick) -> str:
        await self.poster.withdraw(request.key)  # an earlier one, where clicks of one person have the same id
        return await self._open_window(request, click)

    async def _open_window(self, request: ExplanationRequest, click: PrivateClick) -> str:
        platform = self.poster.platforms[request.place.platform]
        waiting = Waiting(await self.explanations.find_language(request), "explanation")
        return await platform.open_window(request.place, waiting, request.key, click.trigger)

    async def _show_privately(self, request: ExplanationRequest, window: str) -> None:
        made = await self.explanations.make(request)
        await self._show(request, window, await self.explanations.view(request, made))

    async def _show(self, request: ExplanationRequest, window: str, view: PrivateView) -> None:
        """Show a view in the window, or in a private message if there is no window."""
        if window:
            spoken = await self.explanations.find_language(request)
            await self.poster.platforms[request.place.platform].fill_window(request.place, window, view, spoken)
        else:
            await self.poster.post_private(request.key, request.place, request.user, view, request.turn_id)

    # ------------------------------------------------------------------------------------ for everybody

    async def _begin(self, request: ExplanationRequest) -> None:
        if not request.place.direct:  # the person who shares it has seen it, so no work sign is needed
            await self.poster.note_intent(request.key, request.place, request.turn_id, request.user)
            return
        waiting = Waiting(await self.explanations.find_language(request), "explanation")
        await self.poster.begin(request.key, request.place, waiting, request.turn_id, request.user)

    async def _post(self, request: ExplanationRequest) -> None:
        """Make and post the explanation in one step: a stored outcome would contain words of pages.

        If it may not be shared, only the person who shares it is told.
        """
        made = await self.explanations.make(request)

        async def make_view() -> View:
            view = await self.explanations.view(request, made)
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
