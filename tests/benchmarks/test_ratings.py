"""The pages that the network of ratings is fitted to."""

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.ratings.pages import RatedPage, read_pages
from core.answering.extractive.units import list_unit_texts
from tests.core.reading.plans.test_binding import write_table
from tests.core.reading.tables import evidences


@pytest.fixture(scope="module")
def pages() -> list[RatedPage]:
    return read_pages()


def test_every_answer_is_a_unit_of_its_page(pages: list[RatedPage]) -> None:
    for page in pages:
        for question in page.questions:
            assert question.text
            assert len(set(question.answers)) == len(question.answers)
            assert all(0 <= answer < len(page.units) for answer in question.answers)


def test_units_are_written_as_extraction_writes_them(tmp_path: Path) -> None:
    page = {"title": "Rooms", "language": "en", "questions": []}
    units = [
        ["Seats", "r", "Room: Heron; Seats: 4"],
        ["Seats", "r", "Room: Plover; Seats: 8"],
        ["Rules", "i", "No food"],
    ]
    (tmp_path / "rooms.jsonl").write_text(json.dumps({**page, "units": units}), "utf-8")
    table = write_table(("Room", "Seats"), (("Heron", "4"), ("Plover", "8")), "")
    found = evidences(f"<h2>Seats</h2>{table}<h2>Rules</h2><ul><li>No food</li></ul>", "Rooms")
    expected = [text for ranked in found for text in list_unit_texts(ranked.evidence)]
    assert [unit.whole for unit in read_pages(tmp_path)[0].units] == expected


def test_the_questions_are_in_both_languages_and_some_have_no_answer(pages: list[RatedPage]) -> None:
    count = Counter(question.language for page in pages for question in page.questions)
    assert min(count["en"], count["de"]) > 0.4 * count.total()
    unanswered = sum(not question.answers for page in pages for question in page.questions)
    assert 0.1 < unanswered / count.total() < 0.2
