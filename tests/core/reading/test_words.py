"""Words are the same noun in the singular and in the plural, in English and German."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.words import has_same_noun, is_form, is_marked_outdated, is_same_noun, split_words
from tests.core.reading.tables import compute, evidences

NOUNS = [
    *("country countries", "city cities", "company companies", "category categories", "boundary boundaries"),
    *("box boxes", "bus buses", "bus busses", "batch batches", "dish dishes", "process processes", "address addresses"),
    *("vendor vendors", "day days", "car cars", "key keys", "movie movies", "shelf shelves", "knife knives"),
    *("analysis analyses", "child children", "woman women", "index indices", "matrix matrices", "criterion criteria"),
    *("land länder", "land ländern", "stadt städte", "stadt städten", "raum räume", "raum räumen", "haus häuser"),
    *("gast gäste", "vertrag verträge", "buch bücher", "hof höfe", "rad räder", "standort standorte", "ort orte"),
    *("bundesland bundesländer", "besprechungsraum besprechungsräume", "hauptstadt hauptstädte", "hafen häfen"),
    *("garten gärten", "laden läden", "mitglied mitglieder", "bild bilder", "textfeld textfelder", "kind kindern"),
    *("firma firmen", "thema themen", "konto konten", "museum museen", "risiko risiken", "ergebnis ergebnisse"),
    *("kundin kundinnen", "tag tage", "weg wege", "büro büros", "gerät geräte", "abteilung abteilungen"),
    *(
        "werktag werktage",
        "büroraum büroräume",
        "gästehaus gästehäuser",
        "projektart projektarten",
        "drucker druckern",
        "test tests",
    ),
]
OTHERS = [
    *("test tester", "report reporter", "build builder", "fallen fällen", "schon schön", "drucken drücken"),
    *("city cited", "country county", "port porter", "own owner", "land landing", "ab abs"),
]


@pytest.mark.parametrize("pair", NOUNS)
def test_singular_and_plural_are_the_same_noun(pair: str) -> None:
    one, many = pair.split()
    assert is_same_noun(one, many)
    assert is_same_noun(many, one)
    assert has_same_noun(many, {"other", one})
    assert is_form(one, many)


@pytest.mark.parametrize("pair", OTHERS)
def test_other_words_are_other_nouns(pair: str) -> None:
    one, other = pair.split()
    assert not is_same_noun(one, other)
    assert not is_same_noun(other, one)


@given(st.text("abehilnorstuyzäöü", min_size=1, max_size=9), st.text("abehilnorstuyzäöü", min_size=1, max_size=9))
def test_being_the_same_noun_is_mutual(one: str, other: str) -> None:
    assert is_same_noun(one, one)
    assert is_same_noun(one, other) == is_same_noun(other, one)


CELLS = ("Foo", "Foo", "Bar", "Foo")


def write_runs(header: str) -> str:
    rows = "".join(f"<tr><td>r{at}</td><td>{cell}</td></tr>" for at, cell in enumerate(CELLS))
    return f"<p>All test runs of this year.</p><table><tr><th>Run</th><th>{header}</th></tr>{rows}</table>"


@pytest.mark.parametrize("pair", [pair for pair in NOUNS if pair not in {"kind kindern", "mitglied mitglieder"}])
@pytest.mark.parametrize("form", ["How many different {} are in the list?", "Which different {} are in the list?"])
def test_a_column_is_named_in_the_singular_and_in_the_plural(pair: str, form: str) -> None:
    one, many = (word.title() for word in pair.split())
    for header in (one, many):
        found = compute(form.format(many.lower()), evidences(write_runs(header), "Runs list"))
        assert found
        assert found.answer.text.split("\n")[0] == f"2 different values of “{header}” in “Runs list”: Foo, Bar"


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("welche kurse sind im mai", ["kurse", "mai"]),
        ("Welche Kurse sind im Mai oder März?", ["Kurse", "Mai", "März"]),
        ("Which courses are in May?", ["courses", "May"]),
        ("which courses may be cancelled", ["courses", "cancelled"]),
        ("drei oder vier Kurse", ["Kurse"]),
    ],
)
def test_a_month_is_a_content_word_and_the_verb_of_the_same_form_is_not(question: str, content: list[str]) -> None:
    assert [word.text for word in split_words(question) if word.is_content] == content


@pytest.mark.parametrize("month", ["Mai", "Juni", "Juli"])
def test_rows_are_selected_by_any_month(month: str) -> None:
    rows = "".join(
        f"<tr><td>{course}</td><td>{when}</td></tr>"
        for course, when in (("Löten", "Mai"), ("Drehen", "Juni"), ("Fräsen", "Mai"), ("Gießen", "Juli"))
    )
    found = compute(
        f"welche kurse sind im {month.lower()}",
        evidences(f"<table><tr><th>Kurs</th><th>Monat</th></tr>{rows}</table>", "Kurse"),
    )
    assert found
    shown = {course for course in ("Löten", "Drehen", "Fräsen", "Gießen") if course in found.answer.text}
    assert shown == {"Mai": {"Löten", "Fräsen"}, "Juni": {"Drehen"}, "Juli": {"Gießen"}}[month]


@pytest.mark.parametrize(
    ("title", "is_outdated"),
    [
        *(
            (title, True)
            for title in ("VPN (old, until 2024)", "Travel 2022 – OUTDATED", "Obsolete: VPN", "VPN | archived")
        ),
        *((title, True) for title in ("[deprecated] VPN", "OLD VPN", "Drucken (alt)", "Obsolete – VPN")),
        *((title, False) for title in ("Old town office", "Legacy API", "Alt text guide", "Former employees", "VPN")),
        *((title, False) for title in ("Old town: rooms", "Archived projects", "Migration: from the old VPN")),
        *(
            (title, False)
            for title in ("Onboarding (replaces the old list)", "Keyboard (Alt, Ctrl)", "API: legacy ends")
        ),
        ("VPN (outdated, see Remote access)", True),
    ],
)
def test_a_word_apart_from_a_name_says_that_a_page_no_longer_holds(title: str, is_outdated: bool) -> None:
    assert is_marked_outdated(title) is is_outdated
