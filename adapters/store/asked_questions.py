"""Questions in people's own words (see :class:`core.ports.chat_store.AskedQuestionStore`)."""

from __future__ import annotations

from sqlalchemy import ColumnElement, RowMapping, Select, select

from adapters.store.database import Database
from adapters.store.rows import read_as
from adapters.store.schema import feedback, posts, turns
from core.ports.chat import Place, Platform
from core.ports.chat_store import AskedQuestion, JudgedQuestion

_COLUMNS = (turns.c.question_as_asked, turns.c.asked_at, turns.c.answered, turns.c.question_erased)
_PLACE = (posts.c.platform, posts.c.team, posts.c.channel, posts.c.thread, posts.c.direct, posts.c.shared)
_TYPED = turns.c.question_erased.is_(False) & (turns.c.question_suggested_in == "")
_ANSWER = posts.c.key.startswith("ask:") & (posts.c.message_id != "")


class SqlAskedQuestionStore:
    """Questions with their messages, from the tables of turns, posts and feedback."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def latest_of(self, asker: str, most: int) -> list[AskedQuestion]:
        return await self._load(_select_questions(turns.c.asker == asker, _TYPED).limit(most)) if asker else []

    async def find_unanswered(self, platform: Platform, team: str, moment: str, most: int) -> list[AskedQuestion]:
        unanswered = turns.c.answered.is_(False) & (turns.c.asked_at >= moment)
        there = _is_in(platform, team) & posts.c.direct.is_(False)
        return await self._load(_select_questions(unanswered, _TYPED, there).limit(most))

    async def find_judged(self, platform: Platform, team: str, moment: str) -> list[JudgedQuestion]:
        columns = (feedback.c.reaction, feedback.c.reason, turns.c.question_suggested_in)
        query = (
            _select_questions(_is_in(platform, team), feedback.c.at >= moment)
            .add_columns(*columns)
            .join(feedback, feedback.c.turn_id == turns.c.turn_id)
            .order_by(None)
            .order_by(feedback.c.at.desc(), feedback.c.number.desc())
        )
        return [_judged(row) for row in await self._database.rows(query)]

    async def _load(self, query: Select[tuple[object, ...]]) -> list[AskedQuestion]:
        return [_question(row) for row in await self._database.rows(query)]


def _select_questions(*conditions: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    query = select(*_COLUMNS, *_PLACE, posts.c.message_id).join_from(turns, posts, posts.c.turn_id == turns.c.turn_id)
    return query.where(_ANSWER, *conditions).order_by(turns.c.asked_at.desc(), turns.c.number.desc())


def _is_in(platform: Platform, team: str) -> ColumnElement[bool]:
    return (posts.c.platform == platform) & (posts.c.team == team)


def _question(row: RowMapping) -> AskedQuestion:
    text, place = row["question_as_asked"], read_as(Place, row)
    return AskedQuestion(text, row["asked_at"], row["answered"], place, row["message_id"])


def _judged(row: RowMapping) -> JudgedQuestion:
    may_be_told = not (row["direct"] or row["question_erased"] or row["question_suggested_in"])
    reason = "" if row["direct"] else row["reason"]
    return JudgedQuestion(row["reaction"], reason, _question(row) if may_be_told else None)
