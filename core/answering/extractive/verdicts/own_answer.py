"""The verdict of a page that asks the same question itself: "Can I use it without a licence? Yes. It is free."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from core.answering.extractive.quoting.compose import label_heading
from core.answering.extractive.units import REPLY, begins_with_reply
from core.answering.extractive.verdicts.needed_words import TextWords, is_same_word
from core.answering.extractive.verdicts.yes_no_question import NEGATIONS, is_stated, write_lead
from core.reading.questions.yes_no import is_yes_no_question
from core.text import split_subject
from core.wording.focus import Focus
from core.wording.quotations import OMITTED, Quotation

_LABEL = re.compile(r"(?i)^\W*(?:\d+[.)]|(?:q|question|f|frage)(?: ?\d+)?\s?[.:])\s*")  # "(13)", "2.", "Q:"

_AFTER_QUESTION = re.compile(r"(?<=\?)\s+")


def put_own_answer_first(focus: Focus, quotations: Sequence[Quotation]) -> list[Quotation] | None:
    """Move the page's own answer to the front, with its verdict; return None if no page answers the question.

    Quotations that only repeat the question are left out.
    """
    question = split_subject(focus.question)[0]
    if not is_yes_no_question(question):
        return None
    for quotation in quotations:
        for asked, reply in _list_replies(quotation):
            found = REPLY.match(reply)
            if found and (reason := reply[found.end() :].strip()) and _is_same_question(asked, question):
                lead = write_lead(bool(found["yes"]), focus)
                others = [each for each in quotations if each is not quotation and not _has_only_questions(each)]
                return [replace(quotation, text=reason[0].upper() + reason[1:], lead=lead), *others]
    return None


def says_yes_or_no(quotation: Quotation) -> bool:
    """Whether a quotation begins with a reply, or with a question and the reply to it."""
    first, *rest = _AFTER_QUESTION.split(quotation.quote, 1)
    is_asked = first in quotation.evidence.parts
    return begins_with_reply(first) or (is_asked and any(map(begins_with_reply, rest)))


def _list_replies(quotation: Quotation) -> Iterator[tuple[str, str]]:
    """Yield the questions of a quotation, and of the heading above it, each with the text up to the next one."""
    context = quotation.evidence.context
    heading = label_heading(context) if context.heading_path else ""
    pieces = _AFTER_QUESTION.split(f"{heading}\n{quotation.text.removeprefix(heading).strip()}")
    for before, after in pairwise(pieces):
        if not after.startswith(("…", OMITTED)):
            yield before[_find_last_sentence(before) :], after[: _find_last_sentence(after)].rstrip()


def _find_last_sentence(text: str) -> int:
    """Return the start of the question at the end of a text; the text's length if it ends with none."""
    if not text.endswith("?"):
        return len(text)
    return max(text.rfind(end) + len(end) if end in text else 0 for end in (". ", "! ", "\n"))


def _is_same_question(one: str, other: str) -> bool:
    """Whether two questions have the same words in some form and in the same order, and deny the same."""
    texts = [TextWords.of(_LABEL.sub("", each)) for each in (one, other)]
    if (texts[0].folded ^ texts[1].folded) & NEGATIONS:
        return False
    stated = [[word for word in text.words if is_stated(word)] for text in texts]
    return len(stated[0]) == len(stated[1]) > 0 and all(map(is_same_word, *stated))


def _has_only_questions(quotation: Quotation) -> bool:
    return all(line.endswith((":", "?")) for line in quotation.text.splitlines())
