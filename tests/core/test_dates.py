from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dates import find_date
from core.i18n import message


@pytest.mark.parametrize(
    "text",
    [
        "2019-03-12",
        "on 2019-03-12T10:00:00Z",
        "12.03.2019",
        "am 12. 3. 2019",
        "12 March 2019",
        "12th of March, 2019",
        "Mar 12, 2019",
        "March 12th 2019",
        "12. März 2019",
        "12. Mär. 2019",
        "2019-13-45, then 12 March 2019",
    ],
)
def test_a_date_is_found_as_people_write_it(text: str) -> None:
    found = find_date(text)
    assert found
    assert found.day == date(2019, 3, 12)


@pytest.mark.parametrize("text", ["", "05/06/2016", "March 2019", "30 February 2019", "1.2.3.2019", "12 Marble 2019"])
def test_what_is_no_date_or_may_be_two_days_is_none(text: str) -> None:
    assert find_date(text) is None


def test_the_first_date_is_given_with_its_place() -> None:
    text = "from Mar 12, 2019 to 2020-01-01"
    found = find_date(text)
    assert found
    assert text[found.start : found.end] == "Mar 12, 2019"


@given(st.dates(min_value=date(1000, 1, 1)), st.sampled_from(["en", "de"]))
def test_a_date_in_a_message_is_read_back(day: date, language: str) -> None:
    written = message("{day}", day=day).render("de" if language == "de" else "en")
    found = find_date(written)
    assert found
    assert found.day == day


@given(st.text(alphabet="0123456789.- JanMärzofth,", max_size=200))
def test_any_text_is_searched_without_an_error(text: str) -> None:
    find_date(text)
