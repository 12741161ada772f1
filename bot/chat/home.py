"""The app's home page: a person's questions, what is searched for them, and for admins an overview.

It contains no text of pages: only questions in people's own words, and no details of sync errors.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.chat.commands import HelpBuilder, describe_space
from bot.operations.operation import Operations
from bot.operations.spaces import ListSpaces, SpaceList
from bot.schedules import describe_past, parse_moment
from core.i18n import message
from core.languages import Language
from core.model.views import AdminHomeView, HomeView, PageLink
from core.ports.chat import Place
from core.ports.chat_stores import AskedQuestion, AskedQuestionStore, JudgedQuestion
from core.ports.pages import SpaceSummary

_QUESTIONS, _UNANSWERED, _COMPLAINTS = 8, 10, 5
_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class HomeBuilder:
    """Builds the home page."""

    help: HelpBuilder
    operations: Operations
    asked: AskedQuestionStore

    async def build_view(self, place: Place, user: str, language: Language) -> HomeView:
        """Build the page for this person. ``place``: their direct messages."""
        questions = await self._link(await self.asked.find_latest(place.make_person_key(user), _QUESTIONS))
        found = await self.operations.execute(ListSpaces())
        admin = await self._build_admin_view(place, found, language) if self.help.is_admin(place, user) else None
        help_view = await self.help.build_view(place, user, language)  # last, so that it is up to date
        if help_view.refusal:
            return HomeView(help_view)
        freshness = (_describe_freshness(each, language) for each in found.summaries if each.key in help_view.spaces)
        return HomeView(help_view, questions, tuple(freshness), admin)

    async def _build_admin_view(self, place: Place, found: SpaceList, language: Language) -> AdminHomeView:
        now = datetime.now(UTC)
        since = (now - _WEEK).isoformat(timespec="seconds")
        unanswered = await self.asked.find_unanswered(place.platform, place.team, since, _UNANSWERED)
        judged = await self.asked.find_judged(place.platform, place.team, since)
        good = sum(each.reaction == "good" for each in judged)
        return AdminHomeView(
            tuple(describe_space(each, found.next_due.get(each.key), now, language) for each in found.summaries),
            await self._link(unanswered),
            good,
            len(judged) - good,
            await self._load_complaints(judged),
        )

    async def _load_complaints(self, judged: Iterable[JudgedQuestion]) -> tuple[tuple[PageLink, str], ...]:
        with_reason = [(each.question, each.reason) for each in judged if each.question and each.reason]
        shown = with_reason[:_COMPLAINTS]
        links = await self._link([question for question, _ in shown])
        return tuple(zip(links, (reason for _, reason in shown), strict=True))

    async def _link(self, questions: Sequence[AskedQuestion]) -> tuple[PageLink, ...]:
        """Link each question to the message that answers it, if the platform gives an address."""
        platforms = self.help.access.platforms
        links = [platforms[each.place.platform].find_link(each.place, each.message_id) for each in questions]
        urls = await asyncio.gather(*links)
        return tuple(PageLink(each.text, url) for each, url in zip(questions, urls, strict=True))


def _describe_freshness(space: SpaceSummary, language: Language) -> str:
    if not space.synced_at:
        return message("{space}: not fully synced yet", space=space.key).render(language)
    when = describe_past(parse_moment(space.synced_at), datetime.now(UTC))
    return message("{space}: synced {when}", space=space.key, when=when).render(language)
