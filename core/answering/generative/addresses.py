"""Links, mail addresses and mentions in what a model wrote: which may stand in an answer.

An answer links to its sources, and those links are ours. An address that the model writes may come from a page that
wants people to click, so it stays only if the question asks for one and a source has it, word for word. Mentions
(``@here``, ``<!channel>``, ``<@U…>``) never stay: an answer notifies nobody.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from core.text import Language

_TOP_LEVEL = (
    "com|net|org|io|dev|app|co|info|biz|edu|gov|eu|uk|us|de|at|ch|fr|nl|ru|cn|xyz|top|site|online|click|link|"
    "example|test|invalid"
)
# Lengths are bounded, and mail begins where a word does: else a model's endless word would be searched for ever.
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

REMOVED: dict[Language, str] = {"en": "(link in the source)", "de": "(Link in der Quelle)"}
_TRAILING = ".,;:!?"
# "Type Enforcement (https://…)" reads better without than with a note in double brackets.
_IN_BRACKETS = re.compile(
    rf"(?<!\s)\s*+[(\[]\s*+(?:{'|'.join(re.escape(removed) for removed in REMOVED.values())})\s*+[)\]]"
)


def addresses_in(text: str) -> list[str]:
    """The addresses of a text, without the punctuation of the sentence that they stand in."""
    return [found.group().rstrip(_TRAILING) for found in _ADDRESS.finditer(text)]


def asks_for_address(question: str) -> bool:
    """Whether a link or a mail address may be what is asked for."""
    return bool(_WANTED.search(question))


def without_addresses(text: str, allowed: Collection[str], instead: str) -> str:
    """The text with every address that is not allowed replaced."""

    def replaced(found: re.Match[str]) -> str:
        address = found.group().rstrip(_TRAILING)
        rest = found.group()[len(address) :]
        return (address if address in allowed else instead) + rest

    return _IN_BRACKETS.sub("", _ADDRESS.sub(replaced, text))


def without_removed(text: str) -> str:
    """The text without what stands for removed addresses."""
    for removed in REMOVED.values():
        text = text.replace(removed, "")
    return text


def without_mentions(text: str) -> str:
    """The text with nobody notified: marks of mentions go, plain names stay."""
    return _NAME_MARK.sub("", without_broadcasts(text))


def without_broadcasts(text: str) -> str:
    """The text without what notifies in any client, also inside code."""
    return _BROADCAST.sub("", text)
