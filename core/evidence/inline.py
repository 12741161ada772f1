"""The running text of an element: what a reader of the page would read, without markup."""

from __future__ import annotations

import re

from lxml import etree

from core.evidence.storage_format import attribute, child, parameter, tag

_SPACE = re.compile(r"[ \t\r\n\f\v\u00a0]+")
_BADGE = re.compile(
    r"(?i)^(cc[-_. ]?)?(by|zero|cc)([-_](nc|nd|sa))*([-_ ]?\d\.\d)?([-_]?icon)?\.(png|svg|gif|jpe?g)$"
    r"|creative-?commons|licen[sc]e-?(badge|button)|88x31"
)

_EMOTICONS = {
    "tick": "✓", "cross": "✗", "warning": "⚠", "information": "ℹ", "question": "?", "plus": "+", "minus": "−",
    "yellow-star": "★", "red-star": "★", "green-star": "★", "blue-star": "★", "light-on": "💡", "light-off": "💡",
    "smile": "🙂", "sad": "🙁", "wink": "😉", "laugh": "😀", "cheeky": "😛", "thumbs-up": "👍", "thumbs-down": "👎",
    "heart": "♥", "broken-heart": "💔",
}  # fmt: skip

# Elements that show nothing, or nothing that belongs to the page's own text.
_SILENT = {"ac:parameter", "ac:placeholder", "ac:task-id", "ac:task-uuid", "ac:task-status"}
_SILENT |= {"ac:adf-attribute", "ac:adf-fallback"}
_SILENT |= {"style", "script", "colgroup", "col"}


def inline(element: etree._Element) -> str:
    """The text of an element and all below it, white space folded, ``<br/>`` as line break."""
    return tidy("".join(_pieces(element)))


def tidy(text: str) -> str:
    """White space folded within lines, empty lines dropped, marks resolved."""
    if "\x1d" in text or "\x1f" in text:
        text = _APART.sub(" ", text.replace(NAVIGATION, "")).replace(APART, "")
    lines = (_SPACE.sub(" ", line).strip() for line in text.split(LINE_BREAK))
    return "\n".join(line for line in lines if line)


# Marks within untidied text. None can occur in XML, so no text of a page is taken for one.
LINE_BREAK = "\x1e"
APART = "\x1f"  # here stands a thing of its own: a space, where there is none already and no bracket or full stop
NAVIGATION = "\x1d"  # here Confluence shows something that is no text of the page
_APART = re.compile("(?<=[^\\s\x1e\x1f(\\[{„“‚\"'/])\x1f+(?=[^\\s\x1e\x1f.,;:!?)\\]}\"'”’…/])")


def _pieces(element: etree._Element) -> list[str]:
    pieces = [element.text or ""]
    for node in element:
        pieces.append(render(node))
        pieces.append(node.tail or "")
    return pieces


def render(element: etree._Element) -> str:
    """What one inline element contributes to the text around it (untidied)."""
    name = tag(element)
    if name in _SILENT or not name:
        return ""
    special = _RENDERERS.get(name)
    if special is not None:
        return special(element)
    text = "".join(_pieces(element))
    return f"{LINE_BREAK}{text}{LINE_BREAK}" if name in _LINES else text


_LINES = {
    "p",
    "div",
    "li",
    "tr",
    "blockquote",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "pre",
    "dt",
    "dd",
    "table",
    "ul",
    "ol",
}


def verbatim(element: etree._Element) -> str:
    """The text of preformatted markup: white space kept, no addresses added to its links."""
    pieces = [element.text or ""]
    for node in element:
        name = tag(node)
        if name == "br":
            pieces.append("\n")
        elif name != "a" and (name in _RENDERERS or name in _SILENT or not name):
            pieces.append(render(node).replace(LINE_BREAK, "\n").strip(f" {APART}{NAVIGATION}"))
        else:
            pieces.append(verbatim(node))
        pieces.append(node.tail or "")
    return "".join(pieces)


