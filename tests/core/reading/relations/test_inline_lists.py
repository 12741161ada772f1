"""Things that a sentence lists with their facts in brackets are rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.relations.inline_lists import find_inline_lists
from tests.core.reading.tables import compute, evidences

BELLS = "The tower is 11 metres high and has three bells: Trude (420 kg), Lotte (180 kg) and Pieps (35 kg). Book it."
ROOMS = "Die Räume heißen Gloriosa (12 Personen, Video), Pummerin (6 Personen, Video) und Bimmel (2 Personen)."


def found(text: str) -> list[tuple[str, list[str]]]:
    return [(introduction, [item.text for item in items]) for introduction, items in find_inline_lists(text)]


@pytest.mark.parametrize(
    ("text", "introduction", "items"),
    [
        (
            BELLS,
            "The tower is 11 metres high and has three bells:",
            ["Trude (420 kg)", "Lotte (180 kg)", "Pieps (35 kg)"],
        ),
        (
            "The canary towers are Utrecht Buurkerk (NL), the Hamburg workshop (DE), and the Ghent market hall (BE).",
            "The canary towers are",
            ["Utrecht Buurkerk (NL)", "the Hamburg workshop (DE)", "the Ghent market hall (BE)"],
        ),
    ],
)
def test_items_have_their_names_and_what_stands_before_them(text: str, introduction: str, items: list[str]) -> None:
    assert found(text) == [(introduction, items)]


@pytest.mark.parametrize(
    "text",
    [
        "Trude (420 kg) and Lotte (180 kg) are old.",
        "Ask Ada (HR). Then ask Ben (IT). Then ask Cem (legal).",
        "Restart it (twice), and if that does not help, call the night shift (ext. 120) or the workshop (ext. 7).",
    ],
)
def test_remarks_in_brackets_are_no_inline_list(text: str) -> None:
    assert found(text) == []


def test_amounts_are_kept_by_their_units_apart_from_other_facts() -> None:
    [(_, items)] = find_inline_lists(ROOMS)
    assert [(dict(item.amounts), item.others) for item in items] == [
        ({"Personen": "12 Personen"}, "Video"),
        ({"Personen": "6 Personen"}, "Video"),
        ({"Personen": "2 Personen"}, ""),
    ]


CONJUNCTIONS = {"and", "or", "und", "oder", "sowie"}  # separate items, also in a name
names = st.from_regex(r"[A-Z][a-z]{1,8}( [A-Z][a-z]{1,8}){0,2}", fullmatch=True).filter(
    lambda name: CONJUNCTIONS.isdisjoint(name.lower().split())
)
facts = st.from_regex(r"[a-z0-9]{1,9}(, [a-z0-9]{1,9}){0,2}", fullmatch=True)


@given(st.lists(st.tuples(names, facts), min_size=3, max_size=6), st.sampled_from([", ", ", and ", " und ", "; "]))
def test_whatever_the_names_and_facts_are_each_item_is_found(written: list[tuple[str, str]], separator: str) -> None:
    items = [f"{name} ({fact})" for name, fact in written]
    assert found(f"There are: {separator.join(items)}.") == [("There are:", items)]


@given(st.text(alphabet="A b(),;:.0kg\n", max_size=300))
def test_any_text_gives_items_as_they_stand_there(text: str) -> None:
    for _, items in found(text):
        assert all(" ".join(item.split()) in " ".join(text.split()) for item in items)


@pytest.mark.parametrize(
    ("question", "first", "rows"),
    [
        ("What is the heaviest bell of the tower?", "420 kg", ["Trude (420 kg)"]),
        ("How much heavier is Trude than Lotte?", "Difference of 240 kg", ["Trude (420 kg)", "Lotte (180 kg)"]),
    ],
)
def test_amounts_are_compared(question: str, first: str, rows: list[str]) -> None:
    computed = compute(question, evidences(f"<h2>Tower</h2><p>{BELLS}</p>", title="Workshop"))
    assert computed is not None
    headline, *lines = computed.answer.text.splitlines()
    assert first in headline
    assert lines == [f"- {row} [1]" for row in rows]


def test_items_are_chosen_by_their_facts() -> None:
    computed = compute("Wie viele Räume haben Video?", evidences(f"<h2>Räume</h2><p>{ROOMS}</p>", title="Büro"))
    assert computed is not None
    assert computed.answer.text.splitlines()[0] == "2 von 3 Einträgen in „Räume“ („Video“):"


def test_what_a_sentence_lists_is_not_counted_as_a_whole() -> None:
    legend = "<p>GEN - generation of the processor: SNB (Sandy Bridge), IVB (Ivy Bridge), HSW (Haswell)</p>"
    assert compute("How many generations of processors were tested?", evidences(legend, title="Testing")) is None
