"""The running text of elements as people read it, without markup."""

from __future__ import annotations

import re
from collections.abc import Callable

from core.evidence.budget import Budget
from core.evidence.images import read_image_name
from core.evidence.line import APART, LINE_BREAK, NAVIGATION, REMOVED, Line, Position, tidy
from core.evidence.links import read_title_in_address
from core.evidence.mentions import MARK
from core.evidence.superscripts import write_subscript, write_superscript
from core.evidence.tree import (
    INLINE_MACROS,
    PERSON_MACROS,
    SILENT_MACROS,
    STRUCK,
    STRUCK_TEXT,
    Node,
    get_macro_label,
    is_hidden,
    is_inline,
)

_EMOTICONS = {
    "tick": "✓", "cross": "✗", "warning": "⚠", "information": "ℹ", "question": "?", "plus": "+", "minus": "−",
    "yellow-star": "★", "red-star": "★", "green-star": "★", "blue-star": "★", "light-on": "💡", "light-off": "💡",
    "smile": "🙂", "sad": "🙁", "wink": "😉", "laugh": "😀", "cheeky": "😛", "thumbs-up": "👍", "thumbs-down": "👎",
    "heart": "♥", "broken-heart": "💔",
}  # fmt: skip

_MOST_UNSEEN = 200  # characters of an empty macro body that are kept: white space and marks

# Elements whose content is not text of the page.
_SILENT = {"ac:parameter", "ac:placeholder", "ac:task-id", "ac:task-uuid", "ac:task-status"}
_SILENT |= {"ac:adf-attribute", "ac:adf-fallback"}
_SILENT |= {"style", "script", "colgroup", "col"}
_PROFILE = "confluence-userlink"
"""Class of a link to a person in exported pages, whose name alone says who is meant."""


def render_text(element: Node, budget: Budget) -> str:
    """Return the text of an element and its descendants, with white space folded and ``<br/>`` as line break."""
    line = Line(budget)
    add_content(element, line)
    return tidy(line.take())


def add_content(element: Node, line: Line) -> None:
    """Add the content of an element."""
    line.add(element.text)
    for node in element.children:
        render(node, line)
        line.add(node.tail)


def render(element: Node, line: Line) -> None:
    """Add the untidied text of one inline element."""
    line.budget.add_steps()
    name = element.name
    if name in _SILENT or not name:
        return
    special = _RENDERERS.get(name)
    if special is not None:
        special(element, line)
    elif name in _LINES:
        line.add(LINE_BREAK)
        add_content(element, line)
        line.add(LINE_BREAK)
    else:
        add_content(element, line)


_LINES = frozenset("p div li tr blockquote h1 h2 h3 h4 h5 h6 pre dt dd table ul ol".split())


def render_verbatim(element: Node, budget: Budget) -> str:
    """Return the text of preformatted markup with its white space, without the URLs of links."""
    line = Line(budget)
    _add_verbatim(element, line)
    return line.take()


def _add_verbatim(element: Node, line: Line) -> None:
    line.budget.add_steps()
    line.add(element.text)
    for node in element.children:
        name = node.name
        if name == "br":
            line.add("\n")
        elif name != "a" and (name in _RENDERERS or name in _SILENT or not name):
            part = Line(line.budget)
            render(node, part)
            line.add(part.take().replace(LINE_BREAK, "\n").strip(f" {APART}{NAVIGATION}{REMOVED}"))
        else:
            _add_verbatim(node, line)
        line.add(node.tail)


def render_heading(element: Node, budget: Budget) -> str:
    """Return a heading's text in one line, as its anchor needs it: without URLs and images."""
    line = Line(budget, is_heading=True)
    add_content(element, line)
    return tidy(line.take()).replace("\n", " ")


def render_anchor(element: Node, budget: Budget) -> str:
    """Return a heading's text as Confluence makes its anchor from it: with struck text, and without superscripts."""
    if struck := element.attribute(STRUCK_TEXT):
        return tidy(struck)
    line = Line(budget, is_heading=True, is_anchor=True)
    add_content(element, line)
    return tidy(line.take()).replace("\n", " ")


def _add_struck(element: Node, line: Line) -> None:
    line.add(element.attribute(STRUCK_TEXT) if line.is_anchor else REMOVED)


def _add_anchor(element: Node, line: Line) -> None:
    start = line.get_position()
    add_content(element, line)
    if element.has_struck and not line.shows_since(start):
        return
    href = "" if line.is_heading else element.attribute("href").strip()
    if not href.startswith(("http://", "https://", "mailto:")):
        return
    if _PROFILE in element.attribute("class").split() and line.shows_since(start):
        return
    title = element.attribute(MARK) or tidy(read_title_in_address(element.attributes))
    if title and (
        not line.shows_since(start) or _is_same_address(line.get_text_since(start, 2 * len(href) + 200), href)
    ):
        line.cut(start)
        line.add(f"{title} ({href})")
    elif not line.shows_since(start):
        line.cut(start)
        line.add(href)
    elif not _is_same_address(line.get_text_since(start, 2 * len(href) + 200), href):
        line.add(f" ({href})")


def _is_same_address(text: str | None, href: str) -> bool:
    def bare(address: str) -> str:
        return re.sub(r"^(https?://|mailto:)", "", address).rstrip("/").replace(":", "").lower()

    return text is not None and bare(text.strip()) in bare(href)


def _link(element: Node, line: Line) -> None:
    target = "".join(_get_resource(target) for target in element.children)
    for name in ("ac:link-body", "ac:plain-text-link-body"):
        body = element.find_child(name)
        if body is None:
            continue
        start = line.get_position()
        add_content(body, line)
        if line.shows_since(start):
            if _adds_a_name(element, line, start):
                line.add(f" ({target})")
            return
        if body.has_struck:
            return
        line.cut(start)
    line.add(target or element.attribute("ac:anchor"))


