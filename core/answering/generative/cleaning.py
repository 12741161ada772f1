"""Makes plain text of a model's output: no markup except code and lists, nothing invisible, no links of its own.

An address that the model writes may come from a page that wants people to click. It stays only if the question asks for
one and a source has it verbatim. Mentions (``@here``, ``<!channel>``, ``<@U…>``) are always removed, since an answer
notifies nobody.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.i18n import message
from core.languages import CATALOGUES, Language, LanguageCode, choose_catalogue
from core.model import NOT_FOUND, RankedEvidence
from core.ports.models import TextListener

_TOP_LEVEL = (
    "com|net|org|io|dev|app|co|info|biz|edu|gov|eu|uk|us|de|at|ch|fr|nl|ru|cn|xyz|top|site|online|click|link|"
    "example|test|invalid"
)
# Lengths are bounded, and mail addresses begin at a word boundary, so that the time is linear in the text's length.
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
"""Replaces an address that may not be shown, by language."""
_TRAILING = ".,;:!?"
# "Type Enforcement (https://…)" loses the brackets with the address.
_IN_BRACKETS = re.compile(
    rf"(?<!\s)\s*+[(\[]\s*+(?:{'|'.join(re.escape(removed) for removed in REMOVED.values())})\s*+[)\]]"
)


def find_addresses(text: str) -> list[str]:
    """Return the addresses in a text, without trailing punctuation."""
    return [found.group().rstrip(_TRAILING) for found in _ADDRESS.finditer(text)]


def asks_for_address(question: str) -> bool:
    """Whether a question may ask for a link or a mail address."""
    return bool(_WANTED.search(question))


def replace_addresses(text: str, allowed: Collection[str], instead: str) -> str:
    """Return the text with every address that is not allowed replaced by ``instead``."""

    def replace_address(found: re.Match[str]) -> str:
        address = found.group().rstrip(_TRAILING)
        rest = found.group()[len(address) :]
        return (address if address in allowed else instead) + rest

    return _IN_BRACKETS.sub("", _ADDRESS.sub(replace_address, text))


def strip_removal_notes(text: str) -> str:
    """Return the text without the notes that replaced addresses."""
    for removed in REMOVED.values():
        text = text.replace(removed, "")
    return text


def strip_mentions(text: str) -> str:
    """Return the text without mentions; plain names stay."""
    return _NAME_MARK.sub("", strip_broadcasts(text))


def strip_broadcasts(text: str) -> str:
    """Return the text without markup that notifies people in a client, also inside code."""
    return _BROADCAST.sub("", text)


_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ue000-\uf8ff]")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")  # colours and cursor movements
_PLAIN_FENCES = frozenset(["```", "```text", "```markdown", "```md", "```plaintext"])
# All patterns below take linear time: possessive quantifiers do not backtrack.
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
# By name, so that "ssh <user>@<host>" stays.
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
class AddressPolicy:
    """The addresses that an answer may contain, and the note that replaces others."""

    allowed: frozenset[str]
    removed: str


def clean_answer(text: str, policy: AddressPolicy) -> str:
    """Return the text of an answer as it may be shown. Its citations are unchanged."""
    text = _PREAMBLE.sub("", _strip_outer_fence(text), count=1)
    text = _SOURCE_MARK.sub(r" [\1] ", _TEMPLATE_MARK.sub("", _INVISIBLE.sub("", _TERMINAL.sub("", text))))
    pieces = _CODE.split(text)
    shown = "".join(
        _clean_code(piece, policy) if at % 2 else _clean_prose(piece, policy) for at, piece in enumerate(pieces)
    )
    return _BLANKS.sub("\n\n", "\n".join(line.rstrip() for line in shown.splitlines())).strip()


def _strip_outer_fence(text: str) -> str:
    """Return the text without a fence of "text" or "markdown" around the whole answer."""
    head, newline, rest = text.strip().partition("\n")
    if not newline or head.rstrip() not in _PLAIN_FENCES or not rest.endswith("```"):
        return text
    inside = rest[:-3].removesuffix("\n")
    blank = len(inside) - len(inside.lstrip())
    return inside[inside.rfind("\n", 0, blank) + 1 :]


def _strip_comments(text: str) -> str:
    """Return the text without comments (``<!-- … -->``)."""
    pieces: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces.append(text[at:start])
        at = end + 3
    return "".join([*pieces, text[at:]])


def _clean_prose(text: str, policy: AddressPolicy) -> str:
    text = _NUMBERED_LINK.sub(r"[\1]", _IMAGE.sub("", text))
    text = _LINK.sub(lambda link: link[1] or link[3], _REFERENCE.sub("", text))
    text = _TAG.sub("", _strip_comments(_SCRIPT.sub("", strip_mentions(text))))
    text = _RULE.sub("", _HEADING.sub("", text))
    text = _ITALIC.sub(r"\1", _BOLD.sub(r"\1\2", text))
    return replace_addresses(text, policy.allowed, policy.removed)


def _clean_code(text: str, policy: AddressPolicy) -> str:
    """Return code without addresses and mentions, since some clients link and notify inside code."""
    return replace_addresses(strip_broadcasts(text), policy.allowed, policy.removed)


_DRAFTS = 64  # a growing text is cleaned and shown again when it has grown by 1 / _DRAFTS
_END = 400  # characters at the end that may be incomplete
# The end of a growing text that may become text which is never shown.
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


def clean_partial_answer(raw: str, policy: AddressPolicy, withheld: Collection[str]) -> str:
    """Return the part of a growing text that may be shown; "" while it may become one of ``withheld``."""
    begun = raw.lstrip()
    if len(begun.split()) >= 2 and any(text.startswith(begun) for text in withheld):
        return ""
    settled, end = raw[:-_END], raw[-_END:]
    return clean_answer(settled + _UNFINISHED.sub("", end), policy).replace("**", "")


def make_policy(question: str, evidences: Sequence[RankedEvidence], wanted: LanguageCode) -> AddressPolicy:
    """Return the policy that allows the addresses of the sources if the question asks for an address."""
    sources = evidences if asks_for_address(question) else ()
    allowed = frozenset(address for ranked in sources for address in find_addresses(ranked.evidence.text))
    return AddressPolicy(allowed, REMOVED[choose_catalogue(wanted)])


def clean_drafts(on_text: TextListener, policy: AddressPolicy) -> TextListener:
    """Return a listener to a growing text that passes on what may be shown of it."""
    cleaned_to = 0

    def listener(text: str) -> None:
        nonlocal cleaned_to
        # Cleaning takes the whole text: for every piece of a long one it would take longer than the model does.
        if 0 <= len(text) - cleaned_to < cleaned_to // _DRAFTS:
            return
        cleaned_to = len(text)
        on_text(clean_partial_answer(text, policy, (NOT_FOUND,)))

    return listener
