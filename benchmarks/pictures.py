"""``python -m benchmarks.pictures``: an answer and its explanation, over the samples, as Slack shows them.

Writes ``slack.png``, ``slack-dark.png`` and ``slack-phone.png`` into docs/figures. The messages are those that are
posted; Slack's look is imitated, for Slack shows messages to who has an account only. It needs Chromium (Debian: apt
install chromium) and the development tools.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

from adapters.slack.blocks import render_message
from benchmarks.child import WORK, MeasurementFailed
from benchmarks.corpus import ROOT
from benchmarks.fitting import SAMPLES, over
from bot.explainers import explainer_for
from bot.wiring import Application
from core.conversation import Ask
from core.model import Scope
from core.views.building import answer_view
from core.views.explanation import explanation_view

QUESTION = "Wo bekomme ich einen Schlüssel für das Berliner Büro?"
TARGET = ROOT / "docs" / "figures"

Json = dict[str, Any]

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_TALLEST = 3000  # pixels; what is empty below is cut off
_SCALE = 2
_MARGIN = 12  # pixels below the last line
_LINK = re.compile(r"<([^|<>]+)\|([^<>]*)>")
_MARKS = (
    (re.compile(r"(?<!\w)\*(\S|\S.*?\S)\*(?!\w)"), r"<b>\1</b>"),
    (re.compile(r"(?<!\w)_(\S|\S.*?\S)_(?!\w)"), r"<i>\1</i>"),
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
)


@dataclass(frozen=True, slots=True)
class Look:
    """One picture: its file, the width of the message pane in pixels, and the colours."""

    name: str
    width: int
    colours: Mapping[str, str]


LIGHT = {"page": "#fff", "text": "#1d1c1d", "subtle": "#616061", "link": "#1264a3", "line": "#ccc"}
DARK = {"page": "#1a1d21", "text": "#d1d2d3", "subtle": "#9b9c9e", "link": "#1d9bd1", "line": "#565856"}
LOOKS = (Look("slack", 480, LIGHT), Look("slack-dark", 480, DARK), Look("slack-phone", 360, LIGHT))


def main() -> int:
    """Makes the pictures, and prints where they are."""
    chromium = next((path for path in map(shutil.which, _NAMES) if path), None)
    if chromium is None:
        print("The pictures need Chromium (Debian: apt install chromium).", file=sys.stderr)
        return 1
    messages: list[Json] = []

    async def ask(application: Application) -> None:
        messages.extend(await _messages(application))

    over(SAMPLES / "documents", ask, data_dir=WORK / "pictures")
    for look in LOOKS:
        path = TARGET / f"{look.name}.png"
        _take_picture(chromium, _page(messages, look), look, path)
        print(path)
    return 0


async def _messages(application: Application) -> list[Json]:
    turn = await application.assistant().ask(Ask("turn", "conversation", "", QUESTION, (), Scope()))
    if not turn.answer.answered:
        raise MeasurementFailed("the sample wiki does not answer the question any more")
    explanation = await (await explainer_for(application, turn)).explain(turn)
    pages = {ranked.evidence.page_id for ranked in turn.evidences}
    views = (answer_view(turn, pages), explanation_view(turn, explanation))
    return [render_message(view, "") for view in views]


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
    image.crop((0, 0, image.width, bottom)).quantize(64).save(path, optimize=True)


# ------------------------------------------------------------------------------------------ Slack's look


def _page(messages: Sequence[Json], look: Look) -> str:
    asked = _message("A", "#7c3aa0", "Ada Lovelace", "", f"<section><a>@WikiWhy</a> {escape(QUESTION)}</section>")
    answers = [
        _message("W", "#4aa0a0", "WikiWhy", "<small class=app>APP</small>", "".join(map(_block, message["blocks"])))
        for message in messages
    ]
    variables = "".join(f"--{name}: {value};" for name, value in look.colours.items())
    return f"<!doctype html><meta charset=utf-8><style>:root {{{variables}}} {_STYLE}</style>{asked}{''.join(answers)}"


def _message(letter: str, colour: str, name: str, badge: str, body: str) -> str:
    head = f"<b>{name}</b> {badge} <small>08:55</small>"
    return f"<article><div class=face style='background:{colour}'>{letter}</div><div>{head}{body}</div></article>"


def _block(block: Json) -> str:
    match block["type"]:
        case "section":
            return f"<section>{_markup(block['text']['text'])}</section>"
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


def _thumbs(block: Json) -> list[str]:
    """What the two thumbs are called: not every machine has a font with their signs."""
    [element] = block["elements"]
    return [escape(element[name]["text"]["text"]) for name in ("positive_button", "negative_button")]


def _markup(text: str) -> str:
    """Slack's mrkdwn as HTML (https://docs.slack.dev/messaging/formatting-message-text)."""
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
    """The text is escaped already; only links of ours have angle brackets."""
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
blockquote { margin: 0; padding-left: 10px; border-left: 4px solid var(--line) }
pre { border: 1px solid var(--line); border-radius: 4px; padding: 6px 8px; margin: 4px 0; font-size: 12px;
  white-space: pre-wrap }
"""

if __name__ == "__main__":
    sys.exit(main())
