"""Makes plain text of what a model wrote: no markup but code and lists, nothing invisible, no links of its own.

An answer links to its sources, and those links are ours. An address that the model writes may come from a page that
wants people to click, so it stays only if the question asks for one and a source has it, word for word. Mentions
(``@here``, ``<!channel>``, ``<@U…>``) never stay: an answer notifies nobody.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from core.i18n import message
from core.languages import CATALOGUES, Language

_TOP_LEVEL = (
    "com|net|org|io|dev|app|co|info|biz|edu|gov|eu|uk|us|de|at|ch|fr|nl|ru|cn|xyz|top|site|online|click|link|"
    "example|test|invalid"
)
# Lengths are bounded, and mail begins at a word boundary, so that the time stays linear in the length of the text.
_ADDRESS = re.compile(
    rf"""(?<![\w.+-])(?:mailto:)?[\w.+-]+@[\w-]+(?:\.[\w-]+)+    # mail
    |\b[a-z][a-z0-9+.-]{{0,30}}://[^\s<>"'`\])}}]+                # any scheme
    |\b(?:javascript|data|vbscript|file):[^\s<>"'`\])]+
    |\bwww\.[^\s<>"'`\])]+
    |\b(?:[a-z0-9](?:[a-z0-9-]{{0,61}}[a-z0-9])?\.){{1,20}}(?:{_TOP_LEVEL})\b(?:/[^\s<>"'`\])]*)?""",
    re.IGNORECASE | re.VERBOSE,
)
_BROADCAST = re.compile(
    r"<[!@#][^>\n]{0,300}>|(?<![\w@.])@(?:here|channel|everyone|all|team|general)\b"
    r"|<at\b[^<>\n]{0,300}>[^<>\n]{0,300}</at>",
    re.IGNORECASE,
)
_NAME_MARK = re.compile(r"(?<![\w@./-])@(?=[A-Za-z])")
_WANTED = re.compile(
    r"""(?ix)\b(?: urls? | links? | adress\w* | address\w* | web ?sites? | web ?seiten? | web ?page | domains? |"
    r" hosts?\b
    | where | wo\b | woher | wohin | whom? | wem\b | wen\b | wer\b | e-?mail\w* | mail\w* | contact\w*
    | kontakt\w* | reach
    | erreich\w* | download\w* | herunter\w* | clone | repo\w* | endpoint\w* | portal | register | sign
    | log ?in | anmeld\w*
    | registry | mirror | server )"""
)

REMOVED: dict[Language, str] = {language: message("(link in the source)").render(language) for language in CATALOGUES}
"""What replaces an address that may not be shown."""
_TRAILING = ".,;:!?"
# "Type Enforcement (https://…)" reads better without than with a note in double brackets.
_IN_BRACKETS = re.compile(
    rf"(?<!\s)\s*+[(\[]\s*+(?:{'|'.join(re.escape(removed) for removed in REMOVED.values())})\s*+[)\]]"
)


def addresses_in(text: str) -> list[str]:
    """The addresses in a text, without trailing punctuation."""
    return [found.group().rstrip(_TRAILING) for found in _ADDRESS.finditer(text)]


def asks_for_address(question: str) -> bool:
    """Whether a question may ask for a link or a mail address."""
    return bool(_WANTED.search(question))


def without_addresses(text: str, allowed: Collection[str], instead: str) -> str:
    """The text with every address that is not allowed replaced."""

    def replace_address(found: re.Match[str]) -> str:
        address = found.group().rstrip(_TRAILING)
        rest = found.group()[len(address) :]
        return (address if address in allowed else instead) + rest

    return _IN_BRACKETS.sub("", _ADDRESS.sub(replace_address, text))


def without_removed(text: str) -> str:
    """The text without the notes that replace removed addresses."""
    for removed in REMOVED.values():
        text = text.replace(removed, "")
    return text


def without_mentions(text: str) -> str:
    """The text without mentions; plain names stay."""
    return _NAME_MARK.sub("", without_broadcasts(text))


def without_broadcasts(text: str) -> str:
    """The text without what notifies people in a client, also inside code."""
    return _BROADCAST.sub("", text)


_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ue000-\uf8ff]")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")  # colours, movements
_PLAIN_FENCES = frozenset(["```", "```text", "```markdown", "```md", "```plaintext"])
# All patterns below take linear time: possessive repetitions do not backtrack.
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
    r"</?(?:a|abbr|article|at|audio|b|blockquote|body|br|button|center|code|dd|details|div|dl|dt|em|embed|font|form|"
    r"h[1-6]|head|hr|html|i|iframe|img|input|kbd|li|link|meta|object|ol|p|pre|s|script|section|small|source|span|"
    r"strong|style|sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|think|title|tr|u|ul|video|(?:ac|ri):[\w-]+)"
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
    """The addresses that may stand in an answer, and the note that replaces others."""

    allowed: frozenset[str]
    removed: str


def clean_answer(text: str, wording: Wording) -> str:
    """The text of an answer as people may see it. Citations in it stay as the model wrote them."""
    text = _PREAMBLE.sub("", _without_whole_fence(text), count=1)
    text = _SOURCE_MARK.sub(r" [\1] ", _TEMPLATE_MARK.sub("", _INVISIBLE.sub("", _TERMINAL.sub("", text))))
    pieces = _CODE.split(text)
    shown = "".join(_code(piece, wording) if at % 2 else _prose(piece, wording) for at, piece in enumerate(pieces))
    return _BLANKS.sub("\n\n", "\n".join(line.rstrip() for line in shown.splitlines())).strip()


def _without_whole_fence(text: str) -> str:
    """The text inside a fence of "text" or "markdown" around the whole answer; else the text as it is."""
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
    """Code without addresses and mentions: some clients link and notify inside it too."""
    return without_addresses(without_broadcasts(text), wording.allowed, wording.removed)


_END = 400  # characters at the end that may be unfinished
# The end of a growing text that may become something that is never shown.
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
    """The part of a growing text that may be shown; nothing of one that may become one of ``withheld``."""
    begun = raw.lstrip()
    if len(begun.split()) >= 2 and any(text.startswith(begun) for text in withheld):
        return ""
    settled, end = raw[:-_END], raw[-_END:]
    return clean_answer(settled + _UNFINISHED.sub("", end), wording).replace("**", "")
