from __future__ import annotations

from core.retrieval.access import access_id

ANN, HR = frozenset({"user:ann", "user:bob"}), frozenset({"group:hr"})


def test_an_open_page_has_no_access_id() -> None:
    assert access_id(()) == ""


def test_the_same_readers_have_the_same_id_in_any_order() -> None:
    assert access_id((ANN, HR)) == access_id((HR, ANN)) == access_id((HR, ANN, HR))
    assert len(access_id((ANN,))) == 16


def test_other_readers_have_another_id() -> None:
    groupings = [(ANN,), (HR,), (ANN, HR), (ANN | HR,), (frozenset(),), (frozenset({"user:ann,user:bob"}),)]
    assert len({access_id(grouping) for grouping in groupings}) == len(groupings)
