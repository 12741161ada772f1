"""Short messages in Slack: that people have to wait, what cannot be done, how to ask."""

from __future__ import annotations

from adapters.slack.blocks.elements import context, mark_blocks, page_lines, sections
from adapters.slack.blocks.elements import words as prose
from adapters.slack.message import Message, plain_message
from adapters.slack.mrkdwn import Json
from adapters.slack.pieces import Piece, cut
from core.views.notices import HelpView, Notice, Waiting
from core.views.wording import WORDS, help_lines, progress_text

_SIGNS = {"info": "", "problem": ":warning: ", "done": ":white_check_mark: "}
_LINES = 2_900  # characters


def render_waiting(view: Waiting, mark: str) -> Message:
    """A placeholder, which is quiet: it will be another message soon."""
    lines = [prose(progress_text(view)), *([prose(view.detail)] if view.detail.strip() else [])]
    return Message(plain_message(lines), mark_blocks(context(*lines), mark))


def notice_message(view: Notice, mark: str) -> Message:
    """A headline, lines and links."""
    text = prose(view.text, 2_500)
    more = "\n".join([*page_lines(view.links[:5]), *(prose(line) for line in view.lines)])
    shown, rest = cut(more, _LINES)
    headline = Piece((_SIGNS[view.kind] + text) if text.strip() else "…")
    blocks = sections([headline, Piece(shown + ("\n…" if rest else ""), tight=True)])
    return Message(plain_message([text, shown]), mark_blocks(blocks, mark))


def help_message(view: HelpView, mark: str) -> Message:
    """How to ask."""
    lines = [prose(line, 1_000) for line in help_lines(view)]
    heading = WORDS[view.language].help.heading
    return Message(plain_message([heading, *lines]), mark_blocks(help_blocks(view), mark))


def help_blocks(view: HelpView) -> list[Json]:
    """How to ask, and the commands for who may give them."""
    words = WORDS[view.language].help
    lines = [Piece(f"• {prose(line, 1_000)}", tight=True) for line in help_lines(view)]
    commands = [Piece(f"• {prose(line)}", tight=True) for line in words.commands]
    admin = sections([Piece(f"*{words.admin}*"), *commands]) if view.admin else []
    return [*sections([Piece(f"*{words.heading}*"), *lines]), *admin]