def _adds_a_name(link: Node, line: Line, start: Position) -> bool:
    """Whether the title of the linked page says more than the link's text, such as "see here"."""
    page = link.find_child("ri:page")
    title = page.attribute("ri:content-title").lower() if page is not None else ""
    text = line.get_text_since(start, 2 * len(title) + 60) if title else None
    shown = tidy(text or "").lower()
    return bool(title and text) and shown not in title and title not in shown and "[image:" not in shown


def _get_resource(element: Node) -> str:
    match element.name:
        case "ri:page" | "ri:blog-post":
            return element.attribute("ri:content-title")
        case "ri:attachment":
            return f"[file: {element.attribute('ri:filename')}]"
        case "ri:url":
            return element.attribute("ri:value")
        case "ri:user" | "ri:group":
            return _get_person(element)
        case "ri:space":
            return element.attribute("ri:space-key")
    return ""


def _get_person(element: Node) -> str:
    return f"{APART}{element.attribute(MARK) or '@user'}{APART}"


def _add_image(element: Node, line: Line) -> None:
    if line.is_heading:
        return
    if name := read_image_name(element):
        line.add(f"{APART}[image: {name}]{APART}")
    if (caption := element.find_child("ac:caption")) is not None:
        line.add(" ")
        add_content(caption, line)


def _add_emoticon(element: Node, line: Line) -> None:
    name = element.attribute("ac:name")
    # Cloud writes an emoji without an old name as "blue-star" with a fallback; custom ones have only a shortname.
    emoji = element.attribute("ac:emoji-fallback") or element.attribute("ac:emoji-shortname")
    known = _EMOTICONS.get(name) if name != "blue-star" or not emoji else None
    if shown := known or emoji:
        line.add(f"{APART}{shown}{APART}")


def _add_time(element: Node, line: Line) -> None:
    if date := element.attribute("datetime"):
        line.add(f"{APART}{date}{APART}")
    else:
        add_content(element, line)


def _add_task_body(element: Node, line: Line) -> None:
    done = element.find_child("ac:task-status")
    body = element.find_child("ac:task-body")
    mark = "[x]" if done is not None and done.text.strip() == "complete" else "[ ]"
    start = line.get_position()
    line.add(f"{LINE_BREAK}{mark} ")
    text = line.get_position()
    if body is not None:
        add_content(body, line)
    if not line.shows_since(text):
        line.cut(start)
    line.add(LINE_BREAK)


def _add_cell(element: Node, line: Line) -> None:
    line.add(" ")
    add_content(element, line)
    line.add(" ")


def _add_macro_text(macro: Node, line: Line) -> None:
    """Add the text of a macro within running text (list items, cells, links)."""
    name = macro.attribute("ac:name")
    if mark := macro.attribute(MARK):
        line.add(f"{APART}{mark}{APART}")
        return
    if name in INLINE_MACROS:
        if text := INLINE_MACROS[name](macro):
            line.add(f"{APART}{text}{APART}")
        return
    if name in PERSON_MACROS:
        users = [below for below in macro.iterate_descendants() if below.name == "ri:user"]
        line.add(_get_person(users[0]) if users else NAVIGATION)
        return
    if name in SILENT_MACROS:
        line.add(NAVIGATION if name != "anchor" else "")
        return
    if not is_hidden(macro):
        _add_macro_body(macro, line)


def _add_macro_body(macro: Node, line: Line) -> None:
    plain, rich = macro.find_child("ac:plain-text-body"), macro.find_child("ac:rich-text-body")
    if plain is None and rich is None:
        return
    end = "" if is_inline(macro) else LINE_BREAK
    line.add(end)
    if plain is not None:
        line.add("".join(plain.iterate_texts()).strip().replace("\n", LINE_BREAK))
    elif rich is not None:
        start = line.get_position()
        line.add(get_macro_label(macro))
        body = line.get_position()
        add_content(rich, line)
        if not line.shows_since(body):
            rest = line.get_text_since(body, _MOST_UNSEEN)
            line.cut(start)
            line.add(rest or "")
    line.add(end)


_MOST_RAISED = 300  # characters; longer texts are raised for their looks


def _add_raised(element: Node, line: Line) -> None:
    _add_moved(element, line, write_superscript)


def _add_lowered(element: Node, line: Line) -> None:
    _add_moved(element, line, write_subscript)


def _add_moved(element: Node, line: Line, write: Callable[[str, str], str]) -> None:
    start = line.get_position()
    before = line.get_last_character()
    add_content(element, line)
    text = None if line.is_anchor else line.get_text_since(start, _MOST_RAISED)
    if text and line.shows_since(start):
        line.cut(start)
        line.add(write(text, before))


def _add_line_break(_: Node, line: Line) -> None:
    line.add(LINE_BREAK)


def _add_mention(element: Node, line: Line) -> None:
    line.add(_get_person(element))


_RENDERERS = {
    "br": _add_line_break, "hr": _add_line_break, "a": _add_anchor, "ac:link": _link, "ac:image": _add_image,
    "ac:emoticon": _add_emoticon, "ac:hipchat-emoticon": _add_emoticon, "time": _add_time,
    "ri:user": _add_mention, "ri:group": _add_mention, STRUCK: _add_struck, "sup": _add_raised,
    "sub": _add_lowered,
    "ac:task": _add_task_body, "ac:structured-macro": _add_macro_text, "ac:macro": _add_macro_text,
    "td": _add_cell, "th": _add_cell,
}  # fmt: skip
