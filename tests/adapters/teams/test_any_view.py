from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.teams.cards import (
    make_text_message,
    render_answer_card,
    render_message,
    render_part_card,
    render_reply_card,
    shorten_message,
)
from adapters.teams.elements import Delivery, count_bytes, make_card, render_block
from core.model.views import AnswerView, SourcesView, View
from core.views.commonmark import render_text
from core.views.document import Code, Paragraph, Run
from tests.adapters.slack import strategies
from tests.servers.teams.cards import actions, elements
from tests.servers.teams.chat_world import read_markdown
from tests.servers.teams.rules import MOST_BYTES, check

MANY = strategies.MANY
_ADDRESS = re.compile(r"://|\bwww\.|[^\s\u200b]@", re.IGNORECASE)
"""Addresses that clients link: with a scheme, a host, or for mail."""

_DATE_MACRO = re.compile(r"\{\{\s*(?:DATE|TIME)")  # clients replace it by a date
KNOWN = {
    "AdaptiveCard", "TextBlock", "RichTextBlock", "TextRun", "Container", "ColumnSet", "Column", "Table", "TableRow",
    "TableCell", "ActionSet", "Chart.HorizontalBar", "Input.Text", "Action.Execute", "Action.Submit",
    "Action.OpenUrl", "Action.ToggleVisibility",
}  # fmt: skip


WAYS: tuple[Delivery, ...] = ("post", "stream", "update")
STREAM = {"type": "streaminfo", "streamId": "1", "streamType": "final"}


def links_of(card: Any) -> Iterator[str]:
    yield from (element["url"] for element in elements(card) if element.get("type") == "Action.OpenUrl")


def check_card(card: dict[str, Any], addresses: set[str]) -> None:
    """Assert that a card has only known elements without markup, and links of the view only."""
    assert card["$schema"] == "http://adaptivecards.io/schemas/adaptive-card.json"
    assert card["body"]
    for element in elements(card):
        if "type" not in element:
            continue
        assert element["type"] in KNOWN
        if element["type"] == "RichTextBlock":
            assert element["inlines"]
            assert all(
                run["text"] and "\n" not in run["text"] and "\x00" not in run["text"] for run in element["inlines"]
            )
        if element["type"].startswith("Action.") and element["type"] != "Action.OpenUrl":
            assert 0 < len(element["title"]) <= 80
        if element["type"] == "TextBlock":
            assert element["style"] == "heading"
            assert re.fullmatch(r"[^\W\d_][^\\`*_\[\]()<>#~|{}/@\n]*", element["text"]), "nothing in it may be markup"
        if element["type"] == "ActionSet":
            assert 0 < len(element["actions"]) <= 6
    for url in links_of(card):
        assert url in addresses
        assert urlsplit(url).scheme.lower() in {"http", "https"}


def check_text(text: str, addresses: set[str]) -> None:
    """Assert that a text has no HTML, image or table, and links to these addresses only."""
    _, links = read_markdown(text)
    assert {unquote(url) for _, url in links} <= {unquote(address) for address in addresses}
    without_blocks = re.sub(r"(?ms)^(`{3,})[^`\n]*\n.*?^\1$", "", text.replace("\\`", ""))
    shown = re.sub(r"\]\([^)\s]*\)", "", re.sub(r"`+[^`]*`+", "", without_blocks))
    assert not _ADDRESS.search(shown)


@MANY
@given(strategies.views)
def test_any_view_fits_pings_nobody_and_links_only_to_its_own_addresses(view: View) -> None:
    for way in WAYS:
        message = render_message(view, way)
        assert count_bytes(message) <= MOST_BYTES - 4_000  # the connector adds to it
        ended = {**message, "entities": [*message.get("entities", []), *([STREAM] if way == "stream" else [])]}
        check(ended)
        assert not any(entity["type"] == "mention" for entity in message.get("entities", []))
        assert "attachments" not in message or way == "stream" or "text" not in message, "it would be split"
        addresses = strategies.addresses_in(view)
        for attached in message.get("attachments", []):
            check_card(attached["content"], addresses)
        if message.get("textFormat") == "markdown":
            check_text(message["text"], addresses)
        for entity in message.get("entities", []):
            for claim in entity.get("citation", []):
                assert claim["appearance"].get("url", "") in {*addresses, ""}
        shortened = {**ended, **shorten_message(ended)}
        check(shortened)
        for attached in shortened.get("attachments", []):
            check_card(attached["content"], addresses)


@MANY
@given(strategies.answers)
def test_an_answer_has_what_each_way_of_delivering_it_needs(view: AnswerView) -> None:
    """One property of three, because making such an answer takes longer than rendering it."""
    check_posted(view, render_message(view))
    check_updated(render_message(view, "update"))
    check_end_of_stream(render_message(view, "stream"))


def check_posted(view: AnswerView, message: dict[str, Any]) -> None:
    """Assert that an answer has Teams' thumbs, and sources only if it is answered."""
    assert message["channelData"]["feedbackLoop"] == {"type": "default"}
    verbs = {action.get("verb") for action in actions([each["content"] for each in message.get("attachments", ())])}
    assert verbs.isdisjoint({"good", "bad"}), "Teams shows its own"
    assert ("sources" in verbs) is view.answered
    assert ("explain" in verbs) is view.answered
    (entity,) = message["entities"]
    assert entity["additionalType"] == ["AIGeneratedContent"]
    assert ("citation" in entity) is (view.answered and bool(view.citations))


