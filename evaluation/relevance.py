"""Answer relevance: a language model judges an answer against the gold answer, on RAGonite's scale of 1, 0.5 and 0."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.errors import ContextTooLong, ModelRejected, ModelUnavailable
from core.model import Answer
from core.ports.models import LanguageModel, Sampling
from core.prompts import render
from core.wording.quotations import strip_citations

SCORES = (0.0, 0.5, 1.0)
_MAX_TOKENS = 200  # the prompt asks for a number only, but reasoning models write more

_NUMBER = r"(?<![\w.,])(?:[01](?:[.,]\d+)?|[.,]\d+|½|\d+)(?![\w%]|[.,]\d)"
_OF_ONE = re.compile(r"(?<=[\d½])\s*+(?:/|out of|von|of)\s*+1(?:[.,]0++)?(?![\w.,]{0,20}\d)", re.IGNORECASE)
_LABELLED = re.compile(
    rf"\b(?:score|rating|grade|verdict|relevance|points?|bewertung|punkte?|note|wertung)\b\W{{0,6}}"
    rf"(?:(?:is|of|ist|would be|wäre)\W{{0,4}})?({_NUMBER})",
    re.IGNORECASE,
)
_WORDS = {
    **dict.fromkeys(("right", "correct", "fully correct", "fully right", "richtig", "korrekt"), 1.0),
    **dict.fromkeys(("partly right", "partially right", "partly correct", "partially correct", "partial"), 0.5),
    **dict.fromkeys(("teilweise richtig", "teilweise korrekt", "teilweise"), 0.5),
    **dict.fromkeys(("wrong", "incorrect", "not right", "not correct", "falsch", "nicht richtig"), 0.0),
}


@dataclass(frozen=True, slots=True)
class Relevance:
    """``score``: 1 if the answer gives the gold answer, 0.5 in part, 0 not; None if not judged, with a ``reason``."""

    score: float | None
    reason: str = ""


async def judge_answer(question: str, gold_answer: str, answer: Answer, model: LanguageModel) -> Relevance:
    """Judge one answer to an answerable question. A refusal scores 0 without a call of the model.

    Errors of the model are not raised: the answer then has the score None, which differs from 0.
    """
    if not answer.answered:
        return Relevance(0.0)
    if not gold_answer.strip():
        return Relevance(None, "The question set has no gold answer.")
    prompt = render("judge", question=question, gold_answer=gold_answer, answer=strip_citations(answer.text))
    try:
        generation = await model.generate(prompt, Sampling(_MAX_TOKENS))
    except (ModelUnavailable, ModelRejected, ContextTooLong) as error:
        return Relevance(None, str(error))
    score = parse_score(generation.text)
    said = " ".join(generation.text.split())[:100]
    return Relevance(score, "" if score is not None else f"The judge wrote no score: {said!r}.")


def parse_score(text: str) -> float | None:
    """Return the score in a judge's text; None if it has no score, several, or one that is not on the scale.

    Looks first for a number after a word such as "score", then for a number as the first line, then for any number.
    """
    bare = _OF_ONE.sub("", re.sub(r"[*_`\"'“”„]", "", text)).strip()
    first = bare.split("\n", 1)[0].lstrip(" :()[]").rstrip(" .:()[]")
    word = first.lower().rstrip("!")
    if word in _WORDS:
        return _WORDS[word]
    written = _LABELLED.findall(bare)
    if not written:
        written = [first] if re.fullmatch(_NUMBER, first) else re.findall(_NUMBER, bare)
    values = {_value(number) for number in written}
    score = values.pop() if len(values) == 1 else None
    return score if score in SCORES else None


def _value(number: str) -> float:
    return 0.5 if number == "½" else float(number.replace(",", "."))
