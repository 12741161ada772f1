"""Hostile text in every field of every view: no links except to the wiki, no mentions, no terminal controls.

`python -m benchmarks.security views [--cases N] [--seed S]`. Messages are interpreted by the platforms' own rules
(tests/servers), not by the code that made them.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import time
import unicodedata
from collections.abc import Iterator
from typing import Any

from markdown_it import MarkdownIt
from rich.console import Console

from adapters.slack.blocks import render_forms
from adapters.slack.blocks import render_message as slack_rendered
from adapters.slack.windows import (
    render_answer,
    render_explanation,
    render_form,
    render_home,
    render_link_preview,
    render_sources,
)
from adapters.teams.cards import (
    make_text_message,
    render_form_card,
    render_part_card,
    render_reply_card,
    shorten_message,
)
from adapters.teams.cards import render_message as teams_rendered
from adapters.teams.elements import Delivery
from adapters.teams.links import render_link_preview as render_teams_link_preview
from adapters.teams.links import render_page_form
from benchmarks.security._views_generated import ASKER, Generator
from bot.cli.document import LIMITS, draw_document
from core.model.views import AnswerView, ExplanationView, HomeView, LinkView, Notice, QuestionView, SourcesView
from core.views.help import build_correction_form, build_page_form, build_reason_form
from core.views.messages import build_document
from tests.servers.slack.text import pings_in
from tests.servers.teams.cards import elements

_TERMINAL_LINK = re.compile("\x1b\\]8;[^;]*;([^\x1b]*)\x1b\\\\")
_ANGLE = re.compile(r"<[^<>\n]+>")
_STYLE = re.compile("\x1b\\[[0-9;]*m")
_MARKUP = re.compile(r"[\\`*_\[\]()<>#~|{}/@\n]|^[\W\d]")
_DELIVERIES: tuple[Delivery, ...] = ("post", "stream", "update")
_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_TEAMS_TAG = re.compile(r"<\s*/?\s*(?:at|a|img|script|b)\b", re.IGNORECASE)
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_CONTACT = re.compile(r"<[@#](?P<id>[A-Z0-9]+)(?:\|[^<>|]*)?>")
_OURS = "https://wiki.example/pages/"


def violations(generator: Generator) -> Iterator[str]:
    """Return the violations in the messages of one view, as each platform shows them."""
    view = generator.view()
    for name, message in _slack_messages(view):
        found = wrong_in_slack(message, _mentioned_on_purpose(view))
        yield from (f"slack {name}: {wrong}" for wrong in found)
    for name, message in _teams_messages(view, generator.text()):
        yield from (f"teams {name}: {wrong}" for wrong in wrong_in_teams(message))
    if isinstance(view, HomeView | LinkView):  # which a terminal does not show
        return
    output = io.StringIO()
    shown = draw_document(build_document(view, LIMITS))
    Console(file=output, force_terminal=True, color_system="standard", width=100).print(shown)
    yield from (f"terminal: {wrong}" for wrong in wrong_in_terminal(output.getvalue()))


def _mentioned_on_purpose(view: Any) -> str:
    """Return the person who asked by a command, or the contact, whose mentions are intended; "" for nobody."""
    if isinstance(view, QuestionView):
        return ASKER
    if not isinstance(view, AnswerView):
        return ""
    found = _CONTACT.search(view.contact)
    return found["id"] if found and not re.search("[!-~]", view.contact.replace(found[0], "", 1)) else ""


def _slack_messages(view: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(view, SourcesView):
        yield "sources", render_sources(view)
        yield "reason", render_form(build_reason_form(view.question, view.language), "m")
        yield "correction", render_form(build_correction_form(view.question, view.language), "m")
        return
    if isinstance(view, HomeView):
        yield "home", render_home(view)
        return
    if isinstance(view, LinkView):
        yield "link", render_link_preview(view)
        yield "page form", render_form(build_page_form(view.title, view.language), "m")
        return
    if isinstance(view, ExplanationView):
        yield "window", render_explanation(view, view.language, "m")
    message = slack_rendered(view, "mark")
    yield type(view).__name__, message
    *_, shortened = render_forms(view, "mark")
    yield "shortened", shortened
    if isinstance(view, AnswerView):
        yield "without tables", slack_rendered(view, "mark", with_tables=False)
        yield "whole", render_answer(view)


def _teams_messages(view: Any, text: str) -> Iterator[tuple[str, Any]]:
    if isinstance(view, SourcesView):
        yield "sources", render_reply_card(view, "turn-1", view.language)
        yield "reason", render_form_card(build_reason_form(view.question, view.language), "turn-1", "1")
        return
    if isinstance(view, LinkView):
        yield "link", render_teams_link_preview(view, view.url)
        yield "page form", render_page_form(build_page_form(view.title, view.language), view.url, "1")
        return
    if isinstance(view, HomeView | QuestionView):  # which Teams does not show
        return
    for way in _DELIVERIES:
        message = teams_rendered(view, way)
        yield f"{type(view).__name__} {way}", message
        yield f"shortened {way}", {**message, **shorten_message(message)}
    yield "text", make_text_message(text)
    if isinstance(view, AnswerView):
        yield "part", render_part_card(view, 0)
    if isinstance(view, Notice):
        yield "notice card", render_reply_card(view, "turn-1", "en")


def wrong_in_slack(message: Any, contact: str = "") -> Iterator[str]:
    """Return mentions, foreign links, and texts in which Slack looks for mentions and links.

    ``contact``: the person or channel that may be mentioned below an answer.
    """
    for ping in pings_in(_without_bare_addresses(message)):
        if ping.kind in {"user", "channel"} and ping.target == contact:
            continue
        if ping.kind != "link" or not ping.target.startswith(_OURS):
            yield f"{ping.kind} {ping.target!r} at {ping.where}"
    for text in _all_texts(message.get("blocks", [])):
        if text.get("type") == "mrkdwn" and not text.get("verbatim"):
            yield "a text that is not verbatim"
        if _REORDERING & set(text["text"]):
            yield "a text that is shown in another order"


def _without_bare_addresses(item: Any) -> Any:
    """Return the message with verbatim texts reduced to angle brackets, since Slack links nothing else there."""
    if isinstance(item, list | tuple):
        return [_without_bare_addresses(each) for each in item]
    if not isinstance(item, dict):
        return item
    if item.get("type") == "mrkdwn" and item.get("verbatim"):
        return {**item, "text": " ".join(_ANGLE.findall(item["text"]))}
    return {name: _without_bare_addresses(value) for name, value in item.items()}


def _all_texts(item: Any) -> Iterator[dict[str, Any]]:
    if isinstance(item, list | tuple):
        for each in item:
            yield from _all_texts(each)
    elif isinstance(item, dict):
        if isinstance(item.get("text"), str):
            yield item
        for each in item.values():
            yield from _all_texts(each)


def wrong_in_teams(message: dict[str, Any]) -> Iterator[str]:
    """Return mentions, foreign links, markup, and macros of cards."""
    for entity in message.get("entities", []):
        if entity.get("type") == "mention":
            yield "a mention"
        for claim in entity.get("citation", []):
            url = claim["appearance"].get("url", _OURS)
            if not url.startswith(_OURS):
                yield f"a citation of {url!r}"
    text = message.get("text", "")
    if message.get("textFormat", "plain") == "markdown":
        yield from _wrong_in_markdown(text)
    elif _TEAMS_TAG.search(text) or "://" in text:
        yield "a text with tags or addresses"
    cards = [each["content"] for each in message.get("attachments", [])] or ([message] if "body" in message else [])
    for element in elements(cards):
        yield from _wrong_in_element(element)


def _wrong_in_markdown(text: str) -> Iterator[str]:
    for token in _MARKDOWN.parse(text):
        for part in (token, *(token.children or ())):
            if part.type in {"html_block", "html_inline", "image", "table_open"}:
                yield f"a text with {part.type}"
            if part.type == "link_open" and not str(part.attrs["href"]).startswith(_OURS):
                yield f"a link to {part.attrs['href']!r} in a text"
            if part.type == "text" and (_TEAMS_TAG.search(part.content) or "://" in part.content):
                yield "a text with tags or addresses"
    if _REORDERING & set(text):
        yield "a text that is shown in another order"


def _wrong_in_element(element: dict[str, Any]) -> Iterator[str]:
    kind = element.get("type")
    if kind == "Action.OpenUrl" and not str(element["url"]).startswith(_OURS):
        yield f"a link to {element['url']!r}"
    if kind in {"Image", "Media"} or (kind == "TextBlock" and _MARKUP.search(element["text"])):
        yield f"an element of type {kind}, in which text is markup"
    shown = element.get("text")
    if isinstance(shown, str):
        if "://" in shown and element.get("fontType") != "Monospace":
            yield "an address in a text"
        if _REORDERING & set(shown):
            yield "a text that is shown in another order"
        if re.search(r"\{\{\s*(?:DATE|TIME)", shown):
            yield "a macro for dates"


def wrong_in_terminal(shown: str) -> Iterator[str]:
    """Return foreign links, and characters that move the cursor, change the title or reorder text."""
    for url in _TERMINAL_LINK.findall(shown):
        if url and not url.startswith((_OURS, "https://[x")):
            yield f"a link to {url!r}"
    rest = _STYLE.sub("", _TERMINAL_LINK.sub("", shown))
    bad = {each for each in rest if (unicodedata.category(each) == "Cc" and each not in "\n\t") or each in _REORDERING}
    if bad:
        yield f"the control characters {sorted(bad)!r}"


def main(argv: list[str]) -> int:
    """Run the cases. Exit code 1 for a forbidden link, mention or control character."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.security views")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    started, generator = time.perf_counter(), Generator(options.seed)
    found: dict[str, int] = {}
    for _ in range(options.cases):
        for wrong in violations(generator):
            found[wrong] = found.get(wrong, 0) + 1
    for wrong, count in sorted(found.items(), key=lambda item: -item[1])[:40]:
        print(f"{count:>6}  {json.dumps(wrong)[:200]}")
    seconds = time.perf_counter() - started
    print(f"{options.cases} views, {sum(found.values())} violations, {seconds:.0f} s")
    return int(bool(found))
