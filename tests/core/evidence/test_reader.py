"""Blocks, and macros that contain blocks."""

import pytest

from core.evidence.blocks import Heading, List, Table, Text
from tests.core.evidence.pages import blocks, code, evidences, macro, rows, shown, texts


def test_blocks_come_in_document_order() -> None:
    found = blocks(f"<h2>H</h2><p>P</p><ul><li>L</li></ul>{rows('a | b', 'c | d')}loose")
    assert [type(block) for block in found] == [Heading, Text, List, Table, Text]


@pytest.mark.parametrize(
    ("name", "label"), [("info", "Info"), ("note", "Note"), ("tip", "Tip"), ("warning", "Warning")]
)
def test_a_panel_is_named_before_its_first_text(name: str, label: str) -> None:
    assert shown(macro(name, "<p>Mind the gap.</p><p>Twice.</p>", icon="false")) == f"{label}: Mind the gap.\nTwice."


def test_a_panel_keeps_its_title_and_a_table_in_it_takes_both_as_caption() -> None:
    assert shown(macro("info", "<p>Text</p>", title="Hours")) == "Info: Hours: Text"
    [found] = blocks(macro("panel", rows("a | b", "c | d"), title="Hours"))
    assert isinstance(found, Table)
    assert found.caption == "Hours"


def test_a_list_in_a_panel_comes_after_the_label() -> None:
    assert shown(macro("note", "<ul><li>a</li></ul>")) == "Note:\n- a"


def test_an_expand_shows_its_title_and_body() -> None:
    assert shown(macro("expand", "<p>Body</p>", title="More")) == "More: Body"


def test_details_show_their_table_unless_hidden() -> None:
    assert "Alice" in shown(macro("details", rows("th:Owner | Alice")))
    assert shown(macro("details", rows("th:Owner | Alice"), hidden="true")) == ""


@pytest.mark.parametrize("around", ["{}", "<ul><li>x {}</li></ul>", "<table><tr><td>x</td><td>{}</td></tr></table>"])
@pytest.mark.parametrize("name", ["details", "excerpt"])
def test_what_a_page_hides_is_not_on_it(name: str, around: str) -> None:
    assert "Alice" in shown(around.format(macro(name, "<p>Alice</p>", hidden="false")))
    assert "Alice" not in shown(around.format(macro(name, "<p>Alice</p>", hidden="true")))


def test_a_chart_gives_its_title_and_table() -> None:
    data = rows("th:Fish | th:2004", "th:Tuna | 1,500")
    assert texts(macro("chart", data, title="Fish sold", type="pie"), "table") == [
        "Fish sold\nRow 1 in Table 1: Fish is Tuna, and 2004 is 1,500"
    ]


@pytest.mark.parametrize(
    "banner",
    [
        "Copyright 2016 by Acme, Inc. Created by Bob. This work is licensed under the Creative Commons Attribution 4.0"
        " International License.",
        "© 2020 Acme. All rights reserved.",
    ],
)
def test_a_licence_banner_is_dropped_with_its_heading(banner: str) -> None:
    markup = f"<h2>License of this Governance Document</h2>{macro('info', f'<p>{banner}</p>')}<h2>B</h2><p>text</p>"
    assert texts(markup) == ["text"]


def test_a_panel_that_only_speaks_of_copyright_stays() -> None:
    assert shown(macro("note", "<p>Never upload copyright protected material.</p>")) == (
        "Note: Never upload copyright protected material."
    )


@pytest.mark.parametrize(
    "name", ["toc", "children", "pagetree", "recently-updated", "livesearch", "contributors", "blog-posts", "anchor"]
)
def test_navigation_gives_nothing(name: str) -> None:
    assert (
        texts(
            f"<h2>Search this whole documentation</h2><p>{macro(name, style='x')}</p>"
            if name != "anchor"
            else macro(name)
        )
        == []
    )


def test_code_is_verbatim_with_its_language() -> None:
    body = 'if (a < b && c) {\n    print("&amp; &lt;");  // ]] >\n}\n'
    assert shown(code(body, language="java", theme="x")) == f"```java\n{body.rstrip()}\n```"


def test_a_cdata_end_split_over_two_sections_is_one_text() -> None:
    assert shown(code("a]]]]><![CDATA[>b")) == "```\na]]>b\n```"


def test_code_shows_its_title_and_noformat_has_no_language() -> None:
    assert shown(code("x=1", title="app.ini", language="ini")) == "app.ini\n```ini\nx=1\n```"
    assert shown(code("a  b", "noformat")) == "```\na  b\n```"


def test_code_that_holds_a_fence_is_fenced_longer() -> None:
    assert shown(code("```\nx\n```")) == "````\n```\nx\n```\n````"


def test_layouts_give_their_cells_in_order() -> None:
    cells = "".join(f"<ac:layout-cell><p>{text}</p></ac:layout-cell>" for text in "ab")
    assert shown(f"<ac:layout><ac:layout-section ac:type='two_equal'>{cells}</ac:layout-section></ac:layout>") == "a\nb"


def test_blocks_inside_inline_elements_are_blocks() -> None:
    found = blocks(f"<p><span>before<a href='#x'>{rows('a | b', 'c | d')}</a>after</span></p>")
    assert [type(block) for block in found] == [Text, Table, Text]


def test_an_adf_extension_comes_once() -> None:
    node = (
        "<ac:adf-node type='panel'><ac:adf-attribute key='id'>LEAK</ac:adf-attribute>"
        "<ac:adf-content><p>Once</p></ac:adf-content></ac:adf-node>"
    )
    fallback = "<ac:adf-fallback><p>Once</p></ac:adf-fallback>"
    assert shown(f"<ac:adf-extension>{node}{fallback}</ac:adf-extension>") == "Once"
    assert shown(f"<ac:adf-extension><ac:adf-node type='x'/>{fallback}</ac:adf-extension>") == "Once"


def test_decisions_are_a_list() -> None:
    items = "".join(
        f"<ac:adf-node type='decision-item'><ac:adf-content>{text}</ac:adf-content></ac:adf-node>" for text in "ab"
    )
    assert (
        shown(f"<ac:adf-extension><ac:adf-node type='decision-list'>{items}</ac:adf-node></ac:adf-extension>")
        == "- a\n- b"
    )


def test_the_byline_of_an_export_is_no_evidence() -> None:
    byline = "<p>Owned by Ann Lee\nLast updated: Apr 01, 2016 by Ann Lee\n\n</p>"
    assert texts(f"{byline}<p>Text</p>") == ["Text"]
    assert texts(f"<p>Owned by Ann. {'Real text. ' * 30}Last updated yesterday.</p>") != []


def test_a_heading_is_its_words_without_addresses_and_pictures() -> None:
    [found] = evidences(
        '<h2><ac:image><ri:attachment ri:filename="a.png"/></ac:image><br/>'
        '<a href="https://x.org">Set up</a></h2><p>t</p>'
    )
    assert found.context.heading_path == ("Set up",)
    assert found.url.endswith("#Set-up")


def test_sentences_set_as_headings_are_not_lost_but_empty_labels_are_no_evidence() -> None:
    assert texts("<h1>09:00 Base platform and disaggregation</h1><h1>Notes</h1>") == [
        "09:00 Base platform and disaggregation"
    ]
