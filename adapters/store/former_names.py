"""Taking the names of a forgotten person out of what stored turns have of pages, where no page shows them any more."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, Table, Text, and_, cast, or_, select, update

from adapters.store import schema
from adapters.store.erasure import empty_trace
from adapters.store.mentions import REMOVED_PERSON
from adapters.store.rows import Row

_TURNS = schema.turns
_TEXTS: tuple[tuple[Table, tuple[str, ...]], ...] = (
    (schema.turns, ("question_as_asked", "question_intent_explicit", "answer")),
    (schema.turn_citations, ("title", "heading", "quote")),
)
_OBJECTS: tuple[tuple[Table, tuple[str, ...]], ...] = (
    (schema.turns, ("suggestions",)),
    (schema.turn_evidences, ("snapshot",)),
    (schema.counterfactuals, ("answers",)),
)


def erase_former_names(connection: Connection, names: Collection[str]) -> None:
    """Replaces these names in all turns. Only those of several words, since a first name is that of others too.

    A name that a page shows stays: it is the wiki's, as long as the wiki shows it.
    """
    former = [name for name in names if len(name.split()) > 1 and not _is_shown(connection, name)]
    if not former:
        return
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in former), re.IGNORECASE)
    _empty_traces(connection, former)
    for table, columns in _TEXTS:
        _replace(connection, table, columns, former, pattern)
    for table, columns in _OBJECTS:
        _replace(connection, table, columns, former, pattern)


def _is_shown(connection: Connection, name: str) -> bool:
    """Whether a page shows the name: its evidences, or what is known of it."""
    evidences, pages = schema.evidences, schema.pages
    around = (evidences.c.text, evidences.c.context, evidences.c.rows)
    for query in (
        select(evidences.c.key).where(_has([name], *around)),
        select(pages.c.page_id).where(_has([name], pages.c.facts, pages.c.title)),
    ):
        if connection.execute(query.limit(1)).first():
            return True
    return False


def _empty_traces(connection: Connection, names: Collection[str]) -> None:
    query = select(_TURNS.c.turn_id, _TURNS.c.trace_texts).where(_has(names, _TURNS.c.trace_texts))
    for row in connection.execute(query).all():
        empty_trace(connection, row.turn_id, row.trace_texts)


def _replace(
    connection: Connection, table: Table, columns: tuple[str, ...], names: Collection[str], pattern: re.Pattern[str]
) -> None:
    wanted = [table.c[column] for column in columns]
    keys = list(table.primary_key)
    for row in connection.execute(select(*keys, *wanted).where(_has(names, *wanted))).mappings().all():
        values: Row = {column: _without(row[column], pattern) for column in columns}
        this = and_(*(key == row[key.name] for key in keys))
        connection.execute(update(table).where(this).values(values))


def _without(value: object, pattern: re.Pattern[str]) -> object:
    """A text, or a JSON value, without the names in its texts."""
    match value:
        case str():
            return pattern.sub(REMOVED_PERSON, value)
        case list():
            return [_without(each, pattern) for each in value]
        case dict():
            return {key: _without(each, pattern) for key, each in value.items()}
    return value


def _has(names: Collection[str], *columns: ColumnElement[object]) -> ColumnElement[bool]:
    """Whether a column may have one of the names; JSON has some letters in another form."""
    forms = sorted({form for name in names for form in (name, json.dumps(name)[1:-1])})
    return or_(*(cast(column, Text).icontains(form, autoescape=True) for column in columns for form in forms))
