"""Which words of the question before a phrase replaces."""

from __future__ import annotations

import pytest

from core.completion.ellipsis import add_phrase, find_replaced_words, parse_ellipsis, replace_phrase
from core.reading.relations.relation import make_relations
from tests.core.reading.tables import evidences

SERVICES = """<table><tbody><tr><th>Service</th><th>Team</th><th>Staging</th><th>Production</th></tr>
<tr><td>billing-api</td><td>Ledger</td><td>2 nodes</td><td>8 nodes</td></tr>
<tr><td>search</td><td>Team Compass</td><td>1 node</td><td>4 nodes</td></tr></tbody></table>"""
OPTIONS = """<table><tbody><tr><th>Option</th><th>Effect</th></tr>
<tr><td>-q, --quiet</td><td>prints nothing</td></tr>
<tr><td>--depth=&lt;n&gt;</td><td>shortens</td></tr></tbody></table>"""
OCCASIONS = """<table><tbody><tr><th>Anlass</th><th>Tage</th></tr><tr><td>Eigene Hochzeit</td><td>2</td></tr>
<tr><td>Tod von Partner, Eltern oder Kind</td><td>4</td></tr><tr><td>Umzug</td><td>1</td></tr></tbody></table>"""
MODELS = """<table><tbody><tr><th>Model</th><th>Price</th></tr><tr><td>Rook 4</td><td>1</td></tr>
<tr><td>Rook 5 Pro</td><td>2</td></tr><tr><td>Heron</td><td>3</td></tr></tbody></table>"""

ROUTES = """<table><tbody><tr><th>Route</th><th>Guard</th></tr><tr><td>R-7</td><td>Bo</td></tr>
<tr><td>R-12</td><td>Ada</td></tr><tr><td>kai_2</td><td>Kim</td></tr><tr><td>kai.3</td><td>Jo</td></tr></tbody></table>"""


def complete(before: str, question: str, page: str = "<p>Nothing.</p>") -> str | None:
    ellipsis = parse_ellipsis(question)
    assert ellipsis
    replacement = replace_phrase(ellipsis, before, make_relations(evidences(page)))
    return replacement.question if replacement else None


@pytest.mark.parametrize(
    ("before", "question", "completed"),
    [
        ("Which machines failed the S3 test?", "and in Germany?", "Which machines failed the S3 test in Germany?"),
        ("How many days do I get?", "And in the Netherlands?", "How many days do I get in the Netherlands?"),
        ("Which laptops can I order?", "and for Linux?", "Which laptops can I order for Linux?"),
        ("Wie viele Urlaubstage habe ich?", "und in Deutschland?", "Wie viele Urlaubstage habe ich in Deutschland?"),
        ("Wann ist das Büro geöffnet?", "Und am Samstag?", "Wann ist das Büro am Samstag geöffnet?"),
        ("Welche Laptops kann ich bestellen?", "und für Linux?", "Welche Laptops kann ich für Linux bestellen?"),
        ("What does the pass cost in March?", "and in April?", ""),  # a phrase after the same preposition
        ("What did Ada decide?", "and from Bo?", ""),  # a name
        ("Which laptops can I order?", "and a screen?", ""),
        ("how many days do i get", "and in 2027?", "how many days do i get in 2027?"),
        ("How do I report an incident?", "and at night?", ""),  # ordinary words may replace others
        ("Who has support duty this week?", "and in March?", ""),  # another time, which has no preposition
        ("What did we decide yesterday?", "and on Friday?", ""),
        ("Was haben wir letzte Woche beschlossen?", "und im Oktober?", ""),
        ("Was gibt es heute?", "und am Freitag?", ""),
        ("Wie hoch ist das Limit für Amsterdam?", "und in Paris?", ""),  # of a German question, any noun may be a name
        ("Wer ist für Österreich zuständig?", "und in der Schweiz?", ""),
        ("How long is the notice period?", "and in German?", ""),  # a wish for the answer
        ("Welche Frist gilt?", "auf Englisch?", ""),
        ("Welche Frist gilt?", "und in Spanien?", "Welche Frist gilt in Spanien?"),
        ("was sind die kosten?", "und im März?", "was sind die kosten im März?"),
        ("wer hat zugriff auf die daten?", "und im März?", "wer hat zugriff auf die daten im März?"),
        ("Who approves travel, please?", "and in Paris?", ""),
        ("Thanks, I see", "and in Germany?", ""),
    ],
)
def test_a_phrase_that_replaces_nothing_is_a_further_condition(before: str, question: str, completed: str) -> None:
    assert complete(before, question) is None or not completed
    ellipsis = parse_ellipsis(question)
    assert ellipsis
    assert add_phrase(ellipsis, before) == completed


