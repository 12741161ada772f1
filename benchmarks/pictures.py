"""``python -m benchmarks.pictures``: pictures of answers about the samples, as Slack and Teams show them.

Writes pictures into docs/figures, each light, dark and as on a phone: ``slack`` (an answer and its explanation),
``slack-table`` (a row and a table), ``slack-sources`` and ``slack-home``; ``teams`` (an answer in a chat with the bot
alone, and its explanation), ``teams-table`` and ``teams-link`` (the preview of a link, and the form below it). The
blocks and cards are those that the bot sends. The look of the platforms is imitated, since they show messages only to
accounts. It needs Chromium (Debian: apt install chromium) and the development tools.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

from adapters.slack.blocks import render_message
from adapters.slack.windows import render_explanation, render_home, render_sources
from adapters.teams.cards import Delivery
from adapters.teams.links import render_link_preview, render_page_form
from benchmarks import pictures_teams
from benchmarks.child import WORK, MeasurementFailed
from benchmarks.corpus import ROOT
from benchmarks.fitting import SAMPLES, run_on_index
from bot.chat.commands import describe_space
from bot.explainers import make_explainer
from bot.schedules import parse_moment
from bot.wiring import Application
from core.conversation import Ask
from core.i18n import message
from core.model import Scope, Turn
from core.views.explanation import explanation_view
from core.views.help import build_page_form
from core.views.messages import answer_view
from core.views.model import AdminHomeView, HelpView, HomeView, LinkView, PageLink, SourcesView, View
from core.views.sources import describe_page, sources_view

QUESTION = "Wo bekomme ich einen Schlüssel für das Berliner Büro?"
ROW_QUESTION = "What is the hotel limit per night in the Netherlands in 2026?"
TABLE_QUESTION = "How many countries have a hotel limit per night?"
TARGET = ROOT / "docs" / "figures"

Json = dict[str, Any]

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_SOURCES = 3  # shown sources, enough to see their look
_TALLEST = 3000  # pixels; empty space below is cut off
_SCALE = 2
_COLOURS = 24  # enough for text, and keeps the pictures small
_MARGIN = 12  # pixels below the last line
_LINK = re.compile(r"<([^|<>]+)\|([^<>]*)>")
_MARKS = (
    (re.compile(r"(?<!\w)\*(\S|\S.*?\S)\*(?!\w)"), r"<b>\1</b>"),
    (re.compile(r"(?<!\w)_(\S|\S.*?\S)_(?!\w)"), r"<i>\1</i>"),
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
)


@dataclass(frozen=True, slots=True)
class Look:
    """A look: ``suffix`` of the picture's file, width of the message pane in pixels, and colours."""

    suffix: str
    width: int
    colours: Mapping[str, str]


LIGHT = {"page": "#fff", "text": "#1d1c1d", "subtle": "#616061", "link": "#1264a3", "line": "#ccc"}
DARK = {"page": "#1a1d21", "text": "#d1d2d3", "subtle": "#9b9c9e", "link": "#1d9bd1", "line": "#565856"}
LOOKS = (Look("", 480, LIGHT), Look("-dark", 480, DARK), Look("-phone", 360, LIGHT))


@dataclass(frozen=True, slots=True)
class Scene:
    """One view. ``body``: its HTML. ``style``: the platform's CSS. ``colours``: light and dark ones, if not Slack's."""

    name: str
    body: str
    style: str = ""
    colours: tuple[Mapping[str, str], Mapping[str, str]] | None = None

    def look(self, look: Look) -> Look:
        """Return the look with the colours of the platform."""
        return replace(look, colours=self.colours[look.colours is DARK]) if self.colours else look


def main() -> int:
    """Make the pictures, and print their paths."""
    chromium = next((path for path in map(shutil.which, _NAMES) if path), None)
    if chromium is None:
        print("The pictures need Chromium (Debian: apt install chromium).", file=sys.stderr)
        return 1
    scenes: list[Scene] = []

    async def make(application: Application) -> None:
        scenes.extend(await _make_scenes(application))

    run_on_index(SAMPLES / "documents", make, data_dir=WORK / "pictures")
    for scene in scenes:
        for look in LOOKS:
            path = TARGET / f"{scene.name}{look.suffix}.png"
            own = scene.look(look)
            _take_picture(chromium, _page(scene.body, own, scene.style or _STYLE), own, path)
            print(path)
    return 0


