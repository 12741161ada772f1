from __future__ import annotations

from core.suggesting.suggester import leads_to
from tests.contracts.examples import indexed_page, turn


def test_a_question_leads_to_what_stands_in_front_on_the_page_of_the_very_first() -> None:
    found = turn(used=(indexed_page("1", ("a", "b")), indexed_page("2", ("c", "d")))).evidences
    one, two, other, last = [ranked.evidence.evidence_id for ranked in found]
    assert leads_to(found, one)
    assert leads_to(found, two)
    assert not leads_to(found, other), "among the first, but of another page"
    assert not leads_to((), last)
