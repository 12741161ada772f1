"""Pages whose titles differ only in a date: the one that the question names, or the newest."""

import pytest

from core.answering.extractive.dated_titles import (
    asks_for_newest,
    find_current_title,
    leave_out_other_dates,
    split_title,
)
from core.answering.extractive.units import list_units
from tests.core.answering.examples import evidence, ranked

TITLES = ("Meeting 2026-03-02", "Meeting 2026-03-09", "Meeting 2025-03-02", "Release plan 2025", "Release plan 2026")
PAGES = ranked(*(evidence(f"Of {title}.", title=title, page_id=title) for title in TITLES))


def kept(question: str) -> list[str]:
    return [unit.evidence.page_id for unit in leave_out_other_dates(question, list_units(PAGES))]


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("What was decided in the meeting on 2 March 2026?", {"Meeting 2026-03-09", "Meeting 2025-03-02"}),
        ("Was wurde am 9. März 2026 beschlossen?", {"Meeting 2026-03-02", "Meeting 2025-03-02"}),
        ("What was decided in March 2025?", {"Meeting 2026-03-02", "Meeting 2026-03-09"}),
        ("What was planned for 2025?", {"Meeting 2026-03-02", "Meeting 2026-03-09", "Release plan 2026"}),
        ("What was decided before 2 March 2026?", set()),
        ("What was decided on 3 March 2026?", set()),
        ("What was decided?", set()),
    ],
)
def test_a_question_with_a_date_is_answered_by_the_page_with_it_in_its_title(question: str, left_out: set[str]) -> None:
    assert kept(question) == [title for title in TITLES if title not in left_out]


@pytest.mark.parametrize(
    ("title", "stamp"),
    [
        ("Community call, 18 August 2016", (2016, 8, 18)),
        ("Protokoll 18.08.2016", (2016, 8, 18)),
        ("Report May 2026", (2026, 5)),
        ("Report 2026-05", (2026, 5)),
        ("Plan 2026", (2026,)),
        ("Release 8.0.1", (8, 0, 1)),
        ("Plan", ()),
    ],
)
def test_a_title_is_ordered_by_its_date_or_its_numbers(title: str, stamp: tuple[int, ...]) -> None:
    assert split_title(title)[1] == stamp


@pytest.mark.parametrize(
    "title",
    ["VPN setup (old, until 2024)", "Obsolete: VPN setup", "VPN setup – archived", "[deprecated] VPN setup"],
)
def test_a_title_that_says_that_its_page_is_out_of_date_names_the_current_one(title: str) -> None:
    assert find_current_title(title) == ("vpn", "setup")


def test_a_title_without_such_a_word_names_no_other_page() -> None:
    assert find_current_title("VPN setup (2024)") == ()
    assert find_current_title("Drucken (veraltet)") == ("drucken",)
    assert find_current_title("Alt: Drucken (Etage 2)") == ("drucken", "etage", "2")


def test_titles_that_differ_only_in_the_date_are_alike() -> None:
    assert split_title("Call 2 March 2026")[0] == split_title("Call 2026-04-11")[0] == split_title("Call May 2025")[0]
    assert split_title("Call 2026")[0] != split_title("Plan 2026")[0]


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What did the latest meeting decide?", True),
        ("Was wurde in der letzten Sitzung beschlossen?", True),
        ("What did the last meeting of 2025 decide?", False),
        ("What did the meeting decide?", False),
    ],
)
def test_the_newest_is_asked_for_by_a_superlative_without_a_date(question: str, asks: bool) -> None:
    assert asks_for_newest(question) is asks