def heading(element: etree._Element) -> str:
    """A heading's text in one line, as the anchor needs it: without addresses and pictures."""
    for node in [node for node in element.iter() if tag(node) in {"a", "ac:image"}]:
        node.attrib.pop("href", None)
        if tag(node) == "ac:image":
            node.clear(keep_tail=True)
    return inline(element).replace("\n", " ")


def _anchor(element: etree._Element) -> str:
    text, href = "".join(_pieces(element)), attribute(element, "href").strip()
    shown = text.strip()
    if not href.startswith(("http://", "https://", "mailto:")) or _same_address(shown, href):
        return text
    return f"{text} ({href})" if shown else href


def _same_address(text: str, href: str) -> bool:
    def bare(address: str) -> str:
        return re.sub(r"^(https?://|mailto:)", "", address).rstrip("/").replace(":", "").lower()

    return bool(text) and (bare(text) in bare(href))


def _link(element: etree._Element) -> str:
    target = "".join(_resource(target) for target in element)
    for name in ("ac:link-body", "ac:plain-text-link-body"):
        body = child(element, name)
        if body is not None and (text := "".join(_pieces(body))).strip():
            return f"{text} ({target})" if _adds_a_name(text, element) else text
    return target or attribute(element, "ac:anchor")


def _adds_a_name(text: str, link: etree._Element) -> bool:
    """Whether the page's title tells more than the words that link to it ("see here")."""
    page = child(link, "ri:page")
    title = attribute(page, "ri:content-title").lower() if page is not None else ""
    shown = tidy(text).lower()
    return bool(title) and shown not in title and title not in shown and "[image:" not in shown


def _resource(element: etree._Element) -> str:
    match tag(element):
        case "ri:page" | "ri:blog-post":
            return attribute(element, "ri:content-title")
        case "ri:attachment":
            return f"[file: {attribute(element, 'ri:filename')}]"
        case "ri:url":
            return attribute(element, "ri:value")
        case "ri:user":
            return _user(element)
        case "ri:space":
            return attribute(element, "ri:space-key")
    return ""


def _user(element: etree._Element) -> str:
    name = attribute(element, "ri:username")
    return f"{APART}@{name or 'user'}{APART}"


def _image(element: etree._Element) -> str:
    attachment, url = child(element, "ri:attachment"), child(element, "ri:url")
    name = attribute(attachment, "ri:filename") if attachment is not None else ""
    if url is not None and not (address := attribute(url, "ri:value")).startswith("data:"):
        name = "" if "creativecommons" in address else address.split("?")[0].rpartition("/")[2]
    caption = child(element, "ac:caption")
    shown = f"{APART}[image: {name}]{APART}" if name and not _BADGE.search(name) else ""
    return shown if caption is None else f"{shown} {''.join(_pieces(caption))}"


def _emoticon(element: etree._Element) -> str:
    name, fallback = attribute(element, "ac:name"), attribute(element, "ac:emoji-fallback")
    # Cloud writes every emoji it has no old name for as a "blue star".
    known = _EMOTICONS.get(name) if name != "blue-star" or not fallback else None
    shown = known or fallback or attribute(element, "ac:emoji-shortname")
    return f"{APART}{shown}{APART}" if shown else ""


def _time(element: etree._Element) -> str:
    return attribute(element, "datetime") or "".join(_pieces(element))


def _task_body(element: etree._Element) -> str:
    done = child(element, "ac:task-status")
    body = child(element, "ac:task-body")
    mark = "[x]" if done is not None and (done.text or "").strip() == "complete" else "[ ]"
    return f"{LINE_BREAK}{mark} {''.join(_pieces(body)) if body is not None else ''}{LINE_BREAK}"


def _cell(element: etree._Element) -> str:
    return f" {''.join(_pieces(element))} "


