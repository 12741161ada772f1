from __future__ import annotations

from adapters.slack.mrkdwn import escape, render_code, render_paragraph
from core.views.document import Code, Paragraph, Run, link


def text(*runs: Run) -> str:
    return render_paragraph(Paragraph(runs))


def test_a_links_label_is_escaped() -> None:
    assert text(link("https://wiki/?x=1&y=2", "T|x\n<y> `z`")) == "<https://wiki/?x=1&amp;y=2|T|x &lt;y&gt; ˋzˋ>"
    assert text(link("javascript:alert(1)", "a <b>")) == "a &lt;b&gt;"


def test_a_link_that_is_too_long_becomes_its_label() -> None:
    assert text(link("https://wiki/?" + "&" * 900, "Page")) == "Page"
    assert len(text(link("https://wiki/", "&" * 150))) < 450


def test_exactly_three_characters_are_escaped_once() -> None:
    assert escape("a & b < c > \"d\" 'e' &lt;") == "a &amp; b &lt; c &gt; \"d\" 'e' &amp;lt;"


def test_code_cannot_be_closed_by_its_text() -> None:
    assert text(Run("a`b\nc", code=True)) == "`aˋb c`"
    assert text(Run(" \n", code=True)) == ""
    assert render_code(Code(("x ```` y",))).count("```") == 2


def test_adjacent_runs_of_one_style_share_their_marks() -> None:
    runs = (Run("a ", ("bold",)), Run("b", ("bold", "italic")), Run(" c", ("bold",)), Run(" d"))
    assert text(*runs) == "*a _b_ c* d"
    assert text(Run("one\ntwo ", ("strike",))) == "~one~\n~two~"


def test_only_allowed_runs_mention_and_only_one_person() -> None:
    assert text(Run("<@U0123>", may_mention=True)) == "<@U0123>"
    assert text(Run("<@U0123>")) == "&lt;@U0123&gt;"
    assert text(Run("<@U0123> <!here>", may_mention=True)) == "&lt;@U0123&gt; &lt;!here&gt;"
