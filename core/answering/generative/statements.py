"""The statements of a generated answer, each with the sources that the model gave for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.evidence.split import sentences

_WORD = r"(?:sources?|quellen?|evidences?|refs?\.?|references?|documents?|docs?|passages?|citations?)"
# Repetitions give nothing back (``*+``): a model's text takes time in proportion to its length, whatever it repeats.
_NUMBER = rf"(?:{_WORD}\s*+:?+\s*+)?[#№^]?+\s*+\d{{1,3}}+"
_NUMBERS = rf"{_NUMBER}(?:\s*+(?:,|;|&|/|-|–|—|and|und|to|bis)\s*+{_NUMBER})*+"
_CITATION = re.compile(
    rf"\[\s*+{_NUMBERS}\s*+\]|【\s*+{_NUMBERS}[^】]{{0,20}}】"
    rf"|\(\s*+{_WORD}\s*+:?+\s*+\[?+\s*+{_NUMBERS}\s*+\]?+\s*+\)",
    re.IGNORECASE,
)
_RANGE_OR_NUMBER = re.compile(r"(\d{1,3}+)(?:\s*+(?:-|–|—|to|bis)\s*+[^\d\s]{0,10}+\s*+(\d{1,3}+))?+", re.IGNORECASE)
_MAX_RANGE = 20
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)

# While sentences are told apart, each citation is one character of the private use area, which cleaned text lacks.
_FIRST_MARK, _MAX_CITATIONS = 0xE000, 6000
_MARK = "[\ue000-\uf7ff]"
_MARKS = rf"{_MARK}(?:\s*+(?:,|;|&|and|und)?+\s*+{_MARK})*+"
_SPACED_MARK = re.compile(rf"(?<!\s)\s*+{_MARK}")
_ANY_MARK, _MARK_GROUP = re.compile(_MARK), re.compile(_MARKS)
_AFTER_STOP = re.compile(rf"([.!?…:][\"'”’“»)]*+)((?:\s*+{_MARK})++)")
_IN_BRACKETS = re.compile(rf"\(\s*+(?:see|cf\.?|siehe|vgl\.?|{_WORD})?\s*+:?+\s*+({_MARKS})\s*+\)", re.IGNORECASE)
_ACCORDING = re.compile(
    rf"^(\s*+(?:[-*•]|\d++\.)?+\s*+)(?:according to|as (?:stated|mentioned|described) in|laut|gemäß)\s++"
    rf"(?:the\s++|der\s++|den\s++)?(?:{_WORD}\s++)?({_MARKS})\s*+,?+\s*+",
    re.IGNORECASE,
)
# On words alone, of which there are few: see _only_cites.
_WORDS = re.compile(r"\w+")
_CITING_WORDS = re.compile(
    rf"(?:they |it |this |that |these |sie |es |dies |das )?(?:(?:can be |is |are )(?:found |seen |listed )|see |"
    rf"{_WORD} |siehe |steht |stehen |findet sich |finden sich )?(?:in |on |from |at |auf |aus )?"
    r"(?:the (?:table|list|text) (?:from|of|in) )?",
    re.IGNORECASE,
)
_MOST_CITING_WORDS = 10
_BEFORE_PUNCTUATION = re.compile(r"(?<![ \t])[ \t]++([.,;:!?])")
_LEADING_PUNCTUATION = re.compile(r"^[:,;.]\s*+")

_RULE = re.compile(r"^\|(?:\s*+:?+-++:?+\s*+\|)++$")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, list item, table row or piece of code. ``lead``: what stands before it ("", " ", or line breaks).

    ``cited``: the numbers of the model's sources, in its order; they may be out of range. ``heads``: whether it is a
    table's header, or the rule below that.
    """

    text: str
    cited: tuple[int, ...]
    lead: str
    heads: bool = False

    @property
    def introduces(self) -> bool:
        """Whether it only leads to what follows."""
        return self.heads or self.text.endswith(":")

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a Markdown table."""
        return is_row(self.text)


def statements_of(text: str) -> list[Statement]:
    """The statements of a cleaned answer. Citations on a line of their own belong to the lines before it."""
    marked, citations = _marked(text)
    found: list[Statement] = []
    ahead: tuple[int, ...] = ()  # cited before anything is said
    for lead, sentence in _sentences(marked):
        cited = tuple(dict.fromkeys(number for mark in _ANY_MARK.findall(sentence) for number in citations[mark]))
        bare = _tidy(_SPACED_MARK.sub("", sentence))
        if bare and not (cited and _only_cites(bare)):
            found.append(Statement(bare, tuple(dict.fromkeys(ahead + cited)), lead if found else ""))
            ahead = ()
        elif found:
            _add_citations(found, cited, block="\n" in lead)
        else:
            ahead += cited
    return _with_headers(found)


def is_row(line: str) -> bool:
    """Whether a line is a row of a Markdown table."""
    return len(line) > 1 and line.startswith("|") and line.endswith("|")


def _with_headers(statements: list[Statement]) -> list[Statement]:
    rules = {at for at, statement in enumerate(statements) if _RULE.match(statement.text)}
    heads = rules | {at - 1 for at in rules if at and statements[at - 1].is_row}
    return [replace(statement, heads=True) if at in heads else statement for at, statement in enumerate(statements)]


def _only_cites(text: str) -> bool:
    """Whether a text says nothing but where something is found: "See source", "It is listed in the table from"."""
    said = _WORDS.findall(text)
    while said and said[-1].lower() in {"and", "und"}:
        said.pop()
    return len(said) <= _MOST_CITING_WORDS and bool(_CITING_WORDS.fullmatch("".join(f"{word} " for word in said)))


def _add_citations(found: list[Statement], cited: tuple[int, ...], block: bool) -> None:
    """Puts these sources on the last statement too; ``block``: on all before it back to one that has some."""
    start = len(found) - 1
    while block and start and not found[start].cited and not found[start - 1].cited:
        start -= 1
    for at in range(start, len(found)):
        found[at] = replace(found[at], cited=tuple(dict.fromkeys(found[at].cited + cited)))


def _marked(text: str) -> tuple[str, dict[str, tuple[int, ...]]]:
    """The text with each citation as one mark before its sentence's full stop, and the numbers of each mark."""
    citations: dict[str, tuple[int, ...]] = {}

    def mark(found: re.Match[str]) -> str:
        character = chr(_FIRST_MARK + len(citations) % _MAX_CITATIONS)
        citations[character] = tuple(_numbers(found.group()))
        return character

    pieces: list[str] = []
    start = 0
    for code in _CODE.finditer(text):
        pieces += [_CITATION.sub(mark, text[start : code.start()]), code.group()]
        start = code.end()
    marked = "".join([*pieces, _CITATION.sub(mark, text[start:])])
    return "\n".join(_with_marks_inside(line) for line in marked.split("\n")), citations