def check_updated(message: dict[str, Any]) -> None:
    """Assert that an updated answer has feedback buttons in place of Teams' thumbs, which an update loses."""
    assert "channelData" not in message
    assert {"good", "bad"} <= {action.get("verb") for action in actions(message["attachments"][0]["content"])}


def check_end_of_stream(message: dict[str, Any]) -> None:
    """Assert that the end of a stream has exactly the citations of its text."""
    (entity,) = message["entities"]
    marks = {int(mark) for mark in re.findall(r"(?<!\\)\[(\d+)\]", message["text"])}
    assert {claim["position"] for claim in entity.get("citation", [])} <= marks
    assert all(f"[{claim['position']}]" in message["text"] for claim in entity.get("citation", []))


@MANY
@given(strategies.sources)
def test_any_sources_fit_into_a_card(view: SourcesView) -> None:
    card = render_reply_card(view, "turn-1", view.language)
    assert count_bytes(card) <= MOST_BYTES - 4_000
    check_card(card, strategies.addresses_in(view))


@MANY
@given(strategies.answers.map(lambda view: replace(view, answered=True)), st.sampled_from(WAYS))
def test_the_card_shown_again_is_that_of_the_message(view: AnswerView, way: Delivery) -> None:
    card = render_answer_card(view, way)
    assert card == render_message(view, way)["attachments"][0]["content"]
    assert {action["data"].get("way", "post") for action in actions(card) if "data" in action} == {way}


@MANY
@given(strategies.answers)
def test_a_long_answer_can_be_read_in_parts(view: AnswerView) -> None:
    total = 1
    number = 0
    while number < total:
        card = render_part_card(view, number)
        assert count_bytes(card) <= MOST_BYTES - 4_000
        check_card(card, strategies.addresses_in(view))
        (about,) = [run["text"] for run in card["body"][0]["inlines"]]
        total = int(about.split()[-1])
        number += 1
    attached = [each["content"] for each in render_message(view).get("attachments", ())]
    whole = {action.get("verb") for action in actions(attached)} & {"whole"}
    assert whole or total <= 3, "a part has less room than a message, and a long block may fill one by itself"


@MANY
@given(strategies.nasty, strategies.nasty)
def test_a_growing_draft_keeps_its_beginning(text: str, more: str) -> None:
    begun, grown = (str(make_text_message(part)["text"]) for part in (text, text + more))
    check({"type": "message", "text": grown})
    assert "<b" not in grown
    assert not _ADDRESS.search(grown)
    if len(text + more) < 5_000 and text.strip() and "\r" not in text[-1:]:
        assert grown.startswith(begun.rstrip()) or "{{" in text + more[:9]


@pytest.mark.parametrize(
    "address", ["https://evil.example", "www.evil.example", "WWW.evil.example", "ann@evil.example"]
)
def test_an_address_in_a_text_is_not_a_link(address: str) -> None:
    shown = render_text([Paragraph((Run(f"See {address}."),))], ())
    assert not _ADDRESS.search(shown)
    assert shown.replace("\u200b", "") == f"See {address}."


@pytest.mark.parametrize("between", [(), (Run(""),), (Run("", ("bold",)), Run("", code=True))])
def test_a_mark_and_the_text_after_it_are_not_a_link(between: tuple[Run, ...]) -> None:
    shown = render_text([Paragraph((Run("[1]", citation=1), *between, Run("(https:evil.example)")))], [1])
    assert not read_markdown(shown)[1]


@pytest.mark.parametrize("code", [True, False])
@pytest.mark.parametrize("url", ["", "https://wiki.example/1"])
@pytest.mark.parametrize("text", ["{{DATE(2026-01-01T00:00:00Z)}}", "[1] {{ TIME(2026-01-01T00:00:00Z)}}"])
def test_date_macros_are_broken_up(text: str, url: str, code: bool) -> None:
    elements = render_block(Paragraph((Run(text, code=code, url=url),)))
    assert not _DATE_MACRO.search(json.dumps(elements, ensure_ascii=False))


@given(st.text(st.sampled_from("ab \n\t\u00a0"), max_size=30).map(lambda text: f"a{text}b"))
def test_lines_of_a_paragraph_are_joined_by_spaces(text: str) -> None:
    (block,) = render_block(Paragraph((Run(text),)))
    assert block["inlines"][0]["text"].split() == text.split()
    assert "\n" not in block["inlines"][0]["text"]


def test_the_lines_of_a_quotation_are_in_one_container_apart_from_others() -> None:
    def make_line(text: str, quoted: int = 0, tight: bool = True) -> Paragraph:
        return Paragraph((Run(text),), tight=tight, quoted=quoted)

    blocks = [make_line("a"), make_line("b", 1), make_line("c", 1), make_line("d", 2, tight=False), Code(("e",))]
    card = make_card([*blocks, make_line("f")], "en")
    assert [[read_texts(item) for item in each.get("items", [each])] for each in card["body"]] == [
        [["a"]], [["b"], ["c"]], [["\u00a0" * 4, "d"]], [["e"]], [["f"]],
    ]  # fmt: skip


def read_texts(element: dict[str, Any]) -> list[str]:
    return [run["text"] for run in element["inlines"]]
