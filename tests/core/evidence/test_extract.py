"""Extraction of evidences: order, ordinal, context, id, length."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.extract import extract
from core.evidence.groups import ExtractionSettings
from core.model import Evidence
from tests.core.evidence.pages import CLOUD, code, evidences, page, rows, texts

TASKS = rows("th:Task | th:Owner | th:Due", "Measure recall | Alice | 18 Oct", "Book a room | Bob | 21 Oct")
MEETING = (
    "<h2>Agenda</h2><ul><li>Retrieval</li><li>Evaluation</li></ul>"
    f"<h2>Tasks</h2>{TASKS}"
    "<p>Next meeting on 24 October.</p>"
)


def kinds(found: tuple[Evidence, ...]) -> list[str]:
    return [evidence.kind for evidence in found]


def test_passages_lists_tables_and_rows_in_document_order() -> None:
    found = evidences(MEETING)
    assert kinds(found) == ["list", "table", "table_row", "table_row", "passage"]
    assert [evidence.ordinal for evidence in found] == [0, 1, 2, 3, 4]


def test_a_row_of_meeting_notes_knows_title_heading_and_footer() -> None:
    found = extract(page(MEETING, "RAG Meeting October 2024")).evidences
    alice = found[2]
    assert alice.text == "Row 1 in Table 1: Task is Measure recall, and Owner is Alice, and Due is 18 Oct"
    assert alice.context.title == "RAG Meeting October 2024"
    assert alice.context.heading_path == ("Tasks",)
    assert alice.context.before == "- Retrieval\n- Evaluation"
    assert alice.context.after == "Next meeting on 24 October."
    assert alice.url == f"{CLOUD}#Tasks"
    assert alice.rows == ((("Task", "Measure recall"), ("Owner", "Alice"), ("Due", "18 Oct")),)
    assert alice.parts == (alice.text,)


def test_the_texts_between_two_headings_are_one_passage_with_sentences_as_parts() -> None:
    [found] = evidences(f"<h1>A</h1><p>One. Two.</p>{code('x')}<p>Three:<br/>four</p>")
    assert found.text == "One. Two.\n```\nx\n```\nThree:\nfour"
    assert found.parts == ("One.", "Two.", "```\nx\n```", "Three:\nfour")


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("<p>Guest Wi-Fi password:<br/>ding-dong-77</p>", ["Guest Wi-Fi password:\nding-dong-77"]),
        ("<p>Guest card deposit:</p><p>20 euro</p>", ["Guest card deposit:\n20 euro"]),
        ("<p>The gate code is<br/>4711#.</p>", ["The gate code is\n4711#."]),
        ("<p>Address:<br/>Bell Street 4<br/>2311 Leiden</p>", ["Address:\nBell Street 4\n2311 Leiden"]),
        ("<p>Wi-Fi:<br/>ding<br/>Gate:<br/>4711</p>", ["Wi-Fi:\nding", "Gate:\n4711"]),
        ("<p>Name: Ann<br/>Phone: 12<br/>Room 4</p>", ["Name: Ann", "Phone: 12", "Room 4"]),
        ("<p>Ann is on call.<br/>Bob is not.</p>", ["Ann is on call.", "Bob is not."]),
        ("<p>Ada Holt<br/>Ben Ruiz</p>", ["Ada Holt", "Ben Ruiz"]),
        ("<p>Bring:<br/>a passport<br/>a ticket</p>", ["Bring:", "a passport", "a ticket"]),
        ("<p>Steps<br/>1. Stop<br/>2. Wait</p>", ["Steps", "1. Stop", "2. Wait"]),
        ("<p>No mark</p><p>Another paragraph</p>", ["No mark", "Another paragraph"]),
        ("<p>Two sentences. Code:<br/>4711. Then go.</p>", ["Two sentences.", "Code:\n4711.", "Then go."]),
        (f"<p>Run:</p>{code('x')}", ["Run:", "```\nx\n```"]),
    ],
)
def test_a_statement_on_several_lines_is_one_part(content: str, parts: list[str]) -> None:
    [found] = evidences(content)
    assert list(found.parts) == parts


@given(
    st.lists(st.lists(st.sampled_from(["Code:", "4711", "It is.", "a: b", "x" * 200, "Then"]), min_size=1), min_size=1)
)
def test_joining_lines_changes_no_text(paragraphs: list[list[str]]) -> None:
    content = "".join(f"<p>{'<br/>'.join(lines)}</p>" for lines in paragraphs)
    found = evidences(content)
    assert "\n".join(each.text for each in found) == "\n".join("\n".join(lines) for lines in paragraphs)
    assert all(len(part) <= 300 for each in found for part in each.parts)


def test_parts_are_list_items_and_table_rows() -> None:
    found = evidences(MEETING)
    assert found[0].parts == ("- Retrieval", "- Evaluation")
    assert found[1].parts == tuple(row.text for row in found[2:4])


@pytest.mark.parametrize(
    ("headings", "path"),
    [
        ("<h1>A</h1><h2>B</h2><h3>C</h3>", ("A", "B", "C")),
        ("<h1>A</h1><h3>C</h3>", ("A", "C")),
        ("<h3>C</h3><h1>A</h1>", ("A",)),
        ("<h1>A</h1><h2>B</h2><h2>D</h2>", ("A", "D")),
        ("<h2>B</h2><h3>C</h3><h2>D</h2><h4>E</h4>", ("D", "E")),
        ("<h1> </h1>", ()),
    ],
)
def test_the_heading_path_follows_the_levels(headings: str, path: tuple[str, ...]) -> None:
    assert evidences(f"{headings}<p>text</p>")[-1].context.heading_path == path


def test_ids_stay_when_a_paragraph_comes_elsewhere() -> None:
    before = evidences(MEETING)
    after = evidences(MEETING.replace("<h2>Agenda</h2>", "<h2>Present</h2><p>All.</p><h2>Agenda</h2>"))
    assert [evidence.evidence_id for evidence in after[1:]] == [evidence.evidence_id for evidence in before]


def test_ids_change_with_text_heading_and_page() -> None:
    def identity(content: str, page_id: str = "7") -> str:
        return extract(replace(page(content), page_id=page_id)).evidences[0].evidence_id

    ids = {identity("<p>a</p>"), identity("<p>b</p>"), identity("<h1>H</h1><p>a</p>"), identity("<p>a</p>", "8")}
    assert len(ids) == 4


def test_equal_texts_under_one_heading_have_ids_of_their_own() -> None:
    found = evidences("<p>Same</p><ul><li>x</li></ul><p>Same</p><ul><li>x</li></ul>")
    assert len({evidence.evidence_id for evidence in found}) == 4


def test_a_long_passage_is_split_at_sentences_and_its_pieces_are_neighbours() -> None:
    words = [f"Sentence number {number} has seven words here." for number in range(60)]
    found = evidences("<p>Start</p><ul><li>x</li></ul><p>" + " ".join(words) + "</p><ul><li>y</li></ul>")
    pieces = [evidence for evidence in found if evidence.kind == "passage"][1:]
    assert len(pieces) > 2
    assert [part for piece in pieces for part in piece.parts] == words
    assert all(len(piece.text) <= 1200 for piece in pieces)
    assert pieces[0].context.before == "- x"
    assert pieces[1].context.before.endswith(pieces[0].parts[-1])
    assert pieces[1].context.after.startswith(pieces[2].parts[0])
    assert pieces[-1].context.after == "- y"


def test_equal_pieces_of_a_split_passage_each_have_their_own_neighbours() -> None:
    found = evidences("<p>" + "Same words again. " * 200 + "The end.</p>", ExtractionSettings(max_chars=101))
    assert found[0].context.before == ""
    assert all(evidence.context.before for evidence in found[1:])
    assert all(evidence.context.after for evidence in found[:-1])


def test_a_long_list_is_split_between_items_and_keeps_its_introduction() -> None:
    items = "".join(f"<li>{'word ' * 40}{number}</li>" for number in range(20))
    found = evidences(f"<p>You need:</p><ul>{items}</ul>")[1:]
    assert len(found) > 2
    assert all(evidence.context.before == "You need:" for evidence in found)
    assert sum(len(evidence.parts) for evidence in found) == 20


def test_a_long_row_is_cut_and_every_part_says_which_row_it_is_of() -> None:
    story = " ".join(f"This is sentence {number} of the story." for number in range(100))
    content = rows("th:Item | th:Who | th:Notes", f"Roadmap | Rich | {story}", "WAMP | Dan | short")
    row = [text for text in texts(content, "table_row") if text.startswith("Row 1")]
    assert len(row) > 2
    assert row[0].startswith("Row 1 in Table 1: Item is Roadmap, and Who is Rich")
    assert all(text.startswith("Row 1 in Table 1: Item is Roadmap, and ") for text in row)
    assert all(f"sentence {number} of" in " ".join(row) for number in range(100))


@pytest.mark.parametrize("kind", ["table", "table_row"])
@pytest.mark.parametrize(
    "content",
    [
        rows("th:A | th:B", "1 | " + "word " * 7000),
        rows("th:A | th:B", *(f"{number} | {'word ' * 7}" for number in range(1000))),
        rows(f"th:{'head ' * 7000} | th:B", "1 | 2"),
        rows("th:A | th:B", f"th:{'label ' * 7000} | 2", "th:x | 3"),
        rows("th:A | th:B", "1 | " + "漢" * 40_000),
        (
            f"<table><caption>{'cap ' * 20}</caption><tr><td colspan='2'>{'word ' * 7000}</td></tr><tr>"
            "<td>1</td><td>2</td></tr></table>"
        ),
    ],
)
def test_a_7000_word_table_gives_bounded_evidences_and_loses_no_word(content: str, kind: str) -> None:
    found = [evidence for evidence in evidences(content) if evidence.kind == kind]
    assert max(len(evidence.text) for evidence in found) <= 1440
    assert all(len(evidence.context.before) + len(evidence.context.after) < 3000 for evidence in found)
    for word in ("word", "head", "label", "漢"):
        if content.count(word) > 1000:
            assert sum(evidence.text.count(word) for evidence in found) >= content.count(word)


def test_table_rows_and_parts_correspond_in_every_piece() -> None:
    content = rows("th:A | th:B", *(f"{number} | {'word ' * 60}" for number in range(30)), "x | " + "long " * 900)
    for evidence in evidences(content):
        assert len(evidence.parts) == len(evidence.rows)


def test_the_same_page_gives_the_same_evidences() -> None:
    assert evidences(MEETING) == evidences(MEETING)


def test_files_at_the_page_are_named_once_and_change_nothing_else() -> None:
    plain = page(MEETING + '<p><ac:image><ri:attachment ri:filename="Fall &amp; rise.png"/></ac:image></p>')
    attached = replace(plain, attachments=("Fall & rise.png", "minutes 1.pdf", "budget.xlsx"))
    before, after = extract(plain).evidences, extract(attached).evidences
    assert after[: len(before)] == before
    (files,) = after[len(before) :]
    assert (files.kind, files.parts) == ("list", ("- [file: minutes 1.pdf]", "- [file: budget.xlsx]"))
    assert files.ordinal == len(before)
    assert files.context.heading_path == ()
