"""German questions about tables with English headers, and the reverse, by the real word vectors."""

from __future__ import annotations

import pytest

from core.errors import EmbedderUnavailable
from core.ports.models import WordMatcher, WordMatches
from core.reading.compute import compute_clear_result
from tests.core.reading.plans.test_binding import write_table
from tests.core.reading.tables import compute, evidences

TESTS = write_table(("Test cases",), (("Start",), ("Stop",), ("Sleep",)), "Power options")
STEPS = write_table(("Step", "Description"), (("setup", "clones"), ("kernel", "compiles")), "Required Steps") + (
    write_table(("Step", "Description"), (("docs", "writes"), ("debug", "traces"), ("sdk", "packs")), "Optional Steps")
)
PAGES = write_table(("Month", "Day", "Night"), (("January", "14", "5"), ("February", "11", "3")), "Pages per month")
OPTIONS = write_table(
    ("Option", "Data per tower and month", "Effort"),
    (("WebSocket", "44 MB", "7 weeks"), ("MQTT", "12 MB", "9 weeks")),
    "Options",
)
BUDGET = write_table(("Department", "Plan", "Forecast"), (("Sales", "900", "880"), ("HR", "300", "305")), "Budget")
COUNTRIES = write_table(("Country", "Hotel"), (("France", "120"), ("Spain", "110")), "Hotels by country")
FAHRTEN = "<p>Das ist die Seite für alle, die mit uns arbeiten und wissen wollen, was zu tun ist.</p>" + write_table(
    ("Fahrt", "Wer", "Bis wann"),
    (("Bus bestellen", "Ada", "Freitag"), ("Zimmer buchen", "Ben", "Montag")),
    "Reisen",
)

PROSE = "<p>This page lists what we use and what we have to do with it, so that everybody in the team can find it.</p>"
PARTS = PROSE + write_table(
    ("Part", "Material"),
    (("Door", "Wood"), ("Frame", "Steel"), ("Roof", "Steel"), ("Wing", "Aluminium")),
    "Parts of the wagon",
)
CHECKS = PROSE + write_table(
    ("Check", "Frequency"), (("Backup", "weekly"), ("Restart", "daily"), ("Review", "monthly")), "Recurring checks"
)
HOTELS = PROSE + write_table(
    ("Hotel", "Country"), (("Lux", "France"), ("Sol", "Spain"), ("Mer", "France"), ("Tulip", "Netherlands")), "Hotels"
)
TICKETS = PROSE + write_table(
    ("Ticket", "Priority"), (("T1", "Low"), ("T2", "Medium"), ("T3", "Critical"), ("T4", "Low")), "Tickets"
)
RESULTS = PROSE + write_table(
    ("Model", "Result"),
    (("Wren 7490", "Black screen"), ("Wren 7470", "ML fail"), ("Wren 7490", "ML fail"), ("Lark 7050", "Black screen")),
    "Upgrade results",
)
GOALS = PROSE + (
    "<h2>Design goals</h2><p>The platform has these goals:</p><ul><li>Protection of stored data</li>"
    "<li>Protection of the network</li><li>Compatibility with older clients</li><li>Fast start of the machine</li></ul>"
)
DRIVERS = PROSE + (
    "<h2>Transport drivers</h2><ul><li>pci</li><li>mmio</li><li>ccw</li></ul>"
    "<p>There is also:</p><ul><li>argo</li><li>pci-legacy</li></ul><h2>Risks</h2><ul><li>Time</li></ul>"
)
GENERATIONS = (
    PROSE
    + "<p>GEN - processor architecture generation: SKL, KBL</p>"
    + write_table(("Vendor", "GEN"), (("Dell", "SKL"), ("Dell", "KBL"), ("OEM", "KBL"), ("HP", "SKL")), "Tests")
)
GUESTS = (
    PROSE
    + "<h2>Guest VM OSs under test</h2><ul><li>Debian</li><li>Fedora</li></ul><h2>Risks</h2><ul><li>Time</li></ul>"
)


async def first_line(question: str, content: str, matcher: WordMatcher) -> str:
    found = await compute_clear_result(question, evidences(content), matcher)
    return found.answer.text.splitlines()[0] if found else ""


