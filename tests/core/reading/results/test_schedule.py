"""Questions for what is at a time: this week, today, next, on a day."""

from __future__ import annotations

from datetime import date

import pytest

from tests.core.reading.tables import compute, evidences
from tests.core.reading.test_days import write_table

SUNDAY = date(2026, 11, 29)
ROTA = write_table(
    ("Week", "Primary", "Backup", "Notes"),
    ("16–22 Nov 2026", "Tom Brandt", "Priya Nair", ""),
    ("23–29 Nov 2026", "Priya Nair", "Ines Duarte", "Swapped with Jonas"),
    ("30 Nov – 6 Dec 2026", "Jonas Feld", "Tom Brandt", ""),
    ("7–13 Dec 2026", "Ines Duarte", "Priya Nair", ""),
)
BEREITSCHAFT = write_table(
    ("KW", "Zeitraum", "Name", "Vertretung"),
    ("47", "16.11.–22.11.", "Mira Sand", "Olaf Petri"),
    ("48", "23.11.–29.11.", "Olaf Petri", "Jens Kallweit"),
    ("49", "30.11.–06.12.", "Jens Kallweit", "Dana Voss"),
)
RELEASES = write_table(
    ("Version", "Release date", "Manager"),
    ("4.9", "2026-11-10", "Ada"),
    ("4.10", "2026-12-08", "Ben"),
    ("5.0", "2027-01-19", "Ada"),
)
WINDOWS = write_table(
    ("System", "From", "To"),
    ("File server", "2026-11-28", "2026-11-29"),
    ("VPN", "2026-12-05", "2026-12-05"),
    ("Mail", "2026-12-12", "2026-12-13"),
)
CONTRACTS = write_table(
    ("Vendor", "Contract until"),
    ("Oldbyte", "2026-01-31"),
    ("Signwell", "2026-12-15"),
    ("Mailvane", "2026-12-31"),
)
DEVICES = write_table(("Device", "Next inspection"), ("FFZ-01", "15.04.2026"), ("FFZ-02", "15.04.2027"))


def answer(question: str, content: str, title: str, day: date | None = SUNDAY) -> str:
    found = compute(question, evidences(content, title), day)
    return found.answer.text.partition("\n")[0] if found else ""


@pytest.mark.parametrize(
    ("question", "first_line"),
    [
        ("who is on call this week", "Primary: Priya Nair · Backup: Ines Duarte (23–29 Nov 2026)"),
        ("who's on call today?", "Primary: Priya Nair · Backup: Ines Duarte (23–29 Nov 2026)"),
        ("who is on call tomorrow", "Primary: Jonas Feld · Backup: Tom Brandt (30 Nov – 6 Dec 2026)"),
        ("Who is on call next week?", "Primary: Jonas Feld · Backup: Tom Brandt (30 Nov – 6 Dec 2026)"),
        ("who is the backup this week", "Backup: Ines Duarte (23–29 Nov 2026)"),
        ("who is the deputy this week", "Backup: Ines Duarte (23–29 Nov 2026)"),
        ("who's primary on december 9", "Primary: Ines Duarte (7–13 Dec 2026)"),
        ("who was on call on 17 nov", "Primary: Tom Brandt · Backup: Priya Nair (16–22 Nov 2026)"),
        ("who is on call in week 49", "Primary: Jonas Feld · Backup: Tom Brandt (30 Nov – 6 Dec 2026)"),
        (
            "who is on call next",
            "Next after 29 November 2026: Primary: Jonas Feld · Backup: Tom Brandt (30 Nov – 6 Dec 2026)",
        ),
        ("who is on call", "On 29 November 2026: Primary: Priya Nair · Backup: Ines Duarte (23–29 Nov 2026)"),
        ("who was on call last month", ""),
    ],
)
def test_the_row_at_the_time_is_the_answer(question: str, first_line: str) -> None:
    found = answer(question, ROTA, "Platform on-call rota")
    assert found.removesuffix(" [1]") == first_line or (not first_line and found.startswith("No entry"))


@pytest.mark.parametrize(
    ("question", "first_line"),
    [
        (
            "wer hat diese woche rufbereitschaft",
            "KW: 48 · Name: Olaf Petri · Vertretung: Jens Kallweit (23.11.–29.11.)",
        ),
        ("wer vertritt heute in der rufbereitschaft", "Vertretung: Jens Kallweit (23.11.–29.11.)"),
        ("wer hat am 2.12. rufbereitschaft", "KW: 49 · Name: Jens Kallweit · Vertretung: Dana Voss (30.11.–06.12.)"),
        (
            "wer hat als nächstes rufbereitschaft",
            "Als Nächstes nach dem 29. November 2026: KW: 49 · Name: Jens Kallweit · Vertretung: Dana Voss"
            " (30.11.–06.12.)",
        ),
        (
            "wer hat diese woche in kw 47 rufbereitschaft",
            "Zeitraum: 16.11.–22.11. · Name: Mira Sand · Vertretung: Olaf Petri (KW 47)",
        ),
        ("wer hat in kw 52 rufbereitschaft", ""),
    ],
)
def test_german_questions(question: str, first_line: str) -> None:
    found = answer(question, BEREITSCHAFT, "Rufbereitschaft Netzwerk")
    assert found == first_line or (not first_line and found.startswith("Kein Eintrag"))


