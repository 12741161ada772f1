"""Answer relevance: a language model judges an answer against the gold answer (RAGonite's scale: 1, 0.5, 0)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.errors import ContextTooLong, ModelRejected, ModelUnavailable
from core.model import Answer
from core.ports.models import LanguageModel, Sampling
from core.prompts import render

SCORES = (0.0, 0.5, 1.0)
_MAX_TOKENS = 200  # it is asked for a number alone; reasoning models think first

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
    """1: the gold answer is given, 0.5: in part, 0: not; None: not judged, and ``reason`` says why."""

    score: float | None
    reason: str = ""


async def relevance(question: str, gold_answer: str, answer: Answer, model: LanguageModel) -> Relevance:
    """Judges one answer of an answerable question. A refusal is 0 without asking the model.

    Never raises for a model that fails: what it did not judge has no score, which is not the score 0.
    """
    if not answer.answered:
        return Relevance(0.0)
    if not gold_answer.strip():
        return Relevance(None, "The question set has no gold answer.")
    prompt = render("judge", question=question, gold_answer=gold_answer, answer=without_marks(answer.text))
    try:
        generation = await model.generate(prompt, Sampling(_MAX_TOKENS))
    except (ModelUnavailable, ModelRejected, ContextTooLong) as error:
        return Relevance(None, str(error))
    score = parse_score(generation.text)
    said = " ".join(generation.text.split())[:100]
    return Relevance(score, "" if score is not None else f"The judge wrote no score: {said!r}.")


def parse_score(text: str) -> float | None:
    """The score that a judge wrote, None where it wrote none, several, or one that is not on the scale.

    First what stands after a word such as "score", then a first line that is a number, then the only number there is.
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


_MARKS = re.compile(r"[ \n]?(?:\[\d{1,3}\])+|[ \n]?\[\?\]")


def without_marks(text: str) -> str:
    """An answer's text without the numbers of its sources, and without the mark of what no source supports."""
    return _MARKS.sub("", text).strip()
