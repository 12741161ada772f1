"""What the indexes hold of an evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.evidence.contextualise import ContextMode
from core.indexing.index_entries import make_access_id, make_entry
from core.model import Context, Evidence

EVIDENCE = Evidence("id1", "7", "ENG", "passage", 0, "Text.", Context("Title", ("H1", "H2"), "Before.", "After."), "")


def test_the_entry_holds_text_and_context_in_its_fields() -> None:
    entry = make_entry(EVIDENCE, "").entry
    assert (entry.space, entry.access, entry.title, entry.heading) == ("ENG", "", "Title", "H1 > H2")
    assert (entry.text, entry.surroundings) == ("Text.", "Before.\nAfter.")
    assert entry.key.startswith("id1-")


@pytest.mark.parametrize(
    ("mode", "fields"),
    [
        ("NONE", ("", "", "")),
        ("TTL", ("Title", "", "")),
        ("HDR", ("", "H1 > H2", "")),
        ("BEF", ("", "", "Before.")),
        ("AFT", ("", "", "After.")),
    ],
)
def test_a_mode_leaves_the_other_fields_empty(mode: ContextMode, fields: tuple[str, str, str]) -> None:
    entry = make_entry(EVIDENCE, "", mode).entry
    assert (entry.title, entry.heading, entry.surroundings) == fields


def test_whatever_the_index_holds_is_in_the_key() -> None:
    context = EVIDENCE.context
    others = [
        make_entry(EVIDENCE, "abcd"),
        make_entry(EVIDENCE, "", "TTL"),
        make_entry(replace(EVIDENCE, text="Other."), ""),
        make_entry(replace(EVIDENCE, space="OPS"), ""),
        make_entry(replace(EVIDENCE, context=replace(context, after="Then.")), ""),
        make_entry(replace(EVIDENCE, context=replace(context, heading_path=("H1",))), ""),
    ]
    assert len({make_entry(EVIDENCE, "").entry.key, *(other.entry.key for other in others)}) == 7


def test_what_the_index_does_not_hold_changes_neither_key_nor_hash() -> None:
    moved = replace(EVIDENCE, ordinal=9, url="https://x.org/y", parts=("Text.",))
    assert make_entry(moved, "").entry == make_entry(EVIDENCE, "").entry
    assert make_entry(moved, "").text_hash == make_entry(EVIDENCE, "").text_hash


def test_readers_change_the_key_but_not_what_is_embedded() -> None:
    assert make_entry(EVIDENCE, "abcd").text_hash == make_entry(EVIDENCE, "").text_hash
    assert make_entry(EVIDENCE, "", "NONE").text_hash != make_entry(EVIDENCE, "").text_hash


def test_a_lone_surrogate_can_be_hashed() -> None:
    assert make_entry(replace(EVIDENCE, text="a\ud800"), "").entry.key


ANN, HR = frozenset({"user:ann", "user:bob"}), frozenset({"group:hr"})


def test_an_open_page_has_no_access_id() -> None:
    assert make_access_id(()) == ""


def test_the_same_readers_have_the_same_id_in_any_order() -> None:
    assert make_access_id((ANN, HR)) == make_access_id((HR, ANN)) == make_access_id((HR, ANN, HR))
    assert len(make_access_id((ANN,))) == 16


def test_other_readers_have_another_id() -> None:
    groupings = [(ANN,), (HR,), (ANN, HR), (ANN | HR,), (frozenset(),), (frozenset({"user:ann,user:bob"}),)]
    assert len({make_access_id(grouping) for grouping in groupings}) == len(groupings)
