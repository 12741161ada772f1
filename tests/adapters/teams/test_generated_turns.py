"""A thousand generated turns, each shown in every way that Teams has: nothing of it may break a documented limit."""

from __future__ import annotations

from adapters.teams.cards import answer_card, part_card, render_message, reply_card, shorten_message
from adapters.teams.json import serialise_activity
from core.model import PageFacts
from core.views.messages import answer_view
from core.views.sources import sources_view
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
    """Whether it has a table; all rows of one have as many cells as it has columns."""
    check_size(serialise_activity(card))
    check_card(card, {URL})
    tables = [element for element in elements(card) if element.get("type") == "Table"]
    for table in tables:
        assert {len(row["cells"]) for row in table["rows"]} == {len(table["columns"])}
        assert len(table["columns"]) <= 8
    return bool(tables)


@each_part
def test_nothing_of_a_thousand_turns_breaks_a_limit(part: int) -> None:
    chance, turns = make_turns(part)
    with_tables = 0
    for made in turns:
        view = answer_view(made, {"1"})
        for way in WAYS:
            check_message(render_message(view, way), way)
        with_tables += check_content(answer_card(view))
        check_content(part_card(view, chance.randrange(3)))
        check_content(reply_card(sources_view(made, {"1": PageFacts()}), made.turn_id, view.language))
    assert with_tables > TURNS // PARTS // 10
