"""The text of each inline element."""

import pytest

from tests.core.evidence.pages import code, macro, rows, shown, table


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>one <strong>two</strong><em> three</em></p>", "one two three"),
        ("<p>un<b>believ</b>able</p>", "unbelievable"),
        ("<p>one<br/>two</p>", "one\ntwo"),
        ("<p>a&nbsp;&uuml;&euro;&amp;&lt;b</p>", "a ü€&<b"),
        ('<p><a href="https://x.org/a">the site</a>.</p>', "the site (https://x.org/a)."),
        ('<p><a href="https://x.org/a">https://x.org/a</a></p>', "https://x.org/a"),
        ('<p><a href="mailto:a@x.org">a@x.org</a></p>', "a@x.org"),
        ('<p><a href="#top">up</a></p>', "up"),
        ('<p><a class="confluence-userlink" href="https://x.org/people/1">@Ada Byron</a></p>', "@Ada Byron"),
        ('<p><a href="https://x.org"> </a></p>', "https://x.org"),
        ('<p><time datetime="2024-10-03"></time> at noon</p>', "2024-10-03 at noon"),
        ("<p><ac:placeholder>Type here</ac:placeholder>Text</p>", "Text"),
    ],
)
def test_text_reads_as_on_the_page(markup: str, text: str) -> None:
    assert shown(markup) == text


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ('<ri:page ri:content-title="Install Guide"/>', "Install Guide"),
        ('<ri:page ri:content-title="Guide"/><ac:link-body><b>Guide</b></ac:link-body>', "Guide"),
        (
            (
                '<ri:page ri:content-title="Edit (step 2)"/><ac:plain-text-link-body>'
                "<![CDATA[Edit]]></ac:plain-text-link-body>"
            ),
            "Edit",
        ),
        ('<ri:page ri:content-title="Install Guide"/><ac:link-body>here</ac:link-body>', "here (Install Guide)"),
        ('<ri:attachment ri:filename="plan.pdf"/>', "[file: plan.pdf]"),
        ('<ri:url ri:value="https://x.org"/>', "https://x.org"),
        ('<ri:user ri:userkey="ff80"/>', "@user"),
        ('<ri:space ri:space-key="OPS"/>', "OPS"),
        ("", ""),
    ],
)
def test_a_link_gives_its_body_and_what_it_names(inside: str, text: str) -> None:
    assert shown(f"<p><ac:link>{inside}</ac:link></p>") == text


def test_a_link_within_the_page_gives_its_anchor() -> None:
    assert shown('<p>see <ac:link ac:anchor="Limits"/></p>') == "see Limits"


def test_a_mention_stands_apart_from_the_words_around_it_but_not_from_punctuation() -> None:
    user = '<ac:link><ri:user ri:userkey="f"/></ac:link>'
    assert shown(f"<p>by {user}in May ({user}), {user}.</p>") == "by @user in May (@user), @user."


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ('<ri:attachment ri:filename="rack.png"/>', "see [image: rack.png] now"),
        ('<ri:url ri:value="https://x.org/a/rack.png?v=2"/>', "see [image: rack.png] now"),
        (
            '<ri:attachment ri:filename="a.png"/><ac:caption><p>The rack</p></ac:caption>',
            "see [image: a.png]\nThe rack\nnow",
        ),
        ('<ri:attachment ri:filename="stand-by.png"/>', "see [image: stand-by.png] now"),
        ('<ri:attachment ri:filename="license-server.png"/>', "see [image: license-server.png] now"),
        ('<ri:attachment ri:filename="cc-by.png"/>', "see now"),
        ('<ri:attachment ri:filename="CC-BY-NC-ND-88x31.png"/>', "see now"),
        ('<ri:url ri:value="https://licensebuttons.net/l/by/4.0/88x31.png"/>', "see now"),
        ('<ri:url ri:value="data:image/png;base64,iVBORw0KGgo/AAAA"/>', "see now"),
    ],
)
def test_an_image_gives_its_file_name_and_a_licence_badge_nothing(inside: str, text: str) -> None:
    assert shown(f"<p>see <ac:image ac:alt='x'>{inside}</ac:image> now</p>") == text


@pytest.mark.parametrize(
    ("alternative", "file", "text"),
    [
        ("Assembly point is the fountain", "p.png", "[image: Assembly point is the fountain]"),
        ("Plan [2026]", "p.png", "[image: Plan (2026)]"),
        ("Floor 2.5", "p.png", "[image: Floor 2.5]"),
        ("plan of tower.png", "image.png", "[image: image.png]"),
        ("https://x.org/plan", "p.png", "[image: p.png]"),
        ("Tower", "tower-2026.png", "[image: tower-2026.png]"),
        ("42", "p.png", "[image: p.png]"),
        ("Creative Commons licence", "cc-by.png", ""),
    ],
)
def test_an_image_has_its_alternative_text_as_name_if_that_has_words(alternative: str, file: str, text: str) -> None:
    image = f'<ac:image ac:alt="{alternative}"><ri:attachment ri:filename="{file}"/></ac:image>'
    assert shown(f"<p>{image}</p>") == text