async def _make_scenes(application: Application) -> list[Scene]:
    turn = await _ask(application, QUESTION)
    explanation = await (await make_explainer(application, turn)).explain(turn)
    row, table = await _ask(application, ROW_QUESTION), await _ask(application, TABLE_QUESTION)
    view = explanation_view(turn, explanation)
    alone = replace(view, answer_id="1")
    answers = [_said(QUESTION), _posted(answer_view(turn)), _posted(view)]
    tables = [_said(ROW_QUESTION), _posted(answer_view(row)), _said(TABLE_QUESTION), _posted(answer_view(table))]
    return [
        Scene("slack", "".join(answers)),
        Scene("slack-table", "".join(tables)),
        Scene("slack-explain", _window(render_explanation(alone, view.language))),
        Scene("slack-sources", _window(render_sources(await _sources(application, row)))),
        Scene("slack-home", "".join(map(_block, render_home(await _home(application))["blocks"]))),
        _teams_scene("teams", [(QUESTION, answer_view(turn), "stream"), ("", view, "post")]),
        _teams_scene(
            "teams-table", [(ROW_QUESTION, answer_view(row), "post"), (TABLE_QUESTION, answer_view(table), "post")]
        ),
        _link_scene(await _link(application, row)),
    ]


def _teams_scene(name: str, talk: Sequence[tuple[str, View, Delivery]]) -> Scene:
    """Return a scene. ``talk``: each question ("" for none) with the bot's message and how it is sent."""
    body = "".join(
        (pictures_teams.draw_said(question) if question else "") + pictures_teams.draw_posted(view, way)
        for question, view, way in talk
    )
    return Scene(name, body, pictures_teams.STYLE, (pictures_teams.LIGHT, pictures_teams.DARK))


def _link_scene(view: LinkView) -> Scene:
    form = render_page_form(build_page_form(view.title, view.language), view.url)
    cards = (render_link_preview(view, view.url), form)
    body = pictures_teams.draw_said(view.url) + "".join(map(pictures_teams.draw_card, cards))
    return Scene("teams-link", body, pictures_teams.STYLE, (pictures_teams.LIGHT, pictures_teams.DARK))


async def _link(application: Application, turn: Turn) -> LinkView:
    """Return the preview of the first page of a turn."""
    page_id = turn.evidences[0].evidence.page_id
    facts = await application.evidences.load_facts([page_id], Scope())
    texts = await application.evidences.load_texts([page_id], Scope())
    text = next(text for text in texts if text.kind == "passage")
    about = tuple(each.render("en") for each in describe_page(facts[page_id]))
    return LinkView("en", page_id, text.context.title, text.url.partition("#")[0], about, text.text)


async def _ask(application: Application, question: str) -> Turn:
    turn = await application.assistant().ask(Ask("turn", "conversation", "", question, (), Scope()))
    if not turn.answer.answered:
        raise MeasurementFailed(f"the sample wiki does not answer any more: {question}")
    return turn


async def _sources(application: Application, turn: Turn) -> SourcesView:
    view = sources_view(turn, await application.evidences.load_facts(turn.page_ids, Scope()))
    return replace(view, sources=view.sources[:_SOURCES])


async def _home(application: Application) -> HomeView:
    """Return an admin's home. Questions and feedback are made up; the spaces are those of the samples."""
    spaces = sorted(summary.key for summary in await application.spaces.load_summaries())
    now = message("just now").render("en")
    asked = tuple(PageLink(question, "https://slack.example/1") for question in (ROW_QUESTION, TABLE_QUESTION))
    unanswered = (PageLink("Does the company pay for a gym membership?", "https://slack.example/2"),)
    complaint = (PageLink("Who approves flights?", "https://slack.example/3"), "It changed in May, see Travel 2026")
    syncs = tuple(
        describe_space(summary, None, parse_moment(summary.synced_at), "en")
        for summary in await application.spaces.load_summaries()
    )
    admin = AdminHomeView(syncs, unanswered, 12, 1, (complaint,))
    help_view = HelpView("en", "@WikiWhy", tuple(spaces), direct=True, admin=True, own_pages=False)
    return HomeView(help_view, asked, tuple(f"{space}: as of {now}" for space in spaces), admin)


