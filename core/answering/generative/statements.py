"""Splits a model's text into statements with the sources that they cite; finds refusals and unusable texts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.answering.generative.citations import (
    CITING_WORD,
    MarkedText,
    find_marks,
    is_cut_at,
    mark_citations,
    strip_attribution,
    strip_last_mark,
    strip_marks,
)
from core.evidence.split import split_sentences
from core.languages import NOT_LATIN, LanguageCode, is_clearly_not_in
from core.model import NOT_FOUND
from core.text import has_digit, list_words

_WORDS = re.compile(r"\w+")
# Is matched with a few words only, see _cites_only.
_CITING_WORDS = re.compile(
    rf"(?:they |it |this |that |these |sie |es |dies |das )?(?:(?:can be |is |are )(?:found |seen |listed )|see |"
    rf"{CITING_WORD} |siehe |steht |stehen |findet sich |finden sich )?(?:in |on |from |at |auf |aus )?"
    r"(?:the (?:table|list|text) (?:from|of|in) )?",
    re.IGNORECASE,
)
_MAX_CITING_WORDS = 10
_CITING_VOCABULARY = frozenset(
    form
    for word in re.findall(r"[a-zäöüß]+\??", _CITING_WORDS.pattern.lower())
    for form in ((word[:-1], word[:-2]) if word.endswith("?") else (word,))
)
_BEFORE_PUNCTUATION = re.compile(r"(?<![ \t])[ \t]++([.,;:!?])")
_LEADING_PUNCTUATION = re.compile(r"^[:,;.]\s*+")

_RULE = re.compile(r"^\|(?:\s*+:?+-++:?+\s*+\|)++$")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, list item, table row or piece of code. ``lead``: the white space before it.

    ``cited``: the source numbers that the model gave, in its order; they may be out of range. ``heads``: whether it is
    a table's header or the rule below it. ``cut_after``: see :class:`MarkedText`, "" if nothing is missing.
    """

    text: str
    cited: tuple[int, ...]
    lead: str
    heads: bool = False
    cut_after: str = ""

    @property
    def introduces(self) -> bool:
        """Whether it only introduces the next statements."""
        return self.heads or self.text.endswith(":")

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a Markdown table."""
        return is_row(self.text)


def split_statements(text: str) -> list[Statement]:
    """Return the statements of a cleaned answer. Citations on a line of their own belong to the lines before it."""
    marked = mark_citations(text)
    found: list[Statement] = []
    ahead: tuple[int, ...] = ()  # cited before the first statement
    for lead, sentence in _split_sentences(marked.text):
        cited = tuple(dict.fromkeys(number for mark in find_marks(sentence) for number in marked.cited[mark]))
        bare = _tidy_punctuation(strip_marks(sentence))
        if bare and not (cited and _cites_only(bare)):
            cut_after = _find_cut_word(sentence, marked)
            found.append(Statement(bare, tuple(dict.fromkeys(ahead + cited)), lead if found else "", False, cut_after))
            ahead = ()
        elif found:
            _add_citations(found, cited, block="\n" in lead)
        else:
            ahead += cited
    return _find_headers(found)


def _find_cut_word(sentence: str, marked: MarkedText) -> str:
    cut = ((mark, marked.cut_after[mark]) for mark in find_marks(sentence) if mark in marked.cut_after)
    return next((word for mark, word in cut if is_cut_at(sentence, mark, word)), "")


def is_row(line: str) -> bool:
    """Whether a line is a row of a Markdown table."""
    return len(line) > 1 and line.startswith("|") and line.endswith("|")


def _find_headers(statements: list[Statement]) -> list[Statement]:
    rules = {at for at, statement in enumerate(statements) if _RULE.match(statement.text)}
    heads = rules | {at - 1 for at in rules if at and statements[at - 1].is_row}
    return [replace(statement, heads=True) if at in heads else statement for at, statement in enumerate(statements)]


def _cites_only(text: str) -> bool:
    """Whether a text only says where something was found: "See source", "It is listed in the table from"."""
    said = _WORDS.findall(text)
    while said and said[-1].lower() in {"and", "und"}:
        said.pop()
    return len(said) <= _MAX_CITING_WORDS and bool(_CITING_WORDS.fullmatch("".join(f"{word} " for word in said)))


def may_only_cite(beginning: str) -> bool:
    """Whether a text that begins like this may turn out to only say where something was found."""
    *said, last = _WORDS.findall(beginning.lower()) or [""]
    if len(said) > _MAX_CITING_WORDS or not _CITING_VOCABULARY.issuperset(said):
        return False
    return any(word.startswith(last) for word in _CITING_VOCABULARY)


def _add_citations(found: list[Statement], cited: tuple[int, ...], block: bool) -> None:
    """Add the sources to the last statement; ``block``: also to those before it, back to one that has sources."""
    start = len(found) - 1
    while block and start and not found[start].cited and not found[start - 1].cited:
        start -= 1
    for at in range(start, len(found)):
        found[at] = replace(found[at], cited=tuple(dict.fromkeys(found[at].cited + cited)))


def _split_sentences(text: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence with its separator from the one before: a space within a line, else the line breaks."""
    for block_lead, block, is_code in _split_blocks(text):
        if is_code or is_row(strip_last_mark(block)):
            yield block_lead, block
            continue
        for at, sentence in enumerate(split_sentences(block)):
            yield (block_lead if at == 0 else " "), strip_attribution(sentence)


