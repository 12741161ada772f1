"""Extraction of arbitrary pages ends, reports defects, and loses no visible word."""

import re
from html import escape, unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import PageOverBudget
from core.evidence.extract import extract
from core.text import remove_invisible
from tests.core.evidence.pages import code, macro, page, texts


def said(content: str) -> str:
    found = extract(page(content)).evidences
    return " ".join(" ".join((*evidence.context.heading_path, evidence.text)) for evidence in found)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<p>one<p>two", "one two"),
        ("one</p>two</div>three", "one two three"),
        ("<p>one</page>two</p><p>three</p>", "onetwo three"),
        ("<p>AT&T & Co</p><p>a < b</p>", "AT&T & Co a < b"),
        ("<p>&check; &bogus; &auml;</p>", "✓ &bogus; ä"),
        ("<foo:bar>one</foo:bar><p x:y='1'>two</p>", "one two"),
        ("<p class=big data-x='a>b' checked>one</p><br>two<hr>three", "one two three"),
        ("<ul><li>one<li>two</ul>", "- one - two"),
        ("<table><tr><td>one<td>two</table>", "one two"),
        ("<p>one</p><ac:structured-macro ac:name='code'><ac:plain-text-body><![CDATA[two", "one two"),
        ("<p>one</p><ac:structured-macro ac:na", "one"),
        ("<p>a</p>]]><p>b</p>", "a ]]> b"),
        ("<p>one</p><!-- open <p>two</p>", "one"),
    ],
)
def test_broken_markup_is_read_and_the_defect_named(content: str, words: str) -> None:
    extraction = extract(page(content))
    assert extraction.defect
    assert set(words.split()) <= set(said(content).replace("```", " ").split())


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("a & b", "line 1, column 4"),
        ("<p>fine</p>\nand &nosuch; here", "line 2, column 13"),
        ("<p>one\n<b>two</p>", "b line 2 and p, line 2, column 11"),
        ("</div>", "line 1 and div, line 1, column 7"),
    ],
)
def test_the_place_of_a_defect_is_that_in_the_page(content: str, place: str) -> None:
    assert extract(page(content)).defect.endswith(place)


def test_sound_markup_has_no_defect() -> None:
    assert extract(page("<p>&nbsp;&auml; <ac:emoticon ac:name='tick'/></p>")).defect == ""


@pytest.mark.parametrize("content", ["", "   \n\t ", "<p> </p><p>&nbsp;</p>", "<p><br/></p>", "<h1></h1>", "\x00"])
def test_a_page_that_says_nothing_has_no_evidence(content: str) -> None:
    assert texts(content) == []


def test_a_text_without_any_tag_is_a_passage() -> None:
    assert texts("Just words.\nMore words.") == ["Just words. More words."]


def test_characters_that_no_index_can_hold_are_left_out_and_others_kept() -> None:
    assert texts("<p>a\x00b\x07c\ud800d \ufffe 🙂👩‍👩‍👧 שלום عربى e\u0301</p>") == ["abcd 🙂👩‍👩‍👧 שלום عربى e\u0301"]


INVISIBLE = ("\u00ad", "\u200b", "\u2060", "\ufeff", "&shy;", "&#8203;", "&#xFEFF;", "\u200d", "&zwnj;")


@pytest.mark.parametrize("invisible", INVISIBLE)
def test_characters_that_nobody_sees_are_left_out(invisible: str) -> None:
    word = f"Glocken{invisible}stuhl"
    image = f'<ac:image><ri:attachment ri:filename="{word}.png"/></ac:image>'
    markup = (
        f"<h2>{word}</h2><p>{word}{invisible} <b>{word}</b> {image}</p><p>{invisible}</p><ul><li>{word}</li></ul>"
        f"<pre>{word}</pre><p>{'<span>' * 130}{word}{'</span>' * 130}</p>"
    )
    found = extract(page(markup, f"Glocken{unescape(invisible)}stuhl")).evidences
    said = "\n".join(each.text for each in found)
    assert said == (
        "Glockenstuhl Glockenstuhl [image: Glockenstuhl.png]\n- Glockenstuhl\n```\nGlockenstuhl\n```\nGlockenstuhl"
    )
    assert {(each.context.title, each.context.heading_path) for each in found} == {("Glockenstuhl", ("Glockenstuhl",))}


