"""Taking a person's id and names out of what other people said."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Text, cast, or_, select, update

from adapters.store import schema
from adapters.store.erasure import empty_trace
from adapters.store.rows import chunks
from core.text import STOPWORDS, words

REMOVED_PERSON = "(removed)"
"""Stands in other people's words for the id or the name of a person who was forgotten."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """How a person is called. ``user``: the platform's id; ``names``: as people read them."""

    user: str
    names: tuple[str, ...] = ()

    def everywhere(self) -> re.Pattern[str]:
        """Matches the person in any text: the id, and a name after an @."""
        called = [rf"@{re.escape(name)}(?!\w)" for name in self.names]
        return re.compile("|".join([rf"@?(?<!\w){re.escape(self.user)}(?!\w)", *called]), re.IGNORECASE)

    def nearby(self) -> re.Pattern[str]:
        """Also matches bare names, for conversations that the person took part in, where a name means them."""
        bare = [rf"@?(?<!\w){re.escape(name)}(?!\w)" for name in self.names]
        return re.compile("|".join([rf"@?(?<!\w){re.escape(self.user)}(?!\w)", *bare]), re.IGNORECASE)

    def words(self) -> tuple[str, ...]:
        """A text that names the person contains one of these."""
        return (self.user, *self.names)


def names_of(names: Iterable[str]) -> tuple[str, ...]:
    """Names with at least two letters or digits, the longest first: shorter ones would match other words."""
    kept = {name.strip().lstrip("@") for name in names}
    return tuple(
        sorted((name for name in kept if sum(map(str.isalnum, name)) > 1), key=lambda name: (-len(name), name))
    )


def erase_mentions(connection: Connection, mentions: Mentions, conversation_ids: Collection[str]) -> int:
    """Replaces a person's id and names in other people's words; returns how many traces were emptied for them."""
    _erase_in_messages(connection, mentions, conversation_ids)
    _erase_in_reasons(connection, mentions)
    return _erase_in_turns(connection, mentions, conversation_ids)


def _erase_in_messages(connection: Connection, mentions: Mentions, near: Collection[str]) -> None:
    said = schema.thread_messages
    query = select(said).where(_may_name(mentions, said.c.text))
    for row in connection.execute(query).all():
        text = _replace(row.text, mentions, row.conversation_id in near)
        if text != row.text:
            this = (said.c.conversation_id == row.conversation_id) & (said.c.message_id == row.message_id)
            connection.execute(update(said).where(this).values(text=text))


def _erase_in_reasons(connection: Connection, mentions: Mentions) -> None:
    judged = schema.feedback
    query = select(judged.c.number, judged.c.reason).where(_may_name(mentions, judged.c.reason))
    for row in connection.execute(query).all():
        if (reason := _replace(row.reason, mentions, near=False)) != row.reason:
            connection.execute(update(judged).where(judged.c.number == row.number).values(reason=reason))


def _erase_in_turns(connection: Connection, mentions: Mentions, near: Collection[str]) -> int:
    turns = schema.turns
    query = select(
        turns.c.turn_id,
        turns.c.conversation_id,
        turns.c.question_as_asked,
        turns.c.question_intent_explicit,
        turns.c.trace_texts,
    ).where(
        _may_name(
            mentions, turns.c.question_as_asked, turns.c.question_intent_explicit, cast(turns.c.trace_texts, Text)
        )
    )
    emptied = 0
    for row in connection.execute(query).all():
        close = row.conversation_id in near
        asked = _replace(row.question_as_asked, mentions, close)
        explicit = _replace(row.question_intent_explicit, mentions, close)
        if (asked, explicit) != (row.question_as_asked, row.question_intent_explicit):
            change = update(turns).where(turns.c.turn_id == row.turn_id)
            connection.execute(change.values(question_as_asked=asked, question_intent_explicit=explicit))
        if mentions.everywhere().search(json.dumps(row.trace_texts, ensure_ascii=False)):
            emptied += empty_trace(connection, row.turn_id, row.trace_texts)
    return emptied


def _replace(text: str, mentions: Mentions, near: bool) -> str:
    pattern = mentions.nearby() if near else mentions.everywhere()
    return pattern.sub(REMOVED_PERSON, text)


def _may_name(mentions: Mentions, *columns: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a column may name the person; JSON has some letters in another form."""
    wanted = {form for word in mentions.words() for form in (word, json.dumps(word)[1:-1])}
    return or_(*(column.icontains(form, autoescape=True) for column in columns for form in sorted(wanted)))


def erase_completions(connection: Connection, conversation_ids: Collection[str], said: Iterable[str]) -> None:
    """Sets completed questions back to how they were asked where the completion took words from ``said``."""
    taken = {word for text in said for word in words(text)} - STOPWORDS
    turns = schema.turns
    columns = (turns.c.turn_id, turns.c.question_as_asked, turns.c.question_intent_explicit)
    for some in chunks(conversation_ids):
        for row in connection.execute(select(*columns).where(turns.c.conversation_id.in_(some))).all():
            added = set(words(row.question_intent_explicit)) - set(words(row.question_as_asked))
            if added & taken:
                change = update(turns).where(turns.c.turn_id == row.turn_id)
                connection.execute(change.values(question_intent_explicit=row.question_as_asked))
