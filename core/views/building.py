"""A turn, its sources and its explanation as people see them, in the question's language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import inf

from core.answering.answerer import UNSUPPORTED, is_written_by_model
from core.attribution.attributors import LikelihoodAttributor
from core.attribution.explainer import ExplainedCluster, Explanation, Verdict
from core.attribution.steps import without_citations, words_only
from core.i18n import Message, format_share, message, plural
from core.model import EvidenceKind, RankedEvidence, Turn
from core.text import Language
from core.views.model import AnswerView, BarView, ExplanationView, PageLink, PlaceView, SourcesView, SourceView
from core.views.wording import (
    KINDS,
    NO_ANSWER,
    NOTHING_TO_EXPLAIN,
    answer_text,
    failure_text,
    notice_text,
    question_text,
)

CLOSEST = 3
"""Pages to try where the wiki does not answer, at most."""

_EVIDENCE_CHARS = 600
_ANSWER_CHARS = 300  # of a counterfactual answer

_UNSUPPORTED = message("[?] No source supports this statement.")


def answer_view(turn: Turn, visible: Collection[str] = (), contact: str = "") -> AnswerView:
    """The answer in the question's language.

    ``visible``: ids of the pages that may be named here where there is no answer (``EvidenceStore.visible``).
    ``contact``: who can help then.
    """
    spoken = turn.question.language
    answered = turn.answer.answered
    unsupported = is_written_by_model(turn) and UNSUPPORTED in turn.answer.text
    return AnswerView(
        turn_id=turn.turn_id,
        language=spoken,
        text=answer_text(turn),
        answered=answered,
        markup="markdown" if is_written_by_model(turn) and not turn.answer.erased else "plain",
        citations=turn.answer.citations if answered else (),
        understood_as=turn.question.intent_explicit if turn.question.completed else "",
        closest=() if answered else closest_pages(turn, visible),
        contact="" if answered else contact,
        notes=(
            *(_UNSUPPORTED.render(spoken),) * unsupported,
            *(notice_text(notice, spoken) for notice in turn.trace.notices),
        ),
        suggestions=tuple(suggestion.question for suggestion in turn.suggestions),
        explainable=answered,
    )


def closest_pages(turn: Turn, visible: Collection[str]) -> tuple[PageLink, ...]:
    """The visible pages that were found, each once, best first."""
    found: dict[str, PageLink] = {}
    for ranked in sorted(turn.evidences, key=lambda ranked: ranked.rank):
        evidence = ranked.evidence
        if evidence.page_id in visible and evidence.context.title:  # an erased one has no title
            found.setdefault(evidence.page_id, PageLink(evidence.context.title, evidence.url.partition("#")[0]))
    return tuple(found.values())[:CLOSEST]


# ------------------------------------------------------------------------------------------ sources


def sources_view(turn: Turn, visible: Collection[str]) -> SourcesView:
    """The evidences of pages that are visible (``EvidenceStore.visible``) and not erased, cited ones first."""
    spoken = turn.question.language
    shown = tuple(
        SourceView(
            rank=ranked.rank,
            number=number,
            title=ranked.evidence.context.title,
            heading_path=ranked.evidence.context.heading_path,
            kind=KINDS[ranked.evidence.kind].render(spoken),
            text=shorten_evidence(ranked),
            url=ranked.evidence.url,
            score=ranked.score,
        )
        for ranked, number in order_by_citation(turn)
        if ranked.evidence.page_id in visible and ranked.evidence.text
    )
    hidden = len(turn.evidences) - len(shown)
    return SourcesView(turn.turn_id, spoken, question_text(turn.question), shown, hidden)


def order_by_citation(turn: Turn) -> list[tuple[RankedEvidence, int | None]]:
    """The evidences with the numbers under which they are cited: by number, then the others by rank."""
    cited = {citation.evidence_id: citation.number for citation in reversed(turn.answer.citations)}
    ordered = sorted(turn.evidences, key=lambda ranked: (cited.get(ranked.evidence.evidence_id, inf), ranked.rank))
    return [(ranked, cited.get(ranked.evidence.evidence_id)) for ranked in ordered]


def shorten_evidence(ranked: RankedEvidence) -> str:
    """An evidence's text, cut where it is long."""
    text = ranked.evidence.text
    return text if len(text) <= _EVIDENCE_CHARS else text[:_EVIDENCE_CHARS] + " …"


# ------------------------------------------------------------------------------------- explanations

_VERDICTS: Mapping[Verdict, Message] = {
    "not_found": NOTHING_TO_EXPLAIN,
    "not_grounded": message("Nothing changed, whichever source was left out: the answer does not rest on them."),
    "single_page": message(
        "This answer rests on a single page, “{page}”: without it, the wiki does not answer.", page=""
    ),
    "opposite": message(
        "This answer rests on a single page, “{page}”: without it, the answer would be the opposite.", page=""
    ),
    "redundant": message("Several sources say the same; each of them is enough."),
    "unknown": message("Too much failed to say what this answer rests on. Explain it again when the model answers."),
}
_UNMOVED = message("The answer stays the same without:")
_AS_LIKELY = message("The answer is as likely without:")
_UNKNOWN = message("Unknown, because the answer without it failed:")
_OTHER_ANSWER = message("Without these sources the answer is different, or worded differently.")
_LESS_LIKELY = message("Without these sources the model finds this answer less likely.")
_BY_LIKELIHOOD = message(
    "Shares by likelihood: how much less likely the model finds its own words without each source."
)