def _split_blocks(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield lines, and fenced code as one block: the white space before it, the text, and whether it is code."""
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


def _tidy_punctuation(text: str) -> str:
    text = _LEADING_PUNCTUATION.sub("", _BEFORE_PUNCTUATION.sub(r"\1", text).strip())
    return text[:1].upper() + text[1:] if text[:1].islower() and " " in text and not text.startswith("`") else text


_ALIKE = 0.8  # share of the words in order: small models drop or change one
_OWN_WORDS = re.compile(
    r"""(?ix)
    \b(?:sources?|evidences?|information|context|documents?|text|pages?|wiki|quellen?|informationen?|dokumente?
    |seiten?|texte?)\b
    [^.]{0,80}
    \b(?:(?:does|do|did|is|are|can|could|was|were|has|have)\s*(?:not|n't|n’t)|cannot|can't|no\ (?:information
    |mention|details?)|
       nicht|kein(?:e|en|er)?)\b
    | \b(?:there\ is\ no|no|keine?)\ (?:information|mention|details?|angaben?|informationen|hinweise?)\b
    | \b(?:i|we|ich|wir)\b[^.]{0,20}\b(?:do\ not|don't|cannot|can't|could\ not|couldn't|kann|konnte|weiß)\b
      [^.]{0,30}\b(?:know|find|answer|nicht|keine)\b
    | \b(?:not|nicht)\b[^.]{0,30}\b(?:mentioned|specified|provided|stated|found|available|given|angegeben|erwähnt
    |enthalten|
       gefunden|zu\ finden|genannt)\b"""
)


def is_refusal_sentence(text: str) -> bool:
    """Whether a text is :data:`core.model.NOT_FOUND`, with the small changes that models make."""
    ours, theirs = list_words(NOT_FOUND), list_words(text)
    return difflib.SequenceMatcher(None, ours, theirs, autojunk=False).ratio() >= _ALIKE


def is_refusal(statements: Sequence[Statement]) -> bool:
    """Whether the statements refuse to answer.

    They begin with the "not found" sentence, or are one statement that says so in other words.
    """
    said = [statement for statement in statements if not statement.introduces]
    if not said:
        return False
    return is_refusal_sentence(said[0].text) or (len(said) == 1 and _is_refusal_in_own_words(said[0]))


def _is_refusal_in_own_words(statement: Statement) -> bool:
    """Whether a statement says in other words that the sources do not answer."""
    return not has_digit(statement.text) and bool(_OWN_WORDS.search(statement.text))


Defect = Literal["", "empty", "cut", "language", "script"]
"""Why an output of the model cannot be used as it is, "" if it can.

"empty": no statement; "cut": a citation stands for a word; "language" and "script": not those of the question.
"""

_MAX_WORDS = 250  # of an answer; later statements are dropped
_CLEAR_SIGNALS = 4  # words of a language that show that a text is in it
# A run of letters longer than any word is degenerate output. Thai, Chinese and Japanese do not separate words.
_NO_WORD = re.compile(r"[^\W\u0e00-\u0e7f\u3041-\u9fff\uac00-\ud7af]{80}")
_OTHER_SCRIPT = re.compile(r"[^\W\d_a-zA-Z\u00c0-\u024f\u1e00-\u1eff]")


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The statements of one model output, and why it cannot be used ("" if it can)."""

    statements: tuple[Statement, ...]
    defect: Defect = ""


def parse_answer(
    text: str, finished: bool, wanted: LanguageCode, is_ending: Callable[[str], bool] = lambda word: False
) -> ParsedAnswer:
    """Parse a cleaned text. ``finished`` False: the output was cut off, so its incomplete last statement is dropped.

    Statements in which a citation stands for a word are dropped too. ``is_ending``: whether a word ends a sentence
    of the sources, so that a statement may end with it.
    """
    statements = drop_repetitions(split_statements(text))
    if not finished and len(statements) > 1:
        statements = statements[:-1]
    # Questions are dropped: they come from a model that continues the conversation by itself, or from phishing.
    statements = [said for said in statements if not said.text.endswith("?")] or statements
    statements = [said for said in statements if "`" in said.text or not _NO_WORD.search(said.text)]
    if not statements:
        return ParsedAnswer((), "empty")
    kept = tuple(_limit_words(statements, _MAX_WORDS))
    if is_refusal(kept):
        return ParsedAnswer(kept)
    whole = tuple(said for said in kept if not said.cut_after or is_ending(said.cut_after))
    if len(whole) < len(kept):
        return ParsedAnswer(whole, "cut")
    return ParsedAnswer(kept, _find_defect(" ".join(said.text for said in kept), wanted))


def _find_defect(text: str, wanted: LanguageCode) -> Defect:
    letters = sum(character.isalpha() for character in text)
    if wanted not in NOT_LATIN and len(_OTHER_SCRIPT.findall(text)) > letters / 4:
        return "script"
    return "language" if is_clearly_not_in(text, wanted, _CLEAR_SIGNALS) else ""


def drop_repetitions(statements: Sequence[Statement]) -> list[Statement]:
    """Return each statement once: small models repeat themselves until they reach the limit."""
    first: dict[str, Statement] = {}
    for statement in statements:
        first.setdefault(" ".join(statement.text.lower().split()), statement)
    return list(first.values())


def _limit_words(statements: Sequence[Statement], limit: int) -> list[Statement]:
    """Return the first statements with at most ``limit`` words together; at least one."""
    kept: list[Statement] = []
    words = 0
    for statement in statements:
        words += len(statement.text.split())
        if kept and words > limit:
            break
        kept.append(statement)
    return kept