@pytest.mark.parametrize(
    ("question", "content", "line"),
    [
        ("Wie viele Testfälle hat das Hardware testing?", TESTS, "3 Einträge in „Power options“:"),
        ("Wie viele Pflichtschritte hat das Hardware testing?", STEPS, "2 Einträge in „Required Steps“:"),
        ("Wie viele nächtliche Pages gab es insgesamt?", PAGES, "Summe von „Night“ in 2 Zeilen"),
        (
            "Daten pro Turm und Monat: WebSocket vs. MQTT?",
            OPTIONS,
            "Unterschied von 32 MB bei „Data per tower and month“",
        ),
        ("How many journeys are there in the hardware testing?", FAHRTEN, "2 entries in “Reisen”:"),
        ("Wie hoch ist die Prognose von Sales?", BUDGET, "Sales, Forecast: 880"),
    ],
)
async def test_a_header_in_another_language_is_found(
    question: str, content: str, line: str, matcher: WordMatcher
) -> None:
    assert compute(question, evidences(content)) is None  # letters do not find it
    assert (await first_line(question, content, matcher)).startswith(line)


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Wie viele Fahrräder hat das Hardware testing?", TESTS),
        ("Wie viele Lizenzen hat das Hardware testing?", STEPS),
        ("Wie viele Schritte hat das Hardware testing?", STEPS),  # two tables are meant alike
        ("Wie viele Hotels gibt es in Großbritannien?", COUNTRIES),  # a value, not a header
        ("Wie viele Hunde gab es insgesamt?", PAGES),
        ("Gewicht pro Stück: WebSocket vs. MQTT?", OPTIONS),
        ("Hat WebSocket mehr Daten?", OPTIONS),
    ],
)
async def test_what_no_header_means_is_not_computed(question: str, content: str, matcher: WordMatcher) -> None:
    assert await first_line(question, content, matcher) == ""


@pytest.mark.parametrize(
    ("question", "content", "line"),
    [
        ("Welche Hotels gibt es in Frankreich?", HOTELS, "2 von 4 Einträgen in „Hotels“ (Country: France):"),
        ("Wie viele Hotels gibt es in den Niederlanden?", HOTELS, "1 von 4 Einträgen in „Hotels“ (Country: N"),
        ("Wie viele Tickets haben niedrige Priorität?", TICKETS, "2 von 4 Einträgen in „Tickets“ (Priority: Low):"),
        (
            "Welche Wren-Modelle führten zu einem schwarzen Bildschirm?",
            RESULTS,
            "1 von 4 Einträgen in „Upgrade results“ (Model: Wren, Result: Black screen):",
        ),
        (
            "Welche Wren-Modelle führten nicht zu einem schwarzen Bildschirm?",
            RESULTS,
            "1 Wert von „Model“ in „Upgrade results“ (Model: Wren, nicht Result: Black screen): Wren 7470",
        ),
        ("Welche Ziele betreffen den Schutz?", GOALS, "2 von 4 Einträgen in „Design goals“ („Protection“):"),
        ("Welche Ziele gibt es zur Kompatibilität?", GOALS, "1 von 4 Einträgen in „Design goals“ („Compatibility“):"),
        ("Wie viele Transporttreiber gibt es?", DRIVERS, "3 Einträge in „Transport drivers“:"),
        (
            "Wurden alle zwei Generationen der Prozessor-Architektur mit OEM getestet?",
            GENERATIONS,
            "Nein – 1 von 2 Werten von „GEN“ in „Tests“ (Vendor: OEM): KBL",
        ),
        ("Welche Gast VM OSs wurden getestet?", GUESTS, "2 Einträge in „Guest VM OSs under test“:"),
        ("Welche Gast VMs wurden getestet?", GUESTS, "2 Einträge in „Guest VM OSs under test“:"),
    ],
)
async def test_values_and_headings_in_another_language_are_found(
    question: str, content: str, line: str, matcher: WordMatcher
) -> None:
    assert (await first_line(question, content, matcher)).startswith(line)


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Welche Parts sind aus Glas?", PARTS),
        ("Welche Checks finden jährlich statt?", CHECKS),
        ("Welche Hotels gibt es in Großbritannien?", HOTELS),
        ("Welche Hotels gibt es in Deutschland?", HOTELS),
        ("Welche Hotels haben einen Parkplatz?", HOTELS),
        ("Welche Tickets haben hohe Priorität?", TICKETS),
        ("Welche Ziele gibt es zur Barrierefreiheit?", GOALS),
    ],
)
async def test_a_value_of_nearly_the_same_meaning_is_not_taken(
    question: str, content: str, matcher: WordMatcher
) -> None:
    assert await first_line(question, content, matcher) == ""


