from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.mrkdwn import escape, link, size
from adapters.slack.pieces import Piece, cut, pack_pieces, remove_links

ATOMS = st.sampled_from(("word", " ", "\n", ". ", "&", "<", "🎉", "x" * 30))
LINKS = st.integers(1, 99).map(lambda number: link(f"https://wiki/page/with/a/name/{number}", f"[{number}]"))
TEXTS = st.lists(st.one_of(ATOMS.map(escape), LINKS), max_size=60).map("".join)


@given(TEXTS, st.integers(60, 200))
def test_a_cut_is_never_within_a_link_or_an_entity_and_loses_only_space(text: str, limit: int) -> None:
    rest, parts = text, []
    while rest:
        begun, rest = cut(rest, limit)
        assert size(begun) <= limit
        assert begun.count("<") == begun.count(">")
        assert begun.count("&") == sum(begun.count(entity) for entity in ("&amp;", "&lt;", "&gt;"))
        parts.append(begun)
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_a_text_is_cut_at_the_best_place_in_its_second_half() -> None:
    assert cut("one two\nthree. four five", 20) == ("one two\nthree.", "four five")
    assert cut("one two three\nfour five", 20) == ("one two three", "four five")
    assert cut("one two three four five", 20) == ("one two three four", "five")
    assert cut("x" * 30, 20) == ("x" * 20, "x" * 10)


def test_where_nothing_fits_nothing_is_taken() -> None:
    assert cut("&amp;", 3) == ("", "&amp;")


def test_pieces_share_a_text_as_long_as_they_fit() -> None:
    pieces = [Piece("one"), Piece("two", tight=True), Piece("three"), Piece("x", code=True), Piece("after")]
    assert pack_pieces(pieces, 100) == ["one\ntwo\n\nthree\n```\nx\n```\nafter"]
    assert pack_pieces(pieces, 12) == ["one\ntwo", "three", "```\nx\n```", "after"]


def test_what_is_cut_is_no_longer_bold() -> None:
    assert pack_pieces([Piece("*bold words here*", "bold words here")], 12) == ["bold words", "here"]


def test_blank_pieces_are_left_out() -> None:
    assert pack_pieces([Piece(" \u200b"), Piece("a"), Piece("")], 100) == ["a"]


def test_code_keeps_its_indentation_where_it_is_cut() -> None:
    assert pack_pieces([Piece("a:\n    b\n    c", code=True)], 18) == ["```\na:\n    b\n```", "```\n    c\n```"]


def test_unlinked_text_keeps_the_words() -> None:
    assert remove_links("see <https://x/|[1]> &lt;b&gt;") == "see [1] &lt;b&gt;"