def test_code_keeps_the_numbers_of_invisible_characters() -> None:
    assert texts(code("a&#8203;b\u200bc")) == ["```\na&#8203;bc\n```"]


@pytest.mark.parametrize("text", ["می‌خواهم", "क्‍ष", "👩‍👩‍👧", "❤️‍🔥", "ខ្ញុំ\u200bទៅ"])
def test_joiners_and_separators_stay_where_scripts_and_emoji_need_them(text: str) -> None:
    assert texts(f"<p>A {text} b</p>") == [f"A {text} b"]


@pytest.mark.parametrize(
    "url", ["", "https://wiki.acme.org/display/A/B", "https://a.atlassian.net/wiki/spaces/A/pages/1/B"]
)
def test_odd_titles_and_headings_make_no_trouble(url: str) -> None:
    [found] = extract(page("<h1>\udc00Größe 🙂</h1><p>x</p>", "a\x00b \ud800 c\n d", url)).evidences
    assert found.context.title == "ab c d"
    assert found.context.heading_path == ("Größe 🙂",)
    found.url.encode("ascii")


@pytest.mark.parametrize("tag", ["p", "div", "span", "blockquote", "ul"])
def test_nesting_5000_deep_ends_and_keeps_the_words(tag: str) -> None:
    assert "needle" in said(f"<{tag}>" * 5000 + "needle" + f"</{tag}>" * 5000)


def test_parameters_do_not_leak_from_the_depths_or_from_a_wrong_place() -> None:
    stray = '<ac:parameter ac:name="x">LEAK</ac:parameter>'
    assert texts(f"<p>one {stray}two</p>") == ["one two"]
    assert "LEAK" not in said("<div>" * 150 + stray + "needle" + "</div>" * 150)


def test_absurd_numbers_are_read_as_nothing() -> None:
    absurd = "9" * 6000
    cells = f"<td colspan='{absurd}'>x</td><td rowspan='-1'>y</td>"
    markup = f"<ol start='{absurd}'><li>a</li></ol><table><tr>{cells}</tr></table>"
    assert texts(markup, "list") == ["1. a"]


@pytest.mark.parametrize("depth", [60, 400, 1500])
def test_deep_lists_and_tables_end_and_keep_the_words(depth: int) -> None:
    assert "needle" in said("<ul><li>" * depth + "needle" + "</li></ul>" * depth)
    assert "needle" in said(
        "<table><tr><td>x</td><td>" * min(depth, 60) + "needle" + "</td></tr></table>" * min(depth, 60)
    )