def _take_picture(chromium: str, page: str, look: Look, path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, shot = Path(folder, "page.html"), Path(folder, "shot.png")
        source.write_text(page, "utf-8")
        command = [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--screenshot={shot}",
            f"--window-size={look.width},{_TALLEST}", f"--force-device-scale-factor={_SCALE}", source.as_uri(),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        with Image.open(shot) as taken:
            image = taken.convert("RGB")
    ground = Image.new("RGB", image.size, look.colours["page"])
    box = ImageChops.difference(image, ground).getbbox()
    bottom = min(image.height, (box[3] if box else 0) + _MARGIN * _SCALE)
    image.crop((0, 0, image.width, bottom)).quantize(_COLOURS).save(path, optimize=True)


# ------------------------------------------------------------------------------------------ Slack's look


def _page(body: str, look: Look, style: str) -> str:
    variables = "".join(f"--{name}: {value};" for name, value in look.colours.items())
    return f"<!doctype html><meta charset=utf-8><style>:root {{{variables}}} {style}</style>{body}"


def _said(question: str) -> str:
    return _message("A", "#7c3aa0", "Ada Lovelace", "", f"<section><a>@WikiWhy</a> {escape(question)}</section>")


def _posted(view: View) -> str:
    blocks = "".join(map(_block, render_message(view, "")["blocks"]))
    return _message("W", "#4aa0a0", "WikiWhy", "<small class=app>APP</small>", blocks)


def _window(modal: Json) -> str:
    labels = [modal[name]["text"] for name in ("close", "submit") if name in modal]
    buttons = "".join(f"<button>{escape(label)}</button>" for label in labels)
    head = f"<h3>{escape(modal['title']['text'])}</h3>"
    return f"{head}{''.join(map(_block, modal['blocks']))}<section class=buttons>{buttons}</section>"


def _message(letter: str, colour: str, name: str, badge: str, body: str) -> str:
    head = f"<b>{name}</b> {badge} <small>08:55</small>"
    return f"<article><div class=face style='background:{colour}'>{letter}</div><div>{head}{body}</div></article>"


def _block(block: Json) -> str:
    match block["type"]:
        case "section":
            return _section(block)
        case "data_table":
            head, *rows = block["rows"]
            lines = [_row(head, "th"), *(_row(row, "td") for row in rows[: block["page_size"]])]
            return f"<div class=wide><table>{''.join(lines)}</table></div>"
        case "data_visualization":
            return _chart(block)
        case "context":
            return "".join(f"<section class=subtle>{_markup(each['text'])}</section>" for each in block["elements"])
        case "actions":
            labels = "".join(f"<button>{escape(each['text']['text'])}</button>" for each in block["elements"])
            return f"<section>{labels}</section>"
        case "context_actions":
            return f"<section class=subtle>{' &nbsp; '.join(_thumbs(block))}</section>"
        case "divider":
            return "<hr>"
    raise MeasurementFailed(f"this picture has no block of type {block['type']!r}")


def _section(block: Json) -> str:
    if "fields" in block:
        fields = "".join(f"<div>{_markup(field['text'])}</div>" for field in block["fields"])
        return f"<section class=fields>{fields}</section>"
    button = f"<button>{escape(block['accessory']['text']['text'])}</button>" if "accessory" in block else ""
    return f"<section class=beside><div>{_markup(block['text']['text'])}</div>{button}</section>"


def _chart(block: Json) -> str:
    """Return vertical bars, as Slack draws them."""
    bars = "".join(
        f"<div><span style='height:{point['value']}%'></span><small>{escape(point['label'])}</small></div>"
        for point in block["chart"]["series"][0]["data"]
    )
    return f"<section class=chart><b>{escape(block['title'])}</b><div>{bars}</div></section>"


def _row(cells: Sequence[Json], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{_cell(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(cell: Json) -> str:
    if cell["type"] == "raw_text":
        return escape(cell["text"])
    [section] = cell["elements"]
    return "".join(map(_element, section["elements"]))


def _element(element: Json) -> str:
    shown = escape(element["text"])
    if element["type"] == "link":
        return f"<a>{shown}</a>"
    return f"<b>{shown}</b>" if element.get("style", {}).get("bold") else shown


def _thumbs(block: Json) -> list[str]:
    """Return the names of the two thumbs, since not every machine has a font with their signs."""
    [element] = block["elements"]
    return [escape(element[name]["text"]["text"]) for name in ("positive_button", "negative_button")]


def _markup(text: str) -> str:
    """Convert Slack's mrkdwn to HTML (https://docs.slack.dev/messaging/formatting-message-text)."""
    pieces = text.split("```")
    return "".join(
        f"<pre>{escape(unescape(piece.strip()))}</pre>" if at % 2 else _lines(piece) for at, piece in enumerate(pieces)
    )


def _lines(text: str) -> str:
    lines = []
    for line in text.strip("\n").split("\n"):
        is_quoted = line.startswith("> ")
        shown = _inline(line[2:] if is_quoted else line)
        lines.append(f"<blockquote>{shown}</blockquote>" if is_quoted else f"<div>{shown or '&nbsp;'}</div>")
    return "".join(lines)


def _inline(line: str) -> str:
    """Convert inline markup. The text is escaped already, so that only our links have angle brackets."""
    shown = _LINK.sub(lambda link: f"<a>{link[2]}</a>", line)
    for pattern, markup in _MARKS:
        shown = pattern.sub(markup, shown)
    return shown


_STYLE = """
* { box-sizing: border-box }
body { margin: 0; padding: 10px 14px; background: var(--page); color: var(--text);
  font: 15px/1.47 Lato, Roboto, "Noto Sans", "DejaVu Sans", sans-serif }
article { display: flex; gap: 8px; margin: 4px 0 16px }
article > div:last-child { min-width: 0; flex: 1 }
section { margin: 3px 0 }
a { color: var(--link) }
small { color: var(--subtle); font-size: 12px }
.app { border: 1px solid var(--line); border-radius: 2px; padding: 0 3px; font-size: 9px }
.face { width: 36px; height: 36px; line-height: 36px; margin-top: 4px; flex: none; border-radius: 4px; color: #fff;
  text-align: center; font-weight: 700 }
.subtle { color: var(--subtle); font-size: 13px }
button { border: 1px solid var(--line); border-radius: 4px; background: var(--page); color: var(--text); font: inherit;
  font-size: 13px; font-weight: 700; padding: 4px 12px; margin: 2px 8px 2px 0 }
.buttons { text-align: right; margin-top: 12px }
blockquote { margin: 0; padding-left: 10px; border-left: 4px solid var(--line) }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 8px 16px; max-width: 420px }
.beside { display: flex; gap: 12px; align-items: flex-start; justify-content: space-between }
.chart { border: 1px solid var(--line); border-radius: 8px; padding: 10px }
.chart > div { display: flex; gap: 12px; height: 140px; margin-top: 8px }
.chart > div > div { flex: 1; display: flex; flex-direction: column; justify-content: flex-end; min-width: 0 }
.chart span { background: #1d9bd1; border-radius: 3px 3px 0 0 }
.chart small { text-align: center }
.wide { overflow: hidden }
table { border-collapse: collapse; margin: 6px 0; font-size: 13px; min-width: 100% }
th, td { border: 1px solid var(--line); padding: 4px 8px; text-align: left; vertical-align: top }
h3 { margin: 0 0 8px }
hr { border: 0; border-top: 1px solid var(--line); margin: 10px 0 }
pre { border: 1px solid var(--line); border-radius: 4px; padding: 6px 8px; margin: 4px 0; font-size: 12px;
  white-space: pre-wrap }
"""

if __name__ == "__main__":
    sys.exit(main())