@pytest.mark.parametrize(
    ("before", "question", "completed"),
    [
        ("What did Anna decide?", "and in Berlin?", "What did Anna decide in Berlin?"),
        ("Does the Rook 4 have a warranty?", "and in Austria?", "Does the Rook 4 have a warranty in Austria?"),
        ("Who does Anna help?", "and Bo?", None),
    ],
)
def test_a_place_or_time_does_not_replace_whoever_acts(before: str, question: str, completed: str | None) -> None:
    ellipsis = parse_ellipsis(question)
    assert ellipsis
    if completed:
        assert complete(before, question) is None
        assert add_phrase(ellipsis, before) == completed
    else:
        assert complete(before, question) == "Who does Bo help?"


@pytest.mark.parametrize(
    ("page", "before", "question", "completed"),
    [
        (
            SERVICES,
            "How many nodes has billing-api in staging?",
            "And search?",
            "How many nodes has search in staging?",
        ),
        (
            SERVICES,
            "How many nodes has billing-api in staging?",
            "and in production?",
            "How many nodes has billing-api in production?",
        ),
        (SERVICES, "What does the ledger team run?", "and compass?", None),  # "Team Compass" begins with "Team"
        (OPTIONS, "What does --depth do?", "And --quiet?", "What does --quiet do?"),
        (OPTIONS, "Was macht -q?", "Und --depth?", "Was macht --depth?"),
        (
            OCCASIONS,
            "Wie viele Tage gibt es für die eigene Hochzeit?",
            "Und beim Umzug?",
            "Wie viele Tage gibt es beim Umzug?",
        ),
        (MODELS, "What does the Rook 5 Pro cost?", "what about the Heron?", "What does the Heron cost?"),
        (MODELS, "What does the Rook 6 cost?", "And the Heron?", "What does the Heron cost?"),
        (MODELS, "What does the Heron cost?", "The Rook 4?", "What does the Rook 4 cost?"),
        (MODELS, "Which is cheaper, the Rook 4 or the Heron?", "And the Rook 5 Pro?", None),
        (MODELS, "What does the Heron cost?", "And the Heron?", None),
        (ROUTES, "who is the guard of R-99", "and of r-13?", "who is the guard of r-13"),
        (ROUTES, "Who is the guard of R-7?", "And of R-99?", "Who is the guard of R-99?"),
        (ROUTES, "wer bewacht die kai_2", "und kai_5?", "wer bewacht die kai_5"),
        (ROUTES, "wer bewacht die kai.3", "und kai.4?", "wer bewacht die kai.4"),
    ],
)
def test_a_label_replaces_the_label_of_the_same_column(
    page: str, before: str, question: str, completed: str | None
) -> None:
    assert complete(before, question, page) == completed


