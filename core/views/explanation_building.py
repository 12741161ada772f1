"""An explanation to what people see of it, in the question's language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from core.attribution.explainer import ExplainedCluster, Explanation
from core.attribution.likelihood import LikelihoodAttributor
from core.attribution.steps import without_citations, words_only
from core.model import EvidenceKind, Turn
from core.text import Language
from core.views.explanation import BarView, ExplanationView, PlaceView
from core.views.explanation_wording import EXPLANATION_WORDS, ExplanationWords
from core.views.notice_wording import failure_text
from core.views.turn_wording import question_text
from core.views.wording import WORDS

_SHOWN_CHARS = 300  # of a counterfactual answer


def explanation_view(turn: Turn, explanation: Explanation) -> ExplanationView:
    """Shares with their sources, what changed nothing, the verdict, and the answer without the first source."""
    spoken = turn.question.language
    words = _words(EXPLANATION_WORDS[spoken], explanation.method)
    question, verdict = question_text(turn.question), _verdict(explanation, words)
    if not explanation.clusters:
        return ExplanationView(explanation.turn_id, spoken, "", question, verdict)
    unknown = [cluster for cluster in explanation.clusters if cluster.share is None]
    return ExplanationView(
        turn_id=explanation.turn_id,
        language=spoken,
        heading=words.heading,
        question=question,
        verdict=verdict,
        bars=tuple(_bar(cluster, spoken) for cluster in explanation.clusters if cluster.share),
        unmoved=_headed(words.unmoved, [cluster for cluster in explanation.clusters if cluster.share == 0], spoken),
        unknown=_headed(words.unknown, unknown, spoken),
        causes=tuple(
            dict.fromkeys(failure_text(cluster.result.failure, spoken) for cluster in unknown if cluster.result.failure)
        ),
        without_top=_without_top(explanation, words, spoken),
        problem=_problem(explanation, spoken),
        compared_with=_compared_with(turn, explanation, words, spoken),
        notes=(words.by_likelihood,) if explanation.method == LikelihoodAttributor.name else (),
        made=words.made.format(calls=explanation.calls, seconds=explanation.seconds),
    )


def _words(words: ExplanationWords, method: str) -> ExplanationWords:
    """Likelihood says how sure the model is, not that it would say something else."""
    if method != LikelihoodAttributor.name:
        return words
    return replace(words, unmoved=words.as_likely, shared=words.less_likely, made=words.scored)


def _without_top(explanation: Explanation, words: ExplanationWords, spoken: Language) -> tuple[str, str]:
    """What the answer would be without the first cluster; nothing where that could not be asked."""
    top = explanation.top
    if not top:
        return "", ""
    several = len(top.evidences) > 1
    if len(explanation.clusters) == 1:
        return words.nothing_left[several], ""
    if not top.result.answers:
        return "", ""
    if words_only(top.result.answers[0]) == words_only(explanation.compared_with):
        return words.same, ""
    if top.result.answered and not top.result.answered[0]:
        return words.without[several], WORDS[spoken].not_found
    return words.without[several], _shortened(top.result.answers[0])


def _problem(explanation: Explanation, spoken: Language) -> str:
    """Why the answer without the first cluster could not be asked, "" if it could."""
    top = explanation.top
    if top is None or top.result.failure is None or len(explanation.clusters) == 1 or top.result.answers:
        return ""
    return failure_text(top.result.failure, spoken)


def _compared_with(turn: Turn, explanation: Explanation, words: ExplanationWords, spoken: Language) -> tuple[str, str]:
    if words_only(explanation.compared_with) == words_only(turn.answer.text):
        return "", ""
    return words.compared_with, _shortened(explanation.compared_with)


def _verdict(explanation: Explanation, words: ExplanationWords) -> str:
    if explanation.verdicts:
        verdict = words.verdicts[explanation.verdicts[-1]]  # "opposite" is how an answer may rest on a single page
        page = explanation.single_page
        return verdict.replace("{page}", page.evidence.context.title) if page else verdict
    top = explanation.top
    if top and top.result.answered and not any(top.result.answered):
        return words.gone[len(top.evidences) > 1]
    return words.shared


def _bar(cluster: ExplainedCluster, spoken: Language) -> BarView:
    share = cluster.share or 0.0
    return BarView(share, f"{share:.0%}" if share >= 0.005 else "<1%", _places([cluster], spoken))


def _headed(heading: str, clusters: Sequence[ExplainedCluster], spoken: Language) -> tuple[str, tuple[PlaceView, ...]]:
    return (heading, _places(clusters, spoken)) if clusters else ("", ())


def _places(clusters: Sequence[ExplainedCluster], spoken: Language) -> tuple[PlaceView, ...]:
    """Each place once, cited ones first, with its numbers and what was found there; and its address."""
    found: dict[tuple[str, tuple[str, ...], str], list[tuple[int | None, EvidenceKind]]] = {}
    for cluster in clusters:
        for ranked, number in zip(cluster.evidences, cluster.numbers, strict=True):
            evidence = ranked.evidence
            place = (evidence.context.title, evidence.context.heading_path, evidence.url)
            found.setdefault(place, []).append((number, evidence.kind))
    places = [
        PlaceView(
            *place,
            numbers=tuple(number for number, _ in items if number is not None),
            kinds=_kinds([kind for _, kind in items], spoken),
        )
        for place, items in found.items()
    ]
    return tuple(sorted(places, key=lambda place: not place.numbers))


def _kinds(kinds: Sequence[EvidenceKind], spoken: Language) -> str:
    named = [(WORDS[spoken].kinds[kind], count) for kind, count in Counter(kinds).items()]
    return ", ".join(kind if count == 1 else f"{count} × {kind}" for kind, count in named)


def _shortened(answer: str) -> str:
    """One answer without its citations, whose numbers mean other sources; its lines stay lines."""
    lines = (" ".join(line.split()) for line in without_citations(answer).splitlines())
    text = "\n".join(line for line in lines if line)
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS].rsplit(" ", 1)[0] + " …"