def explanation_view(turn: Turn, explanation: Explanation) -> ExplanationView:
    """Shares with their sources, what changed nothing, the verdict, and the answer without the first source."""
    language = turn.question.language
    question, verdict = question_text(turn.question), _verdict(explanation).render(language)
    if not explanation.clusters:
        return ExplanationView(explanation.turn_id, language, "", question, verdict)
    by_likelihood = explanation.method == LikelihoodAttributor.name
    unmoved = [cluster for cluster in explanation.clusters if cluster.share == 0]
    unknown = [cluster for cluster in explanation.clusters if cluster.share is None]
    failures = dict.fromkeys(cluster.result.failure for cluster in unknown if cluster.result.failure)
    return ExplanationView(
        turn_id=explanation.turn_id,
        language=language,
        heading=message("What this answer rests on").render(language),
        question=question,
        verdict=verdict,
        bars=tuple(_bar(cluster, language) for cluster in explanation.clusters if cluster.share),
        unmoved=_headed(_AS_LIKELY if by_likelihood else _UNMOVED, unmoved, language),
        unknown=_headed(_UNKNOWN, unknown, language),
        causes=tuple(failure_text(failure, language) for failure in failures),
        without_top=_without_top(explanation, language),
        problem=_problem(explanation, language),
        compared_with=_compared_with(turn, explanation, language),
        notes=(_BY_LIKELIHOOD.render(language),) if by_likelihood else (),
        made=_made(explanation, by_likelihood).render(language),
    )


def _made(explanation: Explanation, by_likelihood: bool) -> Message:
    calls, seconds = explanation.calls, explanation.seconds
    if by_likelihood:
        return plural("{count} model call in {seconds} s", "{count} model calls in {seconds} s", calls, seconds=seconds)
    return plural(
        "{count} answer compared in {seconds} s", "{count} answers compared in {seconds} s", calls, seconds=seconds
    )


def _without_top(explanation: Explanation, language: Language) -> tuple[str, str]:
    """What the answer would be without the first cluster; nothing where that could not be asked."""
    top = explanation.top
    if not top:
        return "", ""
    count, result = len(top.evidences), top.result
    if len(explanation.clusters) == 1:
        return _nothing_left(count).render(language), ""
    if not result.answers:
        return "", ""
    if words_only(result.answers[0]) == words_only(explanation.compared_with):
        return message("Without the first source the model still says the same.").render(language), ""
    found = not result.answered or result.answered[0]
    answer = _shortened(result.answers[0]) if found else NO_ANSWER.render(language)
    return _without(count).render(language), answer


def _without(count: int) -> Message:
    return plural(
        "Without the first source the answer would be:", "Without the first sources the answer would be:", count
    )


def _nothing_left(count: int) -> Message:
    return plural(
        "There was no other source: without it nothing is left to answer from.",
        "These sources are so similar that they are left out together: without them nothing is left to answer from.",
        count,
    )


def _problem(explanation: Explanation, language: Language) -> str:
    """Why the answer without the first cluster could not be asked, "" if it could."""
    top = explanation.top
    if top is None or top.result.failure is None or len(explanation.clusters) == 1 or top.result.answers:
        return ""
    return failure_text(top.result.failure, language)


def _compared_with(turn: Turn, explanation: Explanation, language: Language) -> tuple[str, str]:
    if words_only(explanation.compared_with) == words_only(turn.answer.text):
        return "", ""
    sentence = message("Another model explains this answer; from the same sources its own answer is:")
    return sentence.render(language), _shortened(explanation.compared_with)


def _verdict(explanation: Explanation) -> Message:
    if explanation.verdicts:
        page = explanation.single_page
        title = page.evidence.context.title if page else "…"
        verdict = _VERDICTS[explanation.verdicts[-1]]  # "opposite" is how an answer may rest on a single page
        return replace(verdict, values={"page": title})
    top = explanation.top
    if top and top.result.answered and not any(top.result.answered):
        return _gone(len(top.evidences))
    # Likelihood says how sure the model is, not that it would say something else.
    return _LESS_LIKELY if explanation.method == LikelihoodAttributor.name else _OTHER_ANSWER


def _gone(count: int) -> Message:
    return plural(
        "This answer rests on the first source: without it, the wiki does not answer.",
        "This answer rests on the first sources together: without them, the wiki does not answer.",
        count,
    )


def _bar(cluster: ExplainedCluster, language: Language) -> BarView:
    share = cluster.share or 0.0
    return BarView(share, format_share(share, language), _places([cluster], language))


def _headed(
    heading: Message, clusters: Sequence[ExplainedCluster], language: Language
) -> tuple[str, tuple[PlaceView, ...]]:
    return (heading.render(language), _places(clusters, language)) if clusters else ("", ())


def _places(clusters: Sequence[ExplainedCluster], language: Language) -> tuple[PlaceView, ...]:
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
            kinds=_kinds([kind for _, kind in items], language),
        )
        for place, items in found.items()
    ]
    return tuple(sorted(places, key=lambda place: not place.numbers))


def _kinds(kinds: Sequence[EvidenceKind], language: Language) -> str:
    named = [(KINDS[kind].render(language), count) for kind, count in Counter(kinds).items()]
    return ", ".join(kind if count == 1 else f"{count} × {kind}" for kind, count in named)


def _shortened(answer: str) -> str:
    """One answer without its citations, whose numbers mean other sources; its lines stay lines."""
    lines = (" ".join(line.split()) for line in without_citations(answer).splitlines())
    text = "\n".join(line for line in lines if line)
    return text if len(text) <= _ANSWER_CHARS else text[:_ANSWER_CHARS].rsplit(" ", 1)[0] + " …"
