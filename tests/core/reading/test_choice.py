"""Which of two named things has the larger or smaller value: "what is cheaper, X or Y"."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences


def _table(heading: str, header: str, *rows: str) -> str:
    head = "".join(f"<th>{cell}</th>" for cell in header.split("|"))
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row.split('|'))}</tr>" for row in rows)
    return f"<h2>{heading}</h2><table><tr>{head}</tr>{body}</table>"


DEVICES = _table("Geräte", "Gerät|Preis", "Monitor|289 €", "Headset|79,90 €", "Tastatur|79,90 €", "Kabel|0,90 €")
CUSTOMERS = _table(
    "Kunden", "Kunde|Ort|Umsatz", "Alpenmilch|Linz|1.234.500,50 €", "Vitaflor|Graz|980.000 €", "Nordsaft|Kiel|10.000 €"
)
TRAVEL = _table("Reisekosten", "Land|Hotellimit|Tagegeld", "Polen|90 €|45 €", "Österreich|120 €|40 €")
JOBS = _table("Jobs", "Job|Duration|Speed|Cast", "Import|30 min|900|2026-03-01", "Export|2 h|100|12 May 1921")
BELLS = _table(
    "The weights of the bells in the tower", "Bell|Weight when it was cast", "Martha|1.500 kg", "Klara|900 kg",
    "Hanna|1500 g",
)  # fmt: skip
WEIGHTS = _table("Glocken", "Glocke|Gewicht|Alter", "Martha|1.500 kg|40", "Klara|900 kg|90")


def answer(question: str, content: str) -> str:
    found = compute(question, evidences(content, "Einkauf"))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "content", "headline", "other"),
    [
        ("was ist teurer, monitor oder headset?", DEVICES, "Monitor – Preis: 289 € (Headset: 79,90 €)", "Headset"),
        ("Was ist günstiger: Headset oder Kabel?", DEVICES, "Kabel – Preis: 0,90 € (Headset: 79,90 €)", "Headset"),
        ("Ist der Monitor teurer oder das Headset?", DEVICES, "Monitor – Preis: 289 €", "Headset"),
        ("Was kostet mehr, Headset oder Monitor?", DEVICES, "Monitor – Preis: 289 €", "Headset"),
        ("Welches Gerät hat den höheren Preis, Headset oder Monitor?", DEVICES, "Monitor – Preis: 289 €", "Headset"),
        ("which is more expensive, the monitor or the headset?", DEVICES, "Monitor – Preis: 289 €", "Headset"),
        ("is the monitor or the headset cheaper?", DEVICES, "Headset – Preis: 79,90 €", "Monitor"),
        ("What costs less, the headset or the monitor?", DEVICES, "Headset – Preis: 79,90 €", "Monitor"),
        ("wer macht mehr umsatz, alpenmilch oder vitaflor?", CUSTOMERS, "Alpenmilch – Umsatz: 1.234.500,50 €", "Vita"),
        ("Wer hat weniger, Alpenmilch oder Vitaflor?", CUSTOMERS, "Vitaflor – Umsatz: 980.000 €", "Alpenmilch"),
        ("wo ist das hotellimit höher, polen oder österreich?", TRAVEL, "Österreich – Hotellimit: 120 €", "Polen"),
        ("Wo ist das Tagegeld höher, Polen oder Österreich?", TRAVEL, "Polen – Tagegeld: 45 €", "Österreich"),
        ("Which job is faster, Import or Export?", JOBS, "Import – Duration: 30 min (Export: 2 h)", "Export"),
        ("Which job is older, Import or Export?", JOBS, "Export – Cast: 12 May 1921", "Import"),
        ("Which job has more speed: Export or Import?", JOBS, "Import – Speed: 900", "Export"),
    ],
)
def test_the_larger_or_smaller_of_two_comes_first(question: str, content: str, headline: str, other: str) -> None:
    first, one, two = answer(question, content).splitlines()
    assert first.startswith(headline)
    assert headline.split(" – ")[0] in one
    assert other in two


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        (
            "Was ist teurer, Headset oder Tastatur?",
            "Kein Unterschied bei „Preis“: 79,90 € (Headset), 79,90 € (Tastatur)",
        ),
        ("Is Tastatur or Headset cheaper?", "No difference in “Preis”: 79,90 € (Tastatur), 79,90 € (Headset)"),
    ],
)
def test_equal_values_are_reported(question: str, headline: str) -> None:
    assert answer(question, DEVICES).splitlines()[0] == headline


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Was ist teurer, Monitor oder Maus?", DEVICES),  # there is no mouse
        ("Was ist teurer, Monitor, Headset oder Maus?", DEVICES),
        ("Was ist teurer, Monitor, Headset oder Kabel?", DEVICES),
        ("Was ist schwerer, Monitor oder Headset?", DEVICES),  # nothing measures it
        ("Was ist in Graz teurer, Monitor oder Headset?", DEVICES),
        ("Was ist nicht teurer, Monitor oder Headset?", DEVICES),
        ("Ist der Monitor teurer als Headset oder Tastatur?", DEVICES),
        ("Gibt es etwas Günstigeres, Monitor oder Headset?", DEVICES),
        ("Should we buy more of Monitor or Headset?", DEVICES),
        ("Which job is faster by speed, Import or Export?", JOBS.replace("Duration", "Note").replace(" min", "x")),
        ("Welche Glocke hat das ältere Alter, Martha oder Klara?", WEIGHTS),  # an older thing has the larger age
        ("Which is heavier, Martha or Klara?", BELLS),  # may be 1.5 kg
        ("Which is heavier, Martha or Hanna?", BELLS),
    ],
)
def test_what_may_be_another_choice_is_not_computed(question: str, content: str) -> None:
    assert " – " not in answer(question, content)


def test_two_tables_that_choose_differently_answer_nothing() -> None:
    other = DEVICES.replace("289 €", "9 €").replace("Geräte", "Geräte in Graz")
    assert " – " not in answer("Was ist teurer, Monitor oder Headset?", DEVICES + other)
