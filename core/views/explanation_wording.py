"""What an explanation says in words, in each language."""

from __future__ import annotations

from dataclasses import dataclass

from core.attribution.verdicts import Verdict
from core.text import Language


@dataclass(frozen=True, slots=True)
class ExplanationWords:
    """Pairs: of one source, or of several."""

    heading: str
    unmoved: str
    unknown: str
    without: tuple[str, str]  # of the first source, if it is one or several
    nothing_left: tuple[str, str]  # where there is one cluster only: of one source, or of several
    compared_with: str
    made: str
    gone: tuple[str, str]  # of the first source, if it is one or several
    shared: str
    less_likely: str
    as_likely: str
    by_likelihood: str
    scored: str
    same: str
    verdicts: dict[Verdict, str]


EXPLANATION_WORDS: dict[Language, ExplanationWords] = {
    "en": ExplanationWords(
        heading="What this answer rests on",
        unmoved="The answer stays the same without:",
        unknown="Could not be found out, because the answer without it failed:",
        without=("Without the first source the answer would be:", "Without the first sources the answer would be:"),
        nothing_left=(
            "There was no other source: without it nothing is left to answer from.",
            "These sources are so alike that they leave together: without them nothing is left to answer from.",
        ),
        compared_with="Another model explains this answer; from the same sources it says itself:",
        made="{calls} answers compared in {seconds:.1f} s",
        gone=(
            "This answer rests on the first source: without it, the wiki does not answer.",
            "This answer rests on the first sources together: without them, the wiki does not answer.",
        ),
        shared="Without these sources the answer is another one, or in other words.",
        less_likely="Without these sources the model finds this answer less likely.",
        as_likely="The answer is as likely without:",
        by_likelihood="Shares by likelihood: how much less likely the model finds its own words without each source.",
        scored="{calls} calls of the model in {seconds:.1f} s",
        same="Without the first source the model still says the same.",
        verdicts={
            "not_found": "The wiki did not answer this question, so there is nothing to explain.",
            "not_grounded": "Nothing changed whatever was taken away: the answer does not rest on these sources.",
            "single_page": "This answer rests on a single page, “{page}”: without it, the wiki does not answer.",
            "opposite": "This answer rests on a single page, “{page}”: without it, the answer would be the opposite.",
            "redundant": "Several sources say the same; each of them is enough.",
            "unknown": "Too much failed to say what this answer rests on. Explain it again when the model answers.",
        },
    ),
    "de": ExplanationWords(
        heading="Worauf diese Antwort beruht",
        unmoved="Die Antwort bleibt gleich ohne:",
        unknown="Nicht herauszufinden, weil die Antwort ohne diese Quelle misslang:",
        without=("Ohne die erste Quelle wäre die Antwort:", "Ohne die ersten Quellen wäre die Antwort:"),
        nothing_left=(
            "Es gab keine andere Quelle: Ohne sie bleibt nichts, woraus zu antworten wäre.",
            "Diese Quellen sagen fast dasselbe und fallen zusammen weg: Ohne sie bleibt nichts, um zu antworten.",
        ),
        compared_with="Ein anderes Modell erklärt diese Antwort; aus denselben Quellen sagt es selbst:",
        made="{calls} Antworten verglichen in {seconds:.1f} s",
        gone=(
            "Diese Antwort beruht auf der ersten Quelle: Ohne sie antwortet das Wiki nicht.",
            "Diese Antwort beruht auf den ersten Quellen zusammen: Ohne sie antwortet das Wiki nicht.",
        ),
        shared="Ohne diese Quellen ist die Antwort eine andere, oder in anderen Worten.",
        less_likely="Ohne diese Quellen hält das Modell diese Antwort für weniger wahrscheinlich.",
        as_likely="Die Antwort ist genauso wahrscheinlich ohne:",
        by_likelihood="Anteile nach Likelihood: um wie viel unwahrscheinlicher seine Worte ohne jede Quelle wären.",
        scored="{calls} Aufrufe des Modells in {seconds:.1f} s",
        same="Ohne die erste Quelle sagt das Modell noch immer dasselbe.",
        verdicts={
            "not_found": "Das Wiki hat diese Frage nicht beantwortet, darum gibt es nichts zu erklären.",
            "not_grounded": "Nichts änderte sich, was auch wegfiel: Die Antwort beruht nicht auf diesen Quellen.",
            "single_page": "Diese Antwort beruht allein auf der Seite „{page}“: Ohne sie antwortet das Wiki nicht.",
            "opposite": "Diese Antwort beruht allein auf der Seite „{page}“: Ohne sie wäre die Antwort das Gegenteil.",
            "redundant": "Mehrere Quellen sagen dasselbe; jede von ihnen genügt.",
            "unknown": "Zu viel misslang, um zu sagen, worauf diese Antwort beruht. "
            "Lassen Sie sie noch einmal erklären, wenn das Modell wieder antwortet.",
        },
    ),
}
