"""The noun for the rows in a compound of the title, codes in lower case, and verbs of an end."""

from __future__ import annotations

from datetime import date

import pytest

from tests.core.reading.tables import compute, evidences
from tests.core.reading.test_days import write_table

SERVERS = write_table(
    ("Name", "Betriebssystem", "In Betrieb seit"),
    ("hb-app-01", "Debian 12", "14.02.2023"),
    ("ol-file-01", "Windows Server 2016", "11.09.2016"),
    ("ol-bak-01", "Debian 10", "03.05.2017"),
)
STORES = write_table(("Kürzel", "Ort"), ("K1", "Kassel Nord"), ("K2", "Kassel Süd"), ("QM", "Büro"))
CUSTOMERS = write_table(
    ("Kunde", "Lager", "Vertrag bis"),
    ("Vitaflor", "K1", "31.12.2027"),
    ("Kleidsam", "K2", "30.06.2027"),
    ("Alpenmilch", "K1", "31.03.2028"),
)
INCIDENTS = write_table(("Incident", "Date"), ("INC-1", "2025-12-01"), ("INC-2", "2026-08-19"), ("INC-3", "2026-11-03"))


def answer(question: str, content: str, title: str) -> str:
    found = compute(question, evidences(content, title), date(2026, 11, 29))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("wie viele server haben wir", "3 "),
        ("welche server sind älter als 2018", "2 von 3"),
        ("welche server gibt es", "3 "),
    ],
)
@pytest.mark.parametrize("title", ["Serverliste", "Serverübersicht", "Server"])
def test_a_noun_in_a_compound_of_the_title_selects_no_rows(question: str, count: str, title: str) -> None:
    assert answer(question, SERVERS, title).startswith(count)


@pytest.mark.parametrize("code", ["k1", "K1"])
def test_a_code_in_lower_case_is_the_same_code(code: str) -> None:
    content = f"<h2>Lager</h2>{STORES}<h2>Kunden</h2>{CUSTOMERS}"
    assert answer(f"welche kunden sind in {code}", content, "Übersicht").startswith("2 von 3 Einträgen in „Kunden“")


@pytest.mark.parametrize("question", ["welche verträge laufen 2027 aus", "welche kundenverträge enden 2027"])
def test_what_ends_in_a_year_has_its_end_there(question: str) -> None:
    assert answer(question, CUSTOMERS, "Kunden").startswith("2 von 3 Einträgen in „Kunden“ (Vertrag bis: 2027)")


def test_this_year_is_counted_from_the_day_of_the_question() -> None:
    assert answer("how many incidents this year", INCIDENTS, "Incident log").startswith("2 of 3 entries")
    assert answer("how many incidents were there last year?", INCIDENTS, "Incident log").startswith("1 of 3 entries")