class _Unavailable:
    async def match_words(self, question: str, texts: object) -> WordMatches:
        raise EmbedderUnavailable("no model")


async def test_without_the_model_letters_bind_as_ever() -> None:
    assert await first_line("Wie viele Testfälle hat das Hardware testing?", TESTS, _Unavailable()) == ""
    assert (await first_line("Wie viele Test cases hat das Hardware testing?", TESTS, _Unavailable())).startswith("3 ")


WORDS = PROSE + write_table(
    ("Term", "Meaning"),
    (("Bogie", "The frame that carries the wheels"), ("Gauge", "The distance of the rails"), ("Spur", "A short track")),
    "",
).replace("<h2></h2>", "")


@pytest.mark.parametrize(
    ("title", "question"),
    [
        ("Dictionary of the railway industry", "Wie viele Eisenbahner haben wir?"),
        ("Handbook of the water supply", "Wie viele Wasserwagen haben wir?"),
        ("Lexicon of electric cars", "wie viele Autos haben wir"),
        ("Terms of the motor trade", "wie viele Elektromotoren haben wir"),
        ("Glossary of the printing industry", "Welche Drucker haben wir?"),
    ],
)
async def test_a_word_of_a_long_title_is_not_what_its_table_lists(
    title: str, question: str, matcher: WordMatcher
) -> None:
    for content, page in ((WORDS, title), (f"<h2>{title}</h2>{WORDS}", "Reading room")):
        found = await compute_clear_result(question, evidences(content, page), matcher)
        assert found is None


LIMITS = PROSE + write_table(
    ("Country", "Hotel per night", "Meals"),
    (("Netherlands", "165", "52"), ("Germany", "150", "46"), ("Belgium", "155", "48")),
    "Limits by country",
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wie hoch ist das Hotellimit in Deutschland?", "Germany, Hotel per night: 150"),
        ("Wie hoch ist das Hotellimit in den Niederlanden?", "Netherlands, Hotel per night: 165"),
        ("Wie hoch ist das Hotellimit in Österreich?", ""),
        ("Wie hoch ist das Hotellimit in Schweden?", ""),
    ],
)
async def test_a_value_of_the_column_that_it_matches_is_no_name_of_the_column(
    question: str, expected: str, matcher: WordMatcher
) -> None:
    assert await first_line(question, LIMITS, matcher) == expected


LEAVE = PROSE + write_table(
    ("Occasion", "Days"),
    (("Own wedding", "2"), ("Moving house", "1"), ("Birth of a child", "10"), ("Death of a parent", "5")),
    "Special leave",
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wie viele Tage bekomme ich für den Umzug?", "Moving house, Days: 1"),
        ("Wie viele Tage gibt es bei der Geburt?", "Birth of a child, Days: 10"),
        ("Wie viele freie Tage bekomme ich beim Umzug?", "Moving house, Days: 1"),
        ("Wie viele Tage pro Woche darf ich von zu Hause arbeiten?", ""),
        ("Wie viele Tage darf ich von zu Hause arbeiten?", ""),
        ("Wie viele Tage hat man bei der Geburt eines Enkels?", ""),
        ("Wie viele Tage vor der Geburt muss ich Bescheid sagen?", ""),
        ("Wie viele Tage pro Jahr gibt es beim Umzug?", ""),
        ("Wie viele Tage bleibt der Hund im Haus?", ""),
        ("Wie viele Tage dauert die Hochzeit der Chefin?", ""),
    ],
)
async def test_words_after_the_name_of_a_translated_row_may_make_it_another_thing(
    question: str, expected: str, matcher: WordMatcher
) -> None:
    assert await first_line(question, LEAVE, matcher) == expected


async def test_a_row_that_leaves_two_words_of_the_question_open_is_not_meant(matcher: WordMatcher) -> None:
    calls = PROSE + write_table(
        ("Call", "Outputs", "Description"),
        (
            ("get_rules", "string rules", "Gets the list of currently loaded rules."),
            ("clear_rules", "-", "Deletes all rules."),
            ("clear_policy", "-", "Deletes everything."),
        ),
        "Calls of the interface",
    )
    question = "Welcher Call löscht nur die Regeln, lässt die Variablen aber stehen?"
    assert "string rules" not in await first_line(question, calls, matcher)
