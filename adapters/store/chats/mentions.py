"""Replacing the id and the names of a forgotten person in the messages of other people and in stored turns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, Text, and_, cast, or_, select, update

from adapters.store import schema
from adapters.store.chats.turn_erasure import empty_trace
from adapters.store.statements import Row, split_into_chunks
from core.text import STOPWORDS, list_words

REMOVED_PERSON = "(removed)"
"""Replaces the id and the names of a forgotten person."""

_TURNS, _MESSAGES, _FEEDBACK = schema.turns, schema.thread_messages, schema.feedback
_PAGE_TEXTS: tuple[tuple[Table, tuple[str, ...]], ...] = (
    (schema.turns, ("question_as_asked", "question_intent_explicit", "answer", "suggestions")),
    (schema.turn_citations, ("title", "heading", "quote")),
    (schema.turn_evidences, ("snapshot",)),
    (schema.counterfactuals, ("answers",)),
)
"""Columns of turns that may contain text of pages, as text or JSON."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """What people call a person. ``user``: the id on the platform. ``names``: display names."""

    user: str
    names: tuple[str, ...] = ()

    def make_pattern(self, is_near: bool) -> re.Pattern[str]:
        """Return a pattern for the id and for names after an @, and if ``is_near`` also for names without an @.

        ``is_near``: the text is of a conversation that the person took part in, where a name means this person.
        """
        at = "@?(?<!\\w)" if is_near else "@"
        called = [rf"{at}{re.escape(name)}(?!\w)" for name in self.names]
        return re.compile("|".join([rf"@?(?<!\w){re.escape(self.user)}(?!\w)", *called]), re.IGNORECASE)

    def replace(self, text: str, is_near: bool) -> str:
        """Return the text without the id and the names."""
        return self.make_pattern(is_near).sub(REMOVED_PERSON, text)

    def match(self, *columns: ColumnElement[str]) -> ColumnElement[bool]:
        """Return a condition that holds for every row with a mention in these columns, and perhaps for others."""
        return _match_texts([self.user, *self.names], *columns)


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names with at least two letters or digits, longest first. Shorter ones would match other words."""
    kept = {name.strip().lstrip("@") for name in names}
    return tuple(
        sorted((name for name in kept if sum(map(str.isalnum, name)) > 1), key=lambda name: (-len(name), name))
    )


def erase_mentions(connection: Connection, mentions: Mentions, conversation_ids: Collection[str]) -> int:
    """Replace a person's id and names in other people's messages. Returns the number of traces that were emptied.

    ``conversation_ids``: the conversations that the person took part in.
    """
    _erase_in_messages(connection, mentions, conversation_ids)
    _erase_in_reasons(connection, mentions)
    return _erase_in_turns(connection, mentions, conversation_ids)


def _erase_in_messages(connection: Connection, mentions: Mentions, near: Collection[str]) -> None:
    said = _MESSAGES
    for row in connection.execute(select(said).where(mentions.match(said.c.text))).all():
        text = mentions.replace(row.text, row.conversation_id in near)
        if text != row.text:
            this = (said.c.conversation_id == row.conversation_id) & (said.c.message_id == row.message_id)
            connection.execute(update(said).where(this).values(text=text))


def _erase_in_reasons(connection: Connection, mentions: Mentions) -> None:
    judged = _FEEDBACK
    query = select(judged.c.number, judged.c.reason).where(mentions.match(judged.c.reason))
    for row in connection.execute(query).all():
        if (reason := mentions.replace(row.reason, is_near=False)) != row.reason:
            connection.execute(update(judged).where(judged.c.number == row.number).values(reason=reason))


