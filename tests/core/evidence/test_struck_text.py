"""Text that is struck through is not valid any more, so it is in no evidence."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.extract import extract
from tests.core.evidence.pages import CLOUD, evidences, macro, page, rows, shown, table, texts

STRIKES = (
    "<del>{}</del>",
    "<s>{}</s>",
    "<strike>{}</strike>",
    "<DEL>{}</DEL>",
    '<span style="text-decoration: line-through;">{}</span>',
    '<span style="color: red;TEXT-DECORATION:Line-Through">{}</span>',
    '<span style="text-decoration-line: underline line-through; color: red">{}</span>',
    "<strong><del>{}</del></strong>",
    "<del><em>{}</em></del>",
)


@pytest.mark.parametrize("strike", STRIKES)
@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>The limit is {} 120 euro.</p>", "The limit is 120 euro."),
        ("<p>100{}120</p>", "100 120"),
        ("<p>Use {}, not Kafka.</p>", "Use, not Kafka."),
        ("<p>Tea, {}, milk, {}.</p>", "Tea, milk."),
        ("<p>{} Tea; {}<br/>({} {} milk {})</p>", "Tea\n(milk)"),
        ("<p>{}</p><p>Use it.</p>", "Use it."),
        ("<ul><li>Tea</li><li>{}</li><li><p>{}</p></li></ul>", "- Tea"),
        ("<ol><li>Tea</li><li>{}</li><li>Milk</li></ol>", "1. Tea\n3. Milk"),
        ("<dl><dt>Tea</dt><dd>{}</dd><dt>Milk</dt><dd>cold</dd></dl>", "- Milk: cold"),
        (macro("info", "<p>{}</p>"), ""),
        (f"<ul><li>Tea {macro('info', '<p>{}</p>')}</li></ul>", "- Tea"),
        ('<p>See <a href="https://x.org/kafka">{}</a></p>', "See"),
        ('<p>See <ac:link><ri:page ri:content-title="Kafka"/><ac:link-body>{}</ac:link-body></ac:link></p>', "See"),
    ],
)
def test_struck_text_is_left_out_and_what_is_around_it_not_glued(markup: str, text: str, strike: str) -> None:
    assert shown(markup.replace("{}", strike.format("old words"))) == text


@pytest.mark.parametrize("strike", STRIKES)
def test_rows_and_cells_without_text_that_is_valid_are_empty(strike: str) -> None:
    old = strike.format("5")
    found = table(rows("th:Item | th:Price | th:Shop", f"{old} | {old} | {old}", f"Bell | {old} | Here", "Rope | 7 | "))
    assert [row.cells for row in found.rows] == [
        (("Item", "Bell"), ("Shop", "Here")),
        (("Item", "Rope"), ("Price", "7")),
    ]


@pytest.mark.parametrize("name", ["tr", "td"])
def test_a_struck_row_or_cell_keeps_the_columns_of_the_others(name: str) -> None:
    style = ' style="text-decoration: line-through"'
    row = f"<tr{style if name == 'tr' else ''}>" + f"<td{style if name == 'td' else ''}>5</td>" * 2 + "</tr>"
    found = table(f"<table><tr><th>Item</th><th>Price</th></tr>{row}<tr><td>Bell</td><td>7</td></tr></table>")
    assert [row.cells for row in found.rows] == [(("Item", "Bell"), ("Price", "7"))]
    cells = f"<tr><td{style}>5</td><td>Bell</td></tr><tr><td>Rope</td><td>Cord</td></tr>"
    found = table(f"<table><tr><th>Item</th><th>Price</th></tr>{cells}</table>")
    assert [row.cells for row in found.rows] == [
        (("Price", "Bell"),),
        (("Item", "Rope"), ("Price", "Cord")),
    ]


def test_nested_items_of_a_struck_item_stay() -> None:
    assert shown("<ul><li><del>Drinks</del><ul><li>Tea</li></ul></li></ul>") == "- Tea"
    assert shown('<ul style="text-decoration:line-through"><li>Drinks<ul><li>Tea</li></ul></li></ul><p>x</p>') == "x"


def test_what_a_struck_element_shows_besides_text_is_left_out() -> None:
    mention, image = '<ac:link><ri:user ri:userkey="f"/></ac:link>', '<ac:image><ri:attachment ri:filename="a.png"/>'
    inside = f"{mention}{image}</ac:image>{macro('status', title='DONE')}<time datetime='2026-05-01'/>"
    assert shown(f"<p>Ask <del>{inside}</del> Bo</p>") == "Ask Bo"


@pytest.mark.parametrize("strike", STRIKES)
def test_a_struck_task_is_left_out_with_its_assignee_and_date(strike: str) -> None:
    who, until = '<ac:link><ri:user ri:userkey="f"/></ac:link>', '<time datetime="2026-05-01"/>'
    bodies = (f"{who} {strike.format('Order ropes')} {until}", "Oil the bells")
    tasks = "".join(
        f"<ac:task><ac:task-status>incomplete</ac:task-status><ac:task-body>{body}</ac:task-body></ac:task>"
        for body in bodies
    )
    assert texts(f"<ac:task-list>{tasks}</ac:task-list>") == ["[ ] Oil the bells"]
    assert texts(f"<p>Open:</p><h2>x <ac:task-list>{tasks}</ac:task-list></h2><p>y</p>") == ["Open:", "y"]


@pytest.mark.parametrize("strike", STRIKES)
def test_an_extension_with_struck_text_does_not_show_its_fallback(strike: str) -> None:
    content = f"<ac:adf-node type='panel'><ac:adf-content><p>{strike.format('Old')}</p></ac:adf-content></ac:adf-node>"
    extension = f"<ac:adf-extension>{content}<ac:adf-fallback><p>Old</p></ac:adf-fallback></ac:adf-extension>"
    assert shown(f"<p>a</p>{extension}<p>b</p>") == "a\nb"


@pytest.mark.parametrize("strike", [*STRIKES, None])
def test_a_struck_heading_ends_the_section_above_and_names_none(strike: str | None) -> None:
    heading = '<h2 style="text-decoration: line-through">Peru</h2>' if strike is None else f"<h2>{strike}</h2>"
    markup = f"<h1>Leave</h1><h2>Chile</h2><p>30 days.</p>{heading}<p>27 days.</p><h2>Peru</h2><p>Ask.</p>"
    found = evidences(markup.replace("{}", "Peru"))
    assert [(each.context.heading_path, each.text, each.url) for each in found] == [
        (("Leave", "Chile"), "30 days.", f"{CLOUD}#Chile"),
        (("Leave",), "27 days.", f"{CLOUD}#Peru"),
        (("Leave", "Peru"), "Ask.", f"{CLOUD}#Peru.1"),
    ]


def test_a_heading_with_struck_words_keeps_the_anchor_with_them() -> None:
    [found] = evidences("<h2>Order <del>ropes</del> bells</h2><p>x</p>")
    assert found.context.heading_path == ("Order bells",)
    assert found.url == f"{CLOUD}#Order-ropes-bells"


@pytest.mark.parametrize(
    "style",
    [
        "text-decoration: underline",
        "text-decoration: none; background: url(line-through)",
        "x-text-decoration: line-through",
    ],
)
def test_other_styles_strike_nothing(style: str) -> None:
    assert shown(f'<p>a <span style="{style}">b</span></p>') == "a b"


words = st.integers(0, 999).map(lambda number: f"w{number:03d}")
struck = st.tuples(st.sampled_from(STRIKES), words.map(lambda word: f"OLD{word}")).map(
    lambda pair: pair[0].format(pair[1])
)
line = st.lists(st.one_of(words, struck), min_size=1, max_size=4).map(" ".join)
cells = st.lists(st.lists(line, min_size=3, max_size=3).map(" | ".join), min_size=2, max_size=3)
parts = st.one_of(
    line.map("<p>{}</p>".format),
    st.lists(line, min_size=1, max_size=3).map(lambda items: "<ul><li>" + "</li><li>".join(items) + "</li></ul>"),
    cells.map(lambda lines: rows(*lines)),
    line.map(lambda text: macro("panel", f"<p>{text}</p>")),
    line.map(lambda text: f"<h2>{text}</h2><p>w999</p>"),
)


@given(st.lists(parts, min_size=1, max_size=4).map("".join))
def test_no_struck_word_is_in_any_evidence_and_every_other_word_is(content: str) -> None:
    found = extract(page(content)).evidences
    said = " ".join(" ".join((*each.context.heading_path, each.text, each.context.before)) for each in found)
    assert "OLD" not in said
    assert set(re.findall(r"\bw\d{3}", content)) <= set(re.findall(r"\bw\d{3}", said))
