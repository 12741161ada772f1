"""Threads of comments and their evidences."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.evidence.comments import find_thread_ids, find_threads
from core.evidence.extract import extract
from core.model import Comment, Page

TABLE = "<table><tr><th>Bell</th><th>Weight</th></tr><tr><td>Tenor</td><td>812 kg</td></tr></table>"


def page(*comments: Comment, content: str = "<p>The tenor is muffled.</p>") -> Page:
    return Page("9", "ENG", "Bells", "https://wiki/9", content, comments=comments)


def comment(comment_id: str, content: str = "<p>Why?</p>", parent_id: str = "", marked: str = "") -> Comment:
    return Comment(
        comment_id,
        content,
        author="Mara Lind",
        date="2026-05-03T09:00:00Z",
        url=f"https://wiki/9?focusedCommentId={comment_id}",
        parent_id=parent_id,
        marked=marked,
    )


def test_a_comment_says_who_wrote_it_when_and_on_what() -> None:
    _, found = extract(page(comment("1", marked="is muffled"))).evidences
    assert found.context.heading_path == ("In a comment by Mara Lind, 3 May 2026 on “is muffled”",)
    assert (found.text, found.thread, found.url) == ("Why?", "1", "https://wiki/9?focusedCommentId=1")


def test_a_comment_of_nobody_known_at_no_known_time_is_a_comment() -> None:
    _, found = extract(page(Comment("1", "<p>Why?</p>"))).evidences
    assert found.context.heading_path == ("In a comment",)
    assert found.url == "https://wiki/9"


def test_comments_leave_the_evidences_of_the_page_as_they_are() -> None:
    own = extract(page(content=f"<h2>A</h2><p>Text.</p>{TABLE}<ul><li>x</li></ul>")).evidences
    noisy = page(comment("1", TABLE), comment("2"), content=f"<h2>A</h2><p>Text.</p>{TABLE}<ul><li>x</li></ul>")
    assert extract(noisy).evidences[: len(own)] == own


def test_tables_in_comments_are_others_than_those_of_the_page() -> None:
    found = extract(page(comment("1", TABLE), comment("2", TABLE), content=TABLE)).evidences
    assert [each.structure.block for each in found if each.structure and each.kind == "table"] == [1, 2, 3]


def test_replies_stand_in_their_thread() -> None:
    threads = find_threads([comment("1"), comment("2"), comment("3", parent_id="1"), comment("4", parent_id="3")])
    assert [[each.comment_id for each in thread.comments] for thread in threads] == [["1", "3", "4"], ["2"]]


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["", *"abcdefghx"])))
def test_each_comment_is_in_one_thread_whatever_it_replies_to(parents: dict[str, str]) -> None:
    comments = [comment(each, parent_id=parent) for each, parent in parents.items()]
    threads = list(find_threads(comments))
    found = [each.comment_id for thread in threads for each in thread.comments]
    assert sorted(found) == sorted(parents)
    ids = find_thread_ids(parents)
    assert all(ids[each.comment_id] == thread.thread_id for thread in threads for each in thread.comments)


def test_a_comment_that_is_too_complex_is_left_out_and_nothing_else() -> None:
    many = "<p>x" + "<b/>" * 60_000 + "</p>"
    found = extract(page(comment("1"), comment("2", many), comment("3", "<p>Because.</p>")))
    assert [each.text for each in found.evidences] == ["The tenor is muffled.", "Why?", "Because."]
    assert found.comments_over_budget == 1


def test_a_comment_of_100_kb_is_read_in_pieces() -> None:
    long = "<p>" + "The great bell rings on the hour. " * 3000 + "</p>"
    found = extract(page(comment("1", long))).evidences[1:]
    assert len(found) > 80
    assert max(len(each.text) for each in found) <= 1200
    assert {each.thread for each in found} == {"1"}


def test_3000_comments_are_read() -> None:
    many = [comment(str(number), f"<p>Comment {number}.</p>") for number in range(3000)]
    found = extract(page(*many))
    assert len(found.evidences) == 3001
    assert found.comments_over_budget == 0


def test_broken_markup_of_a_comment_costs_nothing_but_its_markup() -> None:
    found = extract(page(comment("1", "<p>Open <strong>never closed")))
    assert (found.defect, found.evidences[1].text) == ("", "Open never closed")


def test_resolving_a_comment_changes_what_stands_above_it() -> None:
    _, found = extract(page(replace(comment("1"), resolved=True))).evidences
    assert found.context.heading_path == ("In a resolved comment by Mara Lind, 3 May 2026",)
