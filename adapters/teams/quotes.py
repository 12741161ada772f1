"""Quoted replies: which part of a message's text is the reply, and not the quoted message.

Teams has two forms. In the older one, sender and text of the quoted message are merged into the activity's text, and
only its ``text/html`` attachment tells them apart, by a ``blockquote`` of the type ``http://schema.skype.com/Reply``
(https://github.com/openclaw/openclaw/pull/44739). In the newer one, the text contains a placeholder for an entity
``quotedReply`` (https://microsoft.github.io/teams-sdk/blog/quoted-and-threaded-replies).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any
from unicodedata import category

from lxml import etree, html

from core.text import unescape_html

_PLACEHOLDER = re.compile(r"<quoted\s+messageId=[^<>]*+>(?:</quoted>)?", re.IGNORECASE)
_QUOTE, _MENTION, _EMOJI = "schema.skype.com/reply", "schema.skype.com/mention", "schema.skype.com/emoji"
_BLOCKS = frozenset({"blockquote", "br", "div", "li", "ol", "p", "pre", "table", "td", "th", "tr", "ul"})
_LOST = frozenset({"Cc", "Cs"})  # categories of characters that HTML cannot contain
_UNIT = re.compile(r"(?P<tag></?at(?:\s[^<>]*+)?>)|&(?:#\w{1,10}|\w{1,32});|.", re.DOTALL)


def remove_quotes(text: str, contents: Sequence[str]) -> str:
    """Return the text of an activity without the messages that it quotes.

    ``text``: as Teams sends it, with tags of mentions. ``contents``: of its ``text/html`` attachments.
    """
    reply, found = _PLACEHOLDER.subn(" ", text)
    if found:
        return reply
    for content in contents:
        if _QUOTE in content.lower() and (root := _parse_html(content)) is not None:
            return _remove_merged_quotes(text, root)
    return text


def _remove_merged_quotes(text: str, root: Any) -> str:
    quotes = list(_find_quotes(root))
    if not quotes:
        return text
    whole, reply = _list_characters(text), "".join(_write_text(root))
    end, quote = _list_characters(reply), _list_characters("".join(_write_text(quotes[0])))
    start = len(whole) - len(end)
    if whole[max(start, 0) :] == end:
        return _skip_characters(text, start)
    if len(quotes) == 1 and whole[: len(quote)] == quote:
        return _skip_characters(text, len(quote))
    return reply  # text and attachment have both in other forms, for example shortened


def _skip_characters(text: str, count: int) -> str:
    """Return a text without its beginning, which has this many of the characters of :func:`_list_characters`."""
    for unit in _UNIT.finditer(text):
        is_end = bool(unit["tag"]) and unit[0].startswith("</")
        if count <= 0 and not is_end:
            return text[unit.start() :]
        count -= len(_list_characters(unit[0]))
    return ""


def _list_characters(text: str) -> list[str]:
    """Return the characters of an activity's text that both forms of a quote have: neither spaces nor controls."""
    plain = (unescape_html(unit[0]) for unit in _UNIT.finditer(text) if not unit["tag"])
    return [each for piece in plain for each in piece if not each.isspace() and category(each) not in _LOST]


def _parse_html(content: str) -> Any:
    """Return the root element, or None for something that is no HTML."""
    try:
        return html.document_fromstring(content.encode("utf-8", "ignore"), html.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError):
        return None


def _find_quotes(element: Any) -> Iterator[Any]:
    """Return the outermost quotes."""
    for child in element:
        if _is_quote(child):
            yield child
        else:
            yield from _find_quotes(child)


def _is_quote(element: Any) -> bool:
    return element.tag == "blockquote" and _QUOTE in _get_kind(element)


def _get_kind(element: Any) -> str:
    return str(element.get("itemtype") or "").lower()


def _write_text(element: Any) -> Iterator[str]:
    """Return the parts of the text in an element, outside of the quotes in it, in the form of an activity's text."""
    yield escape(element.text or "", quote=False)
    for child in element:
        if isinstance(child.tag, str) and not _is_quote(child):  # a comment's tag is a function
            kind = _get_kind(child)
            if child.tag == "emoji" or _EMOJI in kind:
                yield escape(str(child.get("alt") or ""), quote=False)
            before, after = ("<at>", "</at>") if _MENTION in kind else (" ", " ") if child.tag in _BLOCKS else ("", "")
            yield before
            yield from _write_text(child)
            yield after
        elif isinstance(child.tag, str):
            yield " "
        yield escape(child.tail or "", quote=False)
