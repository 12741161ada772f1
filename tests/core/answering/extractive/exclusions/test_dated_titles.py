"""Pages whose titles differ only in a date: the one that the question names, or the newest."""

from collections.abc import Sequence

import pytest

from core.answering.extractive.exclusions.dated_titles import (
    asks_for_newest,
    find_current_title,
    leave_out_other_dates,
    split_title,
    write_day_as_in_title,
)
from core.answering.extractive.units import list_units
from core.model import RankedEvidence
from tests.core.answering.examples import evidence, ranked

TITLES = ("Meeting 2026-03-02", "Meeting 2026-03-09", "Meeting 2025-03-02", "Release plan 2025", "Release plan 2026")
PAGES = ranked(*(evidence(f"Of {title}.", title=title, page_id=title) for title in TITLES))


ROUNDS = ("Team-Runde 04.05.2026", "Team-Runde 18.05.2026", "Team-Runde 08.06.2026", "Team-Runde 04.05.2025")
MINUTES = ranked(
    *(evidence(f"Of {title}.", title=title, page_id=title) for title in (*ROUNDS, "Release 8.5.4", "Release 8.5.3"))
)


def kept(question: str, pages: Sequence[RankedEvidence] = PAGES) -> list[str]:
    return [unit.evidence.page_id for unit in leave_out_other_dates(question, list_units(pages))]


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
    ("question", "meant"),
    [
        ("wer war bei der team-runde im mai dabei?", ROUNDS[:2]),
        ("Who was in the May team round? I mean the one in May.", ROUNDS[:2]),
        ("who came to the meeting in june?", ROUNDS[2:3]),
        ("was wurde am 4.5. beschlossen?", ROUNDS[:1]),
        ("was wurde am 18.05 beschlossen?", ROUNDS[1:2]),
        ("was wurde am 4. mai beschlossen?", ROUNDS[:1]),
        ("What was decided on 8 June?", ROUNDS[2:3]),
        ("What was decided on June 8th?", ROUNDS[2:3]),
        ("was wurde am 4.5.2025 beschlossen?", ROUNDS[3:]),
        ("was wurde am 5.5. beschlossen?", ROUNDS),
        ("was wurde vor dem 8.6. beschlossen?", ROUNDS),
        ("was wurde im mai und im juni beschlossen?", ROUNDS),
        ("may I come to the team round?", ROUNDS),
        ("what is new in version 4.5?", ROUNDS),
    ],
)
def test_a_day_or_month_without_a_year_is_that_of_the_newest_year_in_the_titles(
    question: str, meant: tuple[str, ...]
) -> None:
    assert kept(question, MINUTES) == [*meant, "Release 8.5.4", "Release 8.5.3"]


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("was wurde am 4.5. beschlossen?", "was wurde am 04.05.2026 beschlossen?"),
        ("was wurde am 4. mai beschlossen?", "was wurde am 04.05.2026 beschlossen?"),
        ("What was decided on June 8th?", "What was decided on 08.06.2026?"),
        ("What was decided on 7 June?", "What was decided on 7 June?"),
        ("was wurde im mai beschlossen?", "was wurde im mai beschlossen?"),
        ("was wurde vor dem 4.5. beschlossen?", "was wurde vor dem 4.5. beschlossen?"),
        ("was wurde am 4.5.2025 beschlossen?", "was wurde am 4.5.2025 beschlossen?"),
    ],
)
def test_a_day_is_written_as_the_newest_title_with_it_writes_it(question: str, written: str) -> None:
    assert write_day_as_in_title(question, ROUNDS) == written


def test_a_day_of_different_years_in_different_titles_stays_as_it_is() -> None:
    question = "was wurde am 4.5. beschlossen?"
    assert write_day_as_in_title(question, (*ROUNDS, "Budget-Runde 04.05.2024")) == question


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
    [
        *("VPN setup (old, until 2024)", "Obsolete: VPN setup", "VPN setup – archived", "[deprecated] VPN setup"),
        *("Copy of VPN setup", "Kopie von VPN setup", "VPN setup [ DRAFT ] [ of Ann ]", "Draft: VPN setup"),
    ],
)
def test_a_title_that_says_that_its_page_is_out_of_date_names_the_current_one(title: str) -> None:
    assert find_current_title(title) == ("vpn", "setup")


def test_a_title_without_such_a_word_names_no_other_page() -> None:
    assert find_current_title("VPN setup (2024)") == ()
    assert find_current_title("Draft beer orders") == ()
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
        ("What did the last meeting in May decide?", True),
        ("What did the meeting decide?", False),
    ],
)
def test_the_newest_is_asked_for_by_a_superlative_without_a_date(question: str, asks: bool) -> None:
    assert asks_for_newest(question) is asks