@pytest.mark.parametrize(
    ("question", "first_line"),
    [
        ("what is the next release", "Next after 29 November 2026: Version: 4.10 · Manager: Ben (2026-12-08)"),
        ("when is the next release", "Next after 29 November 2026: Version: 4.10 · Manager: Ben (2026-12-08)"),
        ("which releases are coming up", "2 of 3 entries in “Release calendar” are after 29 November 2026:"),
        ("what was the last release", "Last until 29 November 2026: Version: 4.9 · Manager: Ada (2026-11-10)"),
        ("what was the next release of the installer", ""),
    ],
)
def test_the_next_one_is_the_first_after_today(question: str, first_line: str) -> None:
    assert answer(question, RELEASES, "Release calendar") == first_line


def test_the_day_of_the_next_one_counts_where_it_is_a_single_day() -> None:
    line = answer("what is the next release", RELEASES, "Release calendar", date(2026, 12, 8))
    assert line.endswith("Version: 4.10 · Manager: Ben (2026-12-08)")


def test_after_the_last_one_nothing_is_next() -> None:
    line = answer("what is the next release", RELEASES, "Release calendar", date(2027, 3, 1))
    assert line == "No entry in “Release calendar” is after 1 March 2027. [1]"


@pytest.mark.parametrize(
    ("question", "first_line"),
    [
        ("which system is under maintenance today", "System: File server (2026-11-28 – 2026-11-29)"),
        ("is there maintenance on december 12", "Yes – System: Mail (2026-12-12 – 2026-12-13)"),
        ("is there maintenance on december 20", "No – No entry in “Maintenance windows” is for 20 December 2026. [1]"),
        (
            "what is the next maintenance",
            "Next after 29 November 2026: System: VPN (2026-12-05 – 2026-12-05)",
        ),
    ],
)
def test_two_columns_say_from_when_to_when(question: str, first_line: str) -> None:
    assert answer(question, WINDOWS, "Maintenance windows") == first_line


def test_verbs_of_an_end_mean_the_column_of_the_end() -> None:
    line = answer("which vendor contract expires next", CONTRACTS, "Vendors")
    assert line == "Next after 29 November 2026: Vendor: Signwell (2026-12-15)"


HOLIDAYS = write_table(
    ("Anlass", "Zeitraum"), ("Betriebsferien Winter", "24.12.2026 – 03.01.2027"), ("Ostermontag", "29.03.2027")
)
SPRINTS = write_table(
    ("Sprint", "Start", "End"), ("Sprint 42", "2026-11-16", "2026-11-29"), ("Sprint 43", "2026-11-30", "2026-12-11")
)
PEOPLE = write_table(
    ("Name", "Location", "Start date"), ("Anna", "Berlin", "2019-04-01"), ("Kemal", "Porto", "2016-09-15")
)


@pytest.mark.parametrize(
    ("question", "content", "title", "first_line"),
    [
        (
            "which contracts have expired",
            CONTRACTS,
            "Vendors",
            "1 of 3 entries in “Vendors” is before 29 November 2026:",
        ),
        (
            "what is the current sprint",
            SPRINTS,
            "Sprints",
            "On 29 November 2026: Sprint: Sprint 42 (2026-11-16 – 2026-11-29)",
        ),
        ("what is the current release", RELEASES, "Releases", ""),  # a release does not last
        (
            "ist am 28.12. betriebsferien?",
            HOLIDAYS,
            "Feiertage",
            "Ja – Anlass: Betriebsferien Winter (24.12.2026 – 03.01.2027)",
        ),
        (
            "was ist der nächste feiertag",
            HOLIDAYS,
            "Feiertage",
            "Als Nächstes nach dem 29. November 2026: Anlass: Betriebsferien Winter (24.12.2026 – 03.01.2027)",
        ),
        ("ist am 28.11. betriebsferien?", HOLIDAYS, "Feiertage", ""),
        ("who is on vacation today", PEOPLE, "Team directory", ""),
    ],
)
def test_what_lasts_now_and_what_is_over(question: str, content: str, title: str, first_line: str) -> None:
    assert answer(question, content, title) == first_line


def test_a_header_with_next_is_not_the_next_row() -> None:
    assert "FFZ-02" not in answer("wann ist die next inspection von FFZ-01", DEVICES, "Devices")


@pytest.mark.parametrize(
    "question", ["who is on call this week?", "Wer hat heute Call?", "who is on call on 12 December"]
)
def test_a_table_whose_rows_only_have_a_word_of_the_question_does_not_say_that_there_is_none(question: str) -> None:
    drills = write_table(
        ("Runbook", "Kept by", "Drill"), ("On-call handbook", "Ada", "2027-01-19"), ("Restore", "Ben", "2027-02-02")
    )
    assert answer(question, drills, "Operations") == ""


def test_without_the_day_of_the_question_nothing_is_counted_from_today() -> None:
    assert answer("who is on call this week", ROTA, "Platform on-call rota", None) == ""