def _erase_in_turns(connection: Connection, mentions: Mentions, near: Collection[str]) -> int:
    turns = _TURNS.c
    columns = (turns.question_as_asked, turns.question_intent_explicit, turns.trace_texts)
    query = select(turns.turn_id, turns.conversation_id, *columns)
    emptied = 0
    for row in connection.execute(query.where(mentions.match(*columns[:2], cast(turns.trace_texts, Text)))).all():
        is_near = row.conversation_id in near
        asked = mentions.replace(row.question_as_asked, is_near)
        explicit = mentions.replace(row.question_intent_explicit, is_near)
        if (asked, explicit) != (row.question_as_asked, row.question_intent_explicit):
            change = update(_TURNS).where(turns.turn_id == row.turn_id)
            connection.execute(change.values(question_as_asked=asked, question_intent_explicit=explicit))
        if mentions.make_pattern(is_near=False).search(json.dumps(row.trace_texts, ensure_ascii=False)):
            emptied += empty_trace(connection, row.turn_id, row.trace_texts)
    return emptied


def erase_completions(connection: Connection, conversation_ids: Collection[str], said: Iterable[str]) -> None:
    """Reset completed questions to the question as asked where the completion took content words from ``said``."""
    taken = {word for text in said for word in list_words(text)} - STOPWORDS
    columns = (_TURNS.c.turn_id, _TURNS.c.question_as_asked, _TURNS.c.question_intent_explicit)
    for chunk in split_into_chunks(conversation_ids):
        for row in connection.execute(select(*columns).where(_TURNS.c.conversation_id.in_(chunk))).all():
            added = set(list_words(row.question_intent_explicit)) - set(list_words(row.question_as_asked))
            if added & taken:
                change = update(_TURNS).where(_TURNS.c.turn_id == row.turn_id)
                connection.execute(change.values(question_intent_explicit=row.question_as_asked))


def erase_former_names(connection: Connection, names: Collection[str]) -> None:
    """Replace these names in all text of pages that turns contain.

    Names of one word stay, because a first name is also that of other people. So do names that a page shows now.
    """
    former = [name for name in names if len(name.split()) > 1 and not _is_shown(connection, name)]
    if not former:
        return
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in former), re.IGNORECASE)
    query = select(_TURNS.c.turn_id, _TURNS.c.trace_texts).where(_match_texts(former, _TURNS.c.trace_texts))
    for row in connection.execute(query).all():
        empty_trace(connection, row.turn_id, row.trace_texts)
    for table, columns in _PAGE_TEXTS:
        _replace_in_table(connection, table, columns, former, lambda text: pattern.sub(REMOVED_PERSON, text))


def _is_shown(connection: Connection, name: str) -> bool:
    """Whether the evidences, the title or the facts of a page contain the name."""
    evidences, pages = schema.evidences, schema.pages
    for query in (
        select(evidences.c.key).where(_match_texts([name], evidences.c.text, evidences.c.context, evidences.c.rows)),
        select(pages.c.page_id).where(_match_texts([name], pages.c.facts, pages.c.title)),
    ):
        if connection.execute(query.limit(1)).first():
            return True
    return False


def _replace_in_table(
    connection: Connection, table: Table, columns: tuple[str, ...], names: Collection[str], edit: Callable[[str], str]
) -> None:
    wanted = [table.c[column] for column in columns]
    keys = list(table.primary_key)
    for row in connection.execute(select(*keys, *wanted).where(_match_texts(names, *wanted))).mappings().all():
        values: Row = {column: _edit_texts(row[column], edit) for column in columns}
        this = and_(*(key == row[key.name] for key in keys))
        connection.execute(update(table).where(this).values(values))


def _edit_texts(value: object, edit: Callable[[str], str]) -> object:
    """Return a text, or a JSON value, with all its texts edited."""
    match value:
        case str():
            return edit(value)
        case list():
            return [_edit_texts(each, edit) for each in value]
        case dict():
            return {key: _edit_texts(each, edit) for key, each in value.items()}
    return value


def _match_texts(texts: Collection[str], *columns: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return the condition that a column of text or JSON contains one of the texts, as they are or escaped by JSON."""
    forms = sorted({form for text in texts for form in (text, json.dumps(text)[1:-1])})
    return or_(*(cast(column, Text).icontains(form, autoescape=True) for column in columns for form in forms))
