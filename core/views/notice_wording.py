"""Notices, failures and rejections in words, in each language: made from their kinds and values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.model import Candidate, Failure, NoticeKind, Rejection, TraceNotice
from core.text import Language


@dataclass(frozen=True, slots=True)
class NoticeWords:
    """Pairs: of one, or of several. ``kinds`` are filled with {failure}, {count} and {total}."""

    kinds: Mapping[NoticeKind, str | tuple[str, str]]
    failures: Mapping[Failure, str]
    rejections: Mapping[Rejection, str]


NOTICE_WORDS: Mapping[Language, NoticeWords] = {
    "en": NoticeWords(
        kinds={
            NoticeKind.INSTRUCTIONS_LEFT_OUT: (
                "1 sentence of the pages talked to a language model instead of to people, or followed one that did, "
                "and was not used.",
                "{count} sentences of the pages talked to a language model instead of to people, or followed one that "
                "did, and were not used.",
            ),
            NoticeKind.EVIDENCES_LEFT_OUT: (
                "1 of {total} evidences was left out: more do not fit into the language model's window.",
                "{count} of {total} evidences were left out: more do not fit into the language model's window.",
            ),
            NoticeKind.QUOTED_INSTEAD: "{failure} This is what the wiki itself says.",
            NoticeKind.NOT_FOUND_INSTEAD: "{failure} The wiki itself, word for word, does not say it either.",
            NoticeKind.COMPLETED_WITHOUT_MODEL: "{failure} The question was completed without it.",
            NoticeKind.SUGGESTED_WITHOUT_MODEL: "{failure} The follow-up questions were made without it.",
            NoticeKind.NO_SUGGESTIONS: "No follow-up questions could be made. {failure}",
            NoticeKind.OTHER: "This answer had a notice that is not kept any more.",
        },
        failures={
            Failure.UNAVAILABLE: "The language model does not answer now.",
            Failure.REJECTED: "The language model refuses its settings: an admin has to correct them.",
            Failure.CONTEXT_TOO_LONG: "The sources do not fit into the language model's window.",
            Failure.NOT_ASKED_AGAIN: "The language model was not asked again.",
            Failure.EMPTY: "The language model gave no answer.",
            Failure.OTHER_LANGUAGE: "The language model answered in another language.",
            Failure.UNSUPPORTED: "The language model's answer is not in the sources.",
            Failure.OTHER: "Something failed; an admin finds the cause in the log.",
        },
        rejections={
            Rejection.NOT_ONE_QUESTION: "it is not one question",
            Rejection.INVENTS_WORDS: "it brings in words that nobody said",
            Rejection.DROPS_WORDS: "it drops the question's own words",
            Rejection.REPEATS: "it repeats an earlier question",
            Rejection.OTHER_LANGUAGE: "it is in another language",
        },
    ),
    "de": NoticeWords(
        kinds={
            NoticeKind.INSTRUCTIONS_LEFT_OUT: (
                "1 Satz der Seiten richtete sich an ein Sprachmodell statt an Menschen oder folgte auf einen solchen "
                "und wurde nicht verwendet.",
                "{count} Sätze der Seiten richteten sich an ein Sprachmodell statt an Menschen oder folgten auf einen "
                "solchen und wurden nicht verwendet.",
            ),
            NoticeKind.EVIDENCES_LEFT_OUT: (
                "1 von {total} Fundstellen wurde weggelassen: Mehr passen nicht in das Fenster des Sprachmodells.",
                "{count} von {total} Fundstellen wurden weggelassen: Mehr passen nicht in das Fenster des "
                "Sprachmodells.",
            ),
            NoticeKind.QUOTED_INSTEAD: "{failure} Dies steht im Wiki selbst.",
            NoticeKind.NOT_FOUND_INSTEAD: "{failure} Auch im Wiki selbst steht es nicht wörtlich.",
            NoticeKind.COMPLETED_WITHOUT_MODEL: "{failure} Die Frage wurde ohne das Sprachmodell ergänzt.",
            NoticeKind.SUGGESTED_WITHOUT_MODEL: "{failure} Die Folgefragen wurden ohne das Sprachmodell gebildet.",
            NoticeKind.NO_SUGGESTIONS: "Es konnten keine Folgefragen gebildet werden. {failure}",
            NoticeKind.OTHER: "Zu dieser Antwort gab es einen Hinweis, der nicht mehr aufbewahrt ist.",
        },
        failures={
            Failure.UNAVAILABLE: "Das Sprachmodell antwortet gerade nicht.",
            Failure.REJECTED: "Das Sprachmodell lehnt seine Einstellungen ab: Ein Admin muss sie ändern.",
            Failure.CONTEXT_TOO_LONG: "Die Quellen passen nicht in das Fenster des Sprachmodells.",
            Failure.NOT_ASKED_AGAIN: "Das Sprachmodell wurde nicht noch einmal gefragt.",
            Failure.EMPTY: "Das Sprachmodell gab keine Antwort.",
            Failure.OTHER_LANGUAGE: "Das Sprachmodell antwortete in einer anderen Sprache.",
            Failure.UNSUPPORTED: "Die Antwort des Sprachmodells steht nicht in den Quellen.",
            Failure.OTHER: "Etwas ging schief; ein Admin findet die Ursache im Log.",
        },
        rejections={
            Rejection.NOT_ONE_QUESTION: "es ist nicht genau eine Frage",
            Rejection.INVENTS_WORDS: "es enthält Wörter, die niemand gesagt hat",
            Rejection.DROPS_WORDS: "es lässt Wörter der Frage weg",
            Rejection.REPEATS: "es wiederholt eine frühere Frage",
            Rejection.OTHER_LANGUAGE: "es ist in einer anderen Sprache",
        },
    ),
}


def notice_text(notice: TraceNotice, spoken: Language) -> str:
    """A notice as people read it."""
    words = NOTICE_WORDS[spoken]
    sentence = words.kinds[notice.kind]
    if isinstance(sentence, tuple):
        sentence = sentence[notice.count != 1]
    failure = failure_text(notice.failure or Failure.OTHER, spoken)
    return sentence.format(failure=failure, count=notice.count, total=notice.total)


def failure_text(failure: Failure, spoken: Language) -> str:
    """What failed, as people read it: it names no server and no setting."""
    return NOTICE_WORDS[spoken].failures[failure]


def rejection_text(candidate: Candidate, spoken: Language = "en") -> str:
    """Why a proposed completion was not taken, "" if it could be."""
    if candidate.rejected is None:
        return ""
    sentence = NOTICE_WORDS[spoken].rejections[candidate.rejected]
    return f"{sentence}: {', '.join(candidate.words)}" if candidate.words else sentence
