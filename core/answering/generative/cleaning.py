"""What a model wrote, as plain text: no markup but code and lists, no links of its own, nothing invisible."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from core.answering.generative.addresses import without_addresses, without_broadcasts, without_mentions

_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ue000-\uf8ff]")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")  # colours, movements
_PLAIN_FENCES = frozenset(["```", "```text", "```markdown", "```md", "```plaintext"])
# Nothing here takes more time than in proportion to the text: what is repeated is not tried again from its middle.
_PREAMBLE = re.compile(
    r"\A\s*+(?:(?:\*\*)?(?:final )?(?:answer|response|antwort)(?:\*\*)?\s*:(?:\*\*)?\s*|#+ (?:answer|antwort)\s*\n)",
    re.IGNORECASE,
)
_TEMPLATE_MARK = re.compile(r"<\|[^|>\n]{0,40}\|>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>")
_SOURCE_MARK = re.compile(r"<source\s++number=[\"']?+(\d++)[\"']?+[^<>]*+>", re.IGNORECASE)
_NUMBERED_LINK = re.compile(r"\[(\^?(?:source\s*)?\d+)\]\([^()\s]*\)", re.IGNORECASE)
_IMAGE = re.compile(r"!\[((?:[^\[\]\n]|\[[^\[\]\n]*+\])*+)\]\([^()\n]*+\)")
_LINK = re.compile(r"\[([^\[\]\n]++)\]\([^()\n]*+\)|<([^<>|\s:]++://[^<>|\n]++)\|([^<>\n]++)>")
_REFERENCE = re.compile(r"(?m)^[ \t]*+\[[^\[\]\n]++\]:\s*+\S.*$")
# By name: "ssh <user>@<host>" has to stay.
_TAG = re.compile(
    r"</?(?:a|abbr|article|at|audio|b|blockquote|body|br|button|center|code|dd|details|div|dl|dt|em|"
    r"embed|font|form|"
    r"h[1-6]|head|hr|html|i|iframe|img|input|kbd|li|link|meta|object|ol|p|pre|s|script|section|small|source|span|"
    r"strong|"
    r"style|sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|think|title|tr|u|ul|video|(?:ac|ri):[\w-]+)"
    r"(?:\s++[\w:-]++\s*+=[^<>\n]*+|\s*+/?+)>",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"<(script|style)\b[^<>\n]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_HEADING = re.compile(r"(?m)^#{1,6}\s++")
_RULE = re.compile(r"(?m)^[ \t]*+(?:-{3,}+|\*{3,}+|_{3,}+)[ \t]*+$")
_BOLD = re.compile(r"\*\*(?=\S)((?:[^*\n]|\*(?!\*))+?)(?<=\S)\*\*|(?<!\w)__(?=\S)(?=[^_\n ]*+ )([^_\n]*+)__(?!\w)")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_BLANKS = re.compile(r"\n{3,}+")


@dataclass(frozen=True, slots=True)
class Wording:
    """What may stand in an answer: these addresses; ``removed`` stands for others."""

    allowed: frozenset[str]
    removed: str


def clean_answer(text: str, wording: Wording) -> str:
    """The text of an answer as a person may be shown it. Citations in it stay as the model wrote them."""
    text = _PREAMBLE.sub("", _without_whole_fence(text), count=1)
    text = _SOURCE_MARK.sub(r" [\1] ", _TEMPLATE_MARK.sub("", _INVISIBLE.sub("", _TERMINAL.sub("", text))))
    pieces = _CODE.split(text)
    shown = "".join(_code(piece, wording) if at % 2 else _prose(piece, wording) for at, piece in enumerate(pieces))
    return _BLANKS.sub("\n\n", "\n".join(line.rstrip() for line in shown.splitlines())).strip()


def _without_whole_fence(text: str) -> str:
    """The text in a block of "text" or "markdown" that is the whole answer; else the text as it is."""
    head, newline, rest = text.strip().partition("\n")
    if not newline or head.rstrip() not in _PLAIN_FENCES or not rest.endswith("```"):
        return text
    inside = rest[:-3].removesuffix("\n")
    blank = len(inside) - len(inside.lstrip())
    return inside[inside.rfind("\n", 0, blank) + 1 :]


def _without_comments(text: str) -> str:
    """Without what stands between ``<!--`` and ``-->``."""
    pieces: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces.append(text[at:start])
        at = end + 3
    return "".join([*pieces, text[at:]])


def _prose(text: str, wording: Wording) -> str:
    text = _NUMBERED_LINK.sub(r"[\1]", _IMAGE.sub("", text))
    text = _LINK.sub(lambda link: link[1] or link[3], _REFERENCE.sub("", text))
    text = _TAG.sub("", _without_comments(_SCRIPT.sub("", without_mentions(text))))
    text = _RULE.sub("", _HEADING.sub("", text))
    text = _ITALIC.sub(r"\1", _BOLD.sub(r"\1\2", text))
    return without_addresses(text, wording.allowed, wording.removed)


def _code(text: str, wording: Wording) -> str:
    """Code stays as it is, but for addresses and mentions: some clients link and notify inside it too."""
    return without_addresses(without_broadcasts(text), wording.allowed, wording.removed)


_END = 400  # characters in which something unfinished is looked for; a longer word is cleaned as it is
# What a stream may not show yet, since it may turn into something that is never shown.
_UNFINISHED = re.compile(
    r"""(?: (?<!\s)\s*+[\[【(][^\])】\n]{0,60}+   # a citation or a link's text
    | !\[[^\n]{0,200}+ | \[[^\[\]\n]*+\]\([^)\n]{0,300}+   # a link
    | <[^>\n]{0,200}+                            # a tag or a mention
    | (?<![*_`\#@!])[*_`\#@!]++[^\s*_`]{0,20}+
    | (?<!\S)(?=[^\s.:/@\\-]*+[.:/@\\-])\S++      # a word that may become an address
    | \b(?:h|ht|htt|https?|w|ww|www|mailto|ftp|javascript|data)
    )\Z""",
    re.VERBOSE | re.IGNORECASE,
)


def clean_partial_answer(raw: str, wording: Wording, withheld: Collection[str]) -> str:
    """What may be shown of a text that is still being written; texts that begin as one of ``withheld`` wait."""
    begun = raw.lstrip()
    if len(begun.split()) >= 2 and any(text.startswith(begun) for text in withheld):
        return ""
    settled, end = raw[:-_END], raw[-_END:]
    return clean_answer(settled + _UNFINISHED.sub("", end), wording).replace("**", "")