@pytest.mark.parametrize(
    ("before", "question", "completed"),
    [
        ("When was Ada Lindqvist on call?", "And Tobias van Quandt?", None),  # "van" is not capitalised
        ("When was Ada Lindqvist on call?", "And Tobias Quandt?", "When was Tobias Quandt on call?"),
        ("What changed in version 8.14.0?", "And in 8.15.2?", "What changed in version 8.15.2?"),
        ("Who tests for 8.0.0?", "and for stable-7?", "Who tests for stable-7?"),  # a version after the same word
        ("Who tests for stable-7?", "and for 8.0.0?", "Who tests for 8.0.0?"),
        ("What changed in Belfry 8.14.0?", "And in 8.15.2?", "What changed in Belfry 8.15.2?"),
        ("What breaks from 8.1.0 to 9.0.0?", "And from 8.2.0?", "What breaks from 8.2.0 to 9.0.0?"),
        ("What breaks if 8.1.0 meets 9.0.0?", "And in 8.2.0?", None),
        ("Is Windows 11 supported?", "And Windows 10?", "Is Windows 10 supported?"),
        (
            "What is the limit in the Netherlands in 2026?",
            "And in the United States?",
            "What is the limit in the United States in 2026?",
        ),
        (
            "What is the limit in the Netherlands in 2026?",
            "And in 2024?",
            "What is the limit in the Netherlands in 2024?",
        ),
        ("What is the limit in the Netherlands in 2026?", "And in March?", None),
        ("How many alerts were there in March 2026?", "And in April?", "How many alerts were there in April 2026?"),
        ("Wie hoch ist das Limit in Berlin?", "Und im Saarland?", "Wie hoch ist das Limit im Saarland?"),
        (
            "Was kostet der Lader für den Rook 4 im Monat?",
            "Und für den Heron 12?",
            "Was kostet der Lader für den Heron 12 im Monat?",
        ),
        ("Wie viele Tage gibt es bei der eigenen Hochzeit?", "und beim Umzug?", "Wie viele Tage gibt es beim Umzug?"),
        (
            "Was gilt für unsere festen Mitarbeiter im Lager?",
            "Und für Besucher?",
            "Was gilt für Besucher im Lager?",
        ),
        ("Was kostet der Versand mit dem neuen Boten?", "und mit der Bahn?", "Was kostet der Versand mit der Bahn?"),
        ("Was passiert in der ersten Woche in Gent?", "Und in Kassel?", "Was passiert in der ersten Woche in Kassel?"),
        ("Was passiert in der ersten Woche?", "Und in Kassel?", None),  # the week stays
        ("In welchen Ländern gilt das?", "Und in Norwegen?", None),
        ("Gibt es Geld für kaputte Schuhe im neuen Lager?", "Und im Büro?", "Gibt es Geld für kaputte Schuhe im Büro?"),
        ("Who signs contracts for Team Compass?", "And for Team Ledger?", "Who signs contracts for Team Ledger?"),
        ("Welche Ubuntu Versionen wurden für diese GPU Tests verwendet?", "Und Xen?", None),  # a noun may be a name
        ("Does the Dell 9010 pass with OpenXT 9.0?", "And the Dell 7040?", "Does the Dell 7040 pass with OpenXT 9.0?"),
        ("Does the Dell 9010 pass with OpenXT 9.0?", "And the Lenovo 7040?", None),  # may replace either
        ("welche frist hat klasse 1", "und klasse 3?", "welche frist hat klasse 3"),
        ("is class 1 stricter than class 2", "and class 3?", None),
        ("Who has the phone on 9 December?", "and on 16 December?", "Who has the phone on 16 December?"),
        ("Who is on call on December 9th?", "and on 2 January?", "Who is on call on 2 January?"),
        ("wer hat am 9. Dezember 2026 Dienst", "und am 16. Dezember?", "wer hat am 16. Dezember 2026 Dienst"),
        ("Wer hat am 9.12. Dienst?", "und am 16.12.?", "Wer hat am 16.12. Dienst?"),
        ("Wer hat am 9.12. Dienst?", "und am 16. Dezember?", "Wer hat am 16. Dezember Dienst?"),
        ("Wer vertritt Anna vom 3. bis 9. Dezember?", "und am 16. Dezember?", None),  # a period
        ("What is in release 9.12.1?", "and on 16.12.?", None),
        ("Who is on call on 9 December 2025?", "and on 10 December?", "Who is on call on 10 December 2025?"),
        ("Wer hat am 9. Dezember Dienst?", "und am 10.12.?", "Wer hat am 10.12 Dienst?"),
        ("Who is away on December 9, 2026?", "and on December 10, 2026?", "Who is away on December 10, 2026?"),
        ("What happened from 9 December to 12 December?", "and on 15 December?", None),
        ("Who was away between 9 and 12 December?", "and on 15 December?", None),
        ("Wer war am 1. und 3. Mai da?", "und am 5. Mai?", None),
        ("Was geschah bis zum 9. Dezember?", "und am 15. Dezember?", None),
        ("What is planned until 9 December?", "and on 15 December?", None),
        ("Wer hat am 9.12. um 8.30 Uhr Dienst?", "und am 16.12.?", "Wer hat am 16.12. um 8.30 Uhr Dienst?"),
        ("Was gilt ab dem 1. Januar?", "und am 31. Dezember?", None),
        ("Was steht in Kapitel 4.2?", "und am 3.5.?", None),
        ("Who wrote the 3 May report?", "and on 4 June?", None),
    ],
)
def test_a_name_replaces_the_whole_name_of_the_same_form(before: str, question: str, completed: str | None) -> None:
    assert complete(before, question) == completed


@pytest.mark.parametrize(
    "question", ["And who pays?", "Is it free?", "And then?", "What does the Heron weigh?", "Why?"]
)
def test_a_question_with_words_of_its_own_is_no_phrase(question: str) -> None:
    assert parse_ellipsis(question) is None


def test_what_a_phrase_replaces_is_left_out_as_a_whole_name() -> None:
    before = "How long does the battery of the Wren 2 last in Belgium?"
    assert find_replaced_words("and the price of the Rook 4?", before) == {"wren", "2"}
    assert find_replaced_words("und beim großen Umzug?", "Wie viel gibt es bei der eigenen Hochzeit?") == {
        *("eigenen", "hochzeit")
    }
    assert find_replaced_words("and the price of the key?", "Where is the lock of the door?") == {"door"}


def test_what_stands_after_instead_of_or_which_of_replaces_nothing() -> None:
    assert not find_replaced_words("and which takes a key instead of a password?", "Which of the doors has no lock?")
    assert not find_replaced_words("and which of the keys?", "Who paid the price of the door?")
    assert find_replaced_words("For which models did it fail?", "What is left for the 8.0 measurement?") == set()
