"""A thousand generated turns, rendered in all forms of Teams, keep the documented limits."""

from __future__ import annotations

import pytest

from adapters.teams.cards import (
    render_answer_card,
    render_message,
    render_part_card,
    render_reply_card,
    shorten_message,
)
from adapters.teams.connector import serialise_activity
from core.model import PageFacts
from core.views.messages import build_answer_view
from core.views.sources import build_sources_view
from tests.adapters.teams.test_any_view import STREAM, WAYS, check_card, check_text
from tests.contracts.generated_turns import PARTS, TURNS, URL, each_part, make_turns
from tests.servers.chat_server import Json
from tests.servers.teams.cards import elements
from tests.servers.teams.rules import check, check_size

ADDRESS = {"from": {"id": "28:" + "a" * 36}, "conversation": {"id": "19:" + "c" * 200}}


def check_message(message: Json, way: str) -> None:
    entities = [*message.get("entities", []), *([STREAM] if way == "stream" else [])]
    sent = {**message, **ADDRESS, "entities": entities}
    for activity in (sent, {**sent, **shorten_message(sent)}):
        check_size(serialise_activity(activity))
        check(activity)
    for attached in message.get("attachments", []):
        check_content(attached["content"])
    if message.get("textFormat") == "markdown":
        check_text(message["text"], {URL})


def check_content(card: Json) -> bool:
    """Check a card; return whether it has a table. Each row of a table has a cell for each column."""
    check_size(serialise_activity(card))
    check_card(card, {URL})
    tables = [element for element in elements(card) if element.get("type") == "Table"]
    for table in tables:
        assert {len(row["cells"]) for row in table["rows"]} == {len(table["columns"])}
        assert len(table["columns"]) <= 8
    return bool(tables)


@pytest.mark.slow
@each_part
def test_a_thousand_turns_keep_the_limits(part: int) -> None:
    chance, turns = make_turns(part)
    with_tables = 0
    for made in turns:
        view = build_answer_view(made, {"1"})
        for way in WAYS:
            check_message(render_message(view, way), way)
        with_tables += check_content(render_answer_card(view))
        check_content(render_part_card(view, chance.randrange(3)))
        check_content(render_reply_card(build_sources_view(made, {"1": PageFacts()}), made.turn_id, view.language))
    assert with_tables > TURNS // PARTS // 10
