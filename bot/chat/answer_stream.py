"""Shows the beginning of an answer in a chat while a language model writes the rest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.chat.message_poster import MessagePoster
from core.chat.listening import keep_language
from core.chat.requests import QuestionRequest
from core.model import Answer, Question
from core.views.messages import build_part_view
from core.views.notices import format_question

DELAY = 3.0
"""Seconds of writing before the first part: what a model writes faster is posted as a whole."""

PAUSE = 1.0
"""Seconds between two parts: Teams takes one a second."""

MayShow = Callable[[], Awaitable[bool]]
"""Whether the pages of an answer may still be shown at its place."""


@dataclass(slots=True)
class AnswerStream:
    """Implements :class:`core.answering.answerer.PartListener` for one question.

    ``stream``: from :meth:`MessagePoster.begin`. ``may_show`` is asked before each part. ``shows_question``: whether
    the answer repeats the question, which no message shows.
    """

    poster: MessagePoster
    request: QuestionRequest
    stream: str
    may_show: MayShow
    shows_question: bool = False
    _question: Question | None = None

    @property
    def delay(self) -> float:
        return DELAY

    @property
    def pause(self) -> float:
        return PAUSE

    def note_question(self, question: Question) -> None:
        """Note the completed question, before the first part."""
        self._question = keep_language(question, self.request.language)

    async def show(self, part: Answer) -> bool:
        if self._question is None or not await self.may_show():
            return False
        request, asked = self.request, format_question(self._question) if self.shows_question else ""
        view = build_part_view(request.turn_id, self._question, part, asked)
        return await self.poster.show_part(request.key, request.place, request.user, view, self.stream)
