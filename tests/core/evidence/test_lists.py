"""Lists of every kind."""

import pytest

from tests.core.evidence.pages import code, rows, shown, table, texts


@pytest.mark.parametrize(
    ("markup", "lines"),
    [
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
        ("<ol start='5'><li>a</li><li>b</li></ol>", "5. a\n6. b"),
        ("<ul><li>a<ol><li>b<ul><li>c</li></ul></li></ol></li><li>d</li></ul>", "- a\n  1. b\n    - c\n- d"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        ("<ul><li><p>a</p><p>b</p></li></ul>", "- a\nb"),
        ("<ul><li> </li><li>a</li></ul>", "- a"),
        ("<ul>stray<p>para</p>tail<li>a</li></ul>", "- stray\n- para\n- tail\n- a"),
        ("<ol><li>a</li><p>aside</p><li>b</li></ol>", "1. a\n- aside\n2. b"),
        ("<dl><dt>API</dt><dd>An interface</dd><dt>Alone</dt></dl>", "- API: An interface\n- Alone"),
        ("<dl><dt>A</dt><dt>B</dt><dd>Both</dd><dd>Again</dd></dl>", "- A, B: Both\n- A, B: Again"),
        ("<ul><li><h3>Head</h3>text</li></ul>", "- Head\ntext"),
    ],
)
def test_items_stand_with_their_markers(markup: str, lines: str) -> None:
    assert shown(markup) == lines


def test_tasks_show_whether_they_are_done_and_not_their_ids() -> None:
    def task(status: str, text: str) -> str:
        return (
            f"<ac:task><ac:task-id>193</ac:task-id><ac:task-status>{status}</ac:task-status>"
            f"<ac:task-body><span>{text}</span></ac:task-body></ac:task>"
        )

    tasks = f"<ac:task-list>{task('incomplete', 'buy')}{task('complete', 'sell')}</ac:task-list>"
    assert shown(tasks) == "[ ] buy\n[x] sell"
    assert table(rows("th:Who | th:To do", f"Bob | {tasks}")).rows[0].cells[1] == ("To do", "[ ] buy; [x] sell")


def test_a_list_is_one_evidence_whatever_is_nested_in_it() -> None:
    assert texts("<ul><li>a<ul><li>b</li></ul></li></ul><p>x</p><ul><li>c</li></ul>", "list") == ["- a\n  - b", "- c"]


def test_code_in_an_item_stays_verbatim() -> None:
    script = code("a  b\n c", language="sh")
    assert shown(f"<ol><li>Run{script}</li></ol>") == "1. Run\n```sh\na  b\n c\n```"
    assert shown(f"<ol><li>Run {code('make')}</li></ol>") == "1. Run\nmake"


def test_a_table_in_an_item_is_told_in_it_and_is_a_table_of_the_page_once() -> None:
    markup = f"<ul><li>a<ul><li>b{rows('th:X | th:Y', '1 | 2')}</li></ul></li></ul>"
    assert texts(markup, "list") == ["- a\n  - b\nX, Y; 1, 2"]
    assert texts(markup, "table") == ["Row 1 in Table 1: X is 1, and Y is 2"]


def test_a_table_in_a_list_in_a_cell_is_told_once_in_the_cell() -> None:
    inner = f"<ul><li>b{rows('th:X | th:Y', '1 | 2')}</li></ul>"
    assert texts(rows("th:K | th:V", f"k | {inner}"), "table") == [
        "Row 1 in Table 1: K is k, and V is b X, Y; 1, 2",
        "Row 1 in Table 2: X is 1, and Y is 2",
    ]