def test_a_body_of_5_megabytes_is_read() -> None:
    paragraph = "<p>" + "Some words about the matter at hand. " * 30 + "</p>"
    found = extract(page(paragraph * (5_000_000 // len(paragraph)))).evidences
    assert sum(evidence.text.count("matter") for evidence in found) == 30 * (5_000_000 // len(paragraph))
    assert max(len(evidence.text) for evidence in found) <= 1200


INLINE_MACRO = macro("x", "{}", **{"atlassian-macro-output-type": "INLINE"})


@pytest.mark.parametrize(
    "construct",
    [
        INLINE_MACRO,
        "<table><tr><td>x</td><td>{}</td></tr></table>",
        "<ac:adf-extension><ac:adf-fallback>{}</ac:adf-fallback></ac:adf-extension>",
        "<h1>{}</h1>",
        "<a href='https://x.org'>{}</a>",
    ],
)
def test_what_is_nested_25_deep_is_read_once(construct: str) -> None:
    start, end = construct.split("{}")
    found = said(start * 25 + "needle" + end * 25)
    assert found.count("needle") <= 12
    assert "needle" in found or construct.startswith("<h1>")  # a heading without content gives nothing


def test_a_table_of_more_places_than_its_bytes_allow_is_refused_before_it_fills_memory() -> None:
    row = "<tr>" + "<td rowspan='100' colspan='100'>x</td>" * 20 + "</tr>"
    with pytest.raises(PageOverBudget, match="table places"):
        extract(page(f"<table>{row * 100}</table>"))


def test_what_stands_in_every_evidence_is_short() -> None:
    words = "word " * 20_000
    found = extract(page(f"<h1>{words}needle</h1>" + "<table><tr><td>a</td><td>b</td></tr></table>" * 200)).evidences
    assert sum(len(" ".join(evidence.context.heading_path)) for evidence in found) < 5 * len(words)
    assert "needle" in " ".join(evidence.text for evidence in found)


@given(st.text(st.sampled_from("<>/&;!-[]CDATA=\"' apul:cx\x00\ud800é🙂\n"), max_size=80))
def test_no_content_whatever_raises(content: str) -> None:
    extract(page(content))


# ------------------------------------------------------------------- generated storage format trees

words = st.integers(0, 9999).map(lambda number: f"w{number:04d}x")
sentence = st.lists(words, min_size=1, max_size=5).map(" ".join)


def wrapped(tag: str) -> "st.SearchStrategy[str]":
    return sentence.map(lambda text: f"<{tag}>{text}</{tag}>")


inline = st.one_of(
    sentence,
    wrapped("strong"),
    wrapped("span"),
    wrapped("code"),
    wrapped("ac:link-body").map(lambda body: f"<ac:link>{body}</ac:link>"),
)
line = st.lists(inline, min_size=1, max_size=3).map(" ".join)
leaf = st.one_of(
    line,
    line.map(lambda text: f"<p>{text}</p>"),
    sentence.map(lambda text: code(text, language="sh")),
    st.tuples(st.integers(1, 6), sentence).map(lambda head: f"<h{head[0]}>{head[1]}</h{head[0]}><p>w0000x</p>"),
)


def containers(below: "st.SearchStrategy[str]") -> "st.SearchStrategy[str]":
    many = st.lists(below, min_size=1, max_size=3)
    return st.one_of(
        many.map(" ".join).map(lambda body: f"<div>{body}</div>"),
        many.map(lambda items: "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"),
        many.map(lambda items: "<ol>" + "".join(f"<li>{item}</li>" for item in items) + "</ol>"),
        st.tuples(st.sampled_from(["info", "expand", "panel", "section", "unheard"]), below).map(
            lambda pair: macro(pair[0], pair[1], title="w1111x", icon="LEAK")
        ),
        st.lists(many, min_size=1, max_size=3).map(
            lambda table: (
                "<table>"
                + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in table)
                + "</table>"
            )
        ),
        below.map(
            lambda body: (
                f"<ac:layout><ac:layout-section><ac:layout-cell>{body}</ac:layout-cell></ac:layout-section></ac:layout>"
            )
        ),
        below.map(lambda body: f"<span>{body}</span>"),
    )


trees = st.lists(st.recursive(leaf, containers, max_leaves=12), min_size=1, max_size=4).map("".join)


@given(trees)
def test_no_visible_word_is_lost_and_no_parameter_leaks(content: str) -> None:
    found = said(content)
    assert "LEAK" not in found
    assert set(re.findall(r"w\d{4}x", content)) - {"w1111x"} <= set(re.findall(r"w\d{4}x", found))


@given(trees, st.data())
def test_a_truncated_page_keeps_the_words_before_the_cut(content: str, data: st.DataObject) -> None:
    cut = content[: data.draw(st.integers(0, len(content)))]
    visible = re.sub(r"<ac:parameter.*?(</ac:parameter>|\Z)|<[^>]*\Z|<!\[CDATA\[|]]>", "", cut)
    known = set(re.findall(r"w\d{4}x(?=\W)", visible)) - {"w1111x"}
    headings = set(re.findall(r"w\d{4}x", " ".join(re.findall(r"<h\d>([^<]*)(?:<[^>]*>?)*\Z", cut))))
    assert known - headings <= set(re.findall(r"w\d{4}x", said(cut)))


@given(st.text(max_size=60))
def test_escaped_text_comes_back_as_written(text: str) -> None:
    wanted = remove_invisible(re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "", text))
    found = texts(f"<p>{escape(text)}</p>")
    assert "".join("".join(found).split()) == "".join(wanted.split())