def test_an_image_without_a_name_has_its_alternative_text() -> None:
    image = '<ac:image ac:alt="The assembly point"><ri:url ri:value="data:image/png;base64,iVBORw0"/></ac:image>'
    assert shown(f"<p>{image}</p>") == "[image: The assembly point]"
    badge = '<ac:image ac:alt="Creative Commons"><ri:url ri:value="https://creativecommons.org/a.png"/></ac:image>'
    assert shown(f"<p>{badge}</p>") == ""


def test_a_date_stands_apart_from_the_words_around_it_but_not_from_punctuation() -> None:
    one, other = '<time datetime="2026-05-02"/>', '<time datetime="2026-05-04"/>'
    assert shown(f"<p>Valid {one}{other}and until{one}, ({other}).</p>") == (
        "Valid 2026-05-02 2026-05-04 and until 2026-05-02, (2026-05-04)."
    )


@pytest.mark.parametrize(
    ("emoticon", "text"),
    [
        ('ac:name="tick"', "✓"),
        ('ac:name="cross"', "✗"),
        ('ac:name="warning"', "⚠"),
        ('ac:name="blue-star" ac:emoji-shortname=":rocket:" ac:emoji-fallback="🚀"', "🚀"),
        ('ac:name="blue-star"', "★"),
        ('ac:name="unheard-of"', ""),
    ],
)
def test_an_emoticon_gives_its_sign(emoticon: str, text: str) -> None:
    assert shown(f"<p><ac:emoticon {emoticon}/></p>") == text


def test_an_emoticon_does_not_stick_to_a_word() -> None:
    assert shown('<p><ac:emoticon ac:name="warning"/>Hot <ac:emoticon ac:name="tick"/>.</p>') == "⚠ Hot ✓."


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (macro("status", title="IN PROGRESS", colour="Yellow"), "IN PROGRESS"),
        (macro("jira", server="S", serverId="1", columns="key,summary", key="ABC-1"), "ABC-1"),
        (macro("jira", server="S", jqlQuery="project = ABC"), "[Jira: project = ABC]"),
        (macro("jira", server="S", jqlQuery="text ~ '[a]'"), "[Jira: text ~ '(a)']"),
        (macro("view-file", name='<ri:attachment ri:filename="a.pdf"/>', height="250"), "[file: a.pdf]"),
        (macro("widget", url='<ri:url ri:value="https://x.org/v"/>', width="1"), "https://x.org/v"),
        (macro("drawio", diagramName="network", zoom="1"), "[file: network]"),
        (macro("anchor", **{"": "here"}), ""),
        (macro("toc", maxLevel="3"), ""),
        (macro("unknown-app", secret="token"), ""),
    ],
)
def test_a_macro_in_a_line_gives_what_it_shows(markup: str, text: str) -> None:
    assert shown(f"<p>a {markup} b</p>") == " ".join(f"a {text} b".split())


def test_two_issue_keys_side_by_side_stay_two_words() -> None:
    assert shown(f"<p>({macro('jira', key='A-1')}{macro('jira', key='A-2')}).</p>") == "(A-1 A-2)."


def test_a_macro_that_says_it_stands_in_line_does_not_break_the_line() -> None:
    coloured = macro("bgcolor", "red", **{"atlassian-macro-output-type": "INLINE"})
    assert shown(f"<p>a {coloured} b</p>") == "a red b"


def test_parameters_never_leak() -> None:
    everywhere = macro("x", "<p>body</p>", secret="LEAK") + macro("jira", columns="LEAK", key="K-1")
    markup = f"<p>{everywhere}</p><ul><li>{everywhere}</li></ul><pre>{everywhere}</pre><h2>{everywhere}</h2>"
    found = shown(markup + rows(f"a | {everywhere}") + code("c", secret="LEAK"))
    assert "LEAK" not in found
    assert found.count("K-1") == 5


def test_tick_and_cross_alone_in_a_cell_mean_yes_and_no() -> None:
    tick, cross = '<ac:emoticon ac:name="tick"/>', '<p><ac:emoticon ac:name="cross"/></p>'
    found = table(rows("th:Feature | th:Basic | th:Pro", f"SSO | {cross} | {tick}", f"API | ✅ | {tick} since 2.0"))
    assert [row.cells[1:] for row in found.rows] == [
        (("Basic", "no"), ("Pro", "yes")),
        (("Basic", "yes"), ("Pro", "✓ since 2.0")),
    ]


def test_preformatted_text_keeps_its_lines_and_spaces() -> None:
    assert shown('<pre>a  b<br/>  <a href="https://x.org">c</a>\nd</pre>') == "```\na  b\n  c\nd\n```"
