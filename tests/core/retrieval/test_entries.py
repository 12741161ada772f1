"""What the indexes hold of an evidence."""

from dataclasses import replace

import pytest

from core.evidence.contextualise import ContextMode
from core.model import Context, Evidence
from core.retrieval.entries import indexed

EVIDENCE = Evidence("id1", "7", "ENG", "passage", 0, "Text.", Context("Title", ("H1", "H2"), "Before.", "After."), "")


def test_the_entry_holds_text_and_context_in_its_fields() -> None:
    entry = indexed(EVIDENCE, "").entry
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
    entry = indexed(EVIDENCE, "", mode).entry
    assert (entry.title, entry.heading, entry.surroundings) == fields


def test_whatever_the_index_holds_is_in_the_key() -> None:
    context = EVIDENCE.context
    others = [
        indexed(EVIDENCE, "abcd"),
        indexed(EVIDENCE, "", "TTL"),
        indexed(replace(EVIDENCE, text="Other."), ""),
        indexed(replace(EVIDENCE, space="OPS"), ""),
        indexed(replace(EVIDENCE, context=replace(context, after="Then.")), ""),
        indexed(replace(EVIDENCE, context=replace(context, heading_path=("H1",))), ""),
    ]
    assert len({indexed(EVIDENCE, "").entry.key, *(other.entry.key for other in others)}) == 7


def test_what_the_index_does_not_hold_changes_neither_key_nor_hash() -> None:
    moved = replace(EVIDENCE, ordinal=9, url="https://x.org/y", parts=("Text.",))
    assert indexed(moved, "").entry == indexed(EVIDENCE, "").entry
    assert indexed(moved, "").text_hash == indexed(EVIDENCE, "").text_hash


def test_readers_change_the_key_but_not_what_is_embedded() -> None:
    assert indexed(EVIDENCE, "abcd").text_hash == indexed(EVIDENCE, "").text_hash
    assert indexed(EVIDENCE, "", "NONE").text_hash != indexed(EVIDENCE, "").text_hash


def test_a_lone_surrogate_can_be_hashed() -> None:
    assert indexed(replace(EVIDENCE, text="a\ud800"), "").entry.key