def macro_text(macro: etree._Element) -> str:
    """What a macro contributes where running text is wanted (list items, cells, links)."""
    name = attribute(macro, "ac:name")
    if name in MACROS_WITH_LINE:
        text = MACROS_WITH_LINE[name](macro)
        return f"{APART}{text}{APART}" if text else ""
    if name in SILENT_MACROS:
        return NAVIGATION if name != "anchor" else ""
    if name == "details" and parameter(macro, "hidden") == "true":
        return ""
    plain, rich = child(macro, "ac:plain-text-body"), child(macro, "ac:rich-text-body")
    if plain is not None:
        text = "".join(plain.itertext()).strip().replace("\n", LINE_BREAK)
    elif rich is not None:
        text = macro_label(macro) + "".join(_pieces(rich))
    else:
        return ""
    return text if in_line(macro) else f"{LINE_BREAK}{text}{LINE_BREAK}"


def in_line(macro: etree._Element) -> bool:
    """Whether a macro stands within a line of text, as far as it says so itself."""
    return parameter(macro, "atlassian-macro-output-type") == "INLINE"


def macro_label(macro: etree._Element) -> str:
    """What stands before a macro's body: ``Info: ``, or the title it shows."""
    title = parameter(macro, "title")
    label = {"info": "Info", "note": "Note", "tip": "Tip", "warning": "Warning"}.get(attribute(macro, "ac:name"), "")
    shown = ": ".join(part for part in (label, title) if part)
    return f"{shown}: " if shown else ""


def _jira(macro: etree._Element) -> str:
    key = parameter(macro, "key")
    query = parameter(macro, "jqlQuery") or parameter(macro, "jql")
    return key or (f"Jira: {query}" if query else "")


def _file(macro: etree._Element) -> str:
    for candidate in macro.iter():
        if tag(candidate) == "ri:attachment":
            return f"[file: {attribute(candidate, 'ri:filename')}]"
    name = parameter(macro, "name") or parameter(macro, "diagramName")
    return f"[file: {name}]" if name else ""


def _address(macro: etree._Element) -> str:
    for candidate in macro.iter():
        if tag(candidate) == "ri:url":
            return attribute(candidate, "ri:value")
    return parameter(macro, "url") or parameter(macro, "src")


def _status(macro: etree._Element) -> str:
    return parameter(macro, "title")


# Macros that are one piece of running text.
MACROS_WITH_LINE = {
    "jira": _jira, "jiraissues": _jira, "status": _status, "widget": _address, "iframe": _address,
    "view-file": _file, "viewpdf": _file, "viewdoc": _file, "viewxls": _file, "viewppt": _file, "multimedia": _file,
    "drawio": _file, "gliffy": _file, "inc-drawio": _file,
}  # fmt: skip

# Macros that Confluence fills in when it shows the page: navigation, lists of other pages, decoration.
SILENT_MACROS = {
    "toc", "toc-zone-nav", "children", "pagetree", "pagetreesearch", "livesearch", "search", "anchor", "contributors",
    "recently-updated", "content-report-table", "contentbylabel", "labels", "related-labels", "popular-labels",
    "blog-posts", "attachments", "gallery", "profile-picture", "profile", "create-from-template", "listlabels",
    "contributors-summary", "recently-updated-dashboard", "spaces", "navmap", "change-history", "favpages",
    "task-report", "tasks-report-macro", "detailssummary", "include", "excerpt-include", "userlister", "network",
}  # fmt: skip

_RENDERERS = {
    "br": lambda _: LINE_BREAK, "hr": lambda _: LINE_BREAK, "a": _anchor, "ac:link": _link, "ac:image": _image,
    "ac:emoticon": _emoticon, "ac:hipchat-emoticon": _emoticon, "time": _time, "ri:user": _user, "ac:task": _task_body,
    "ac:structured-macro": macro_text, "ac:macro": macro_text, "td": _cell, "th": _cell,
}  # fmt: skip
