"""Tables of labels with their values, such as the properties of a page: one thing with its fields."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.relations.relation import make_relations
from tests.core.reading.tables import compute, evidences

LABELS = ["Ticket", "Reporter", "Fitter", "Cost", "Customers affected", "Status", "Opened", "Nights"]


def make_properties(fields: dict[str, str]) -> str:
    rows = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in fields.items())
    return f"<table>{rows}</table><p>It was sealed on Monday.</p>"


LEAK = make_properties(
    {"Ticket": "AX-11", "Reporter": "Hanna Lind", "Fitter": "Marco Poli", "Cost": "300", "Customers affected": "58"}
)
HUT = make_properties(
    {"Kürzel": "BH-3", "Hüttenwart": "Lena Fuchs", "Schlafplätze": "24", "Zustand": "offen", "Total": "30"}
)


def answer(question: str, content: str, title: str) -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


@given(st.lists(st.sampled_from(LABELS), min_size=2, unique=True), st.data())
def test_the_fields_of_one_thing_are_one_row(labels: list[str], data: st.DataObject) -> None:
    values = st.sampled_from(["58", "Hanna Lind", "AX-11", "open", "7 days"])
    fields = {label: data.draw(values) for label in labels}
    found = evidences(make_properties(fields), "Leaking roof")
    [relation] = [each for each in make_relations(found) if each.kind == "table"]
    [row] = relation.rows
    assert dict(row.cells) == fields
    assert relation.total == 1
    assert len(relation.fields) == len(labels)


@given(st.lists(st.sampled_from(LABELS), min_size=2, unique=True), st.sampled_from(LABELS), st.booleans())
def test_fields_are_never_counted_or_listed(labels: list[str], asked: str, lists: bool) -> None:
    content = make_properties(dict.fromkeys(labels, "Hanna Lind"))
    beginning = "which" if lists else "how many"
    for subject in (asked.lower(), f"{asked.lower()}s", "tickets", "entries", "fields"):
        for rest in ("do we have", "are there", "are on the page of ticket AX-11"):
            assert "entries in" not in answer(f"{beginning} {subject} {rest}", content, "Ticket AX-11: leaking roof")


def test_a_table_with_one_column_has_a_row_for_each_thing() -> None:
    rows = "".join(f"<tr><td>{name}</td></tr>" for name in ("Trude", "Lotte", "Pieps"))
    table = f"<h2>Bells</h2><table><tr><th>Bell</th></tr>{rows}</table>"
    assert answer("How many bells do we have?", table, "Tower").startswith("3 entries")


def test_terms_that_are_explained_in_sentences_are_counted() -> None:
    terms = {
        name: f"The {name} is what the keeper lifts before the bell is rung again." for name in ("Yoke", "Clapper")
    }
    content = make_properties(terms)
    assert answer("How many terms are in the glossary of terms?", content, "Glossary of terms").startswith("2 entries")


@pytest.mark.parametrize(
    ("question", "content", "title", "said"),
    [
        ("how many customers were affected by AX-11", LEAK, "Leaking roof", "AX-11, Customers affected: 58"),
        ("how many customers were hit by ax-11", LEAK, "Leaking roof", "AX-11, Customers affected: 58"),
        ("how many customers did ticket AX-11 hit", LEAK, "Ticket AX-11", "Ticket AX-11, Customers affected: 58"),
        ("who is the fitter of AX-11", LEAK, "Leaking roof", "Marco Poli"),
        ("who was the reporter of ax-11?", LEAK, "Ticket AX-11: leaking roof", "Hanna Lind"),
        ("what is the cost of AX-11", LEAK, "Leaking roof", "AX-11, Cost: 300"),
        ("wie viele Schlafplätze hat BH-3", HUT, "Hütte am See", "BH-3, Schlafplätze: 24"),
        ("wie viele Schlafplätze hat die Hütte am See", HUT, "Hütte am See", "Hütte am See, Schlafplätze: 24"),
        ("wer ist der Hüttenwart von BH-3", HUT, "Hütte am See", "Lena Fuchs"),
    ],
)
def test_a_field_is_found_by_what_names_the_thing(question: str, content: str, title: str, said: str) -> None:
    found = compute(question, evidences(content, title))
    assert found is not None
    assert found.answer.text.splitlines()[0] == said
    value = said.rpartition(": ")[2]
    assert any(value in citation.quote for citation in found.answer.citations)
    assert len(found.answer.text.splitlines()) <= len(found.plan.relation.fields)  # only the fields asked for


@pytest.mark.parametrize(
    ("question", "content", "title"),
    [
        ("how many customers do we have", LEAK, "Leaking roof"),
        ("how many customers were hit by AX-12", LEAK, "Leaking roof"),
        ("how many customers were hit by AX-12", LEAK, "Ticket AX-11: leaking roof"),
        ("how many reporters are there for AX-11", LEAK, "Leaking roof"),
        ("who is the reporter", LEAK, "Leaking roof"),
        ("who is the reporter of AX-12", LEAK, "Leaking roof"),
        ("who is Marco Poli", LEAK, "Leaking roof"),
        ("who has the highest cost", LEAK, "Leaking roof"),
        ("which ticket has the highest cost", LEAK, "Leaking roof"),
        ("wie viele Hüttenwarte haben wir", HUT, "Hütte am See"),
        ("wie viele Schlafplätze haben wir", HUT, "Hütte am See"),
    ],
)
def test_a_field_is_no_answer_without_what_names_the_thing(question: str, content: str, title: str) -> None:
    assert answer(question, content, title) == ""


def test_two_things_with_the_same_field_are_told_apart() -> None:
    other = LEAK.replace("AX-11", "AX-12").replace("58", "9").replace("Hanna Lind", "Otto Kern")
    found = [*evidences(LEAK, "Leaking roof"), *evidences(other, "Broken lift", page_id="8")]
    for name, number, person in (("AX-11", "58", "Hanna Lind"), ("AX-12", "9", "Otto Kern")):
        count = compute(f"how many customers were hit by {name}", found)
        who = compute(f"who is the reporter of {name}", found)
        assert count is not None
        assert who is not None
        assert count.answer.text.startswith(f"{name}, Customers affected: {number}\n")
        assert who.answer.text.startswith(f"{person}\n")
    assert compute("how many tickets do we have", found) is None
    assert compute("who is the reporter", found) is None