def _with_marks_inside(line: str) -> str:
    """Marks go before the full stop of their sentence; where a line begins with one, they stand ahead of theirs."""
    line = _IN_BRACKETS.sub(r"\1", line)
    if _ANY_MARK.match(line.lstrip()):
        return _with_marks_behind(line)
    return _AFTER_STOP.sub(r"\2\1", line)


def _with_marks_behind(line: str) -> str:
    """Each group of marks goes to the end of the sentence that follows it, before its full stop, if it has one."""
    groups = list(_MARK_GROUP.finditer(line))
    pieces = [line[: groups[0].start()]]
    for at, group in enumerate(groups):
        following = line[group.end() : groups[at + 1].start() if at + 1 < len(groups) else len(line)]
        said = following.rstrip()
        text, stop = said[:-1].lstrip(" \t\r\f\v\u00a0:"), said[-1:]
        if stop and stop in ".!?" and text and text[-1] not in ".!?":
            pieces += [text, group.group(), stop, following[len(said) :]]
        else:
            pieces += [group.group(), following]
    return "".join(pieces)


def _numbers(citation: str) -> Iterator[int]:
    for found in _RANGE_OR_NUMBER.finditer(citation):
        first, last = int(found[1]), int(found[2] or found[1])
        yield from range(first, min(last, first + _MAX_RANGE) + 1) if last >= first else (first, last)


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """Each sentence with what separates it from the one before: a space within a line, else the line breaks."""
    for block_lead, block, is_code in _blocks(text):
        if is_code or is_row(_without_last_mark(block)):
            yield block_lead, block
            continue
        for at, sentence in enumerate(sentences(block)):
            yield (block_lead if at == 0 else " "), _ACCORDING.sub(r"\1\2", sentence)


def _without_last_mark(block: str) -> str:
    shown = block.rstrip()
    return shown[:-1].rstrip() if _ANY_MARK.match(shown[-1:]) else block


def _blocks(text: str) -> Iterator[tuple[str, str, bool]]:
    """Lines, with fenced code in one piece."""
    lead = ""
    lines = iter(text.split("\n"))
    for line in lines:
        if not line.strip():
            lead += "\n"
            continue
        if line.lstrip().startswith("```"):
            fenced = [line]
            for inner in lines:
                fenced.append(inner)
                if inner.strip().startswith("```"):
                    break
            yield lead, "\n".join(fenced), True
        else:
            yield lead + line[: len(line) - len(line.lstrip())], line.strip(), False
        lead = "\n"


def _tidy(text: str) -> str:
    text = _LEADING_PUNCTUATION.sub("", _BEFORE_PUNCTUATION.sub(r"\1", text).strip())
    return text[:1].upper() + text[1:] if text[:1].islower() and " " in text and not text.startswith("`") else text
