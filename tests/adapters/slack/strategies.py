"""Hypothesis strategies for all kinds of views, with hostile and long texts."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from core.model import EVIDENCE_KINDS, Citation
from core.model.views import (
    AnswerView,
    BarView,
    ExplanationView,
    HelpView,
    LocationView,
    Notice,
    PageLink,
    SourcesView,
    SourceView,
    View,
    Waiting,
)
from core.views.document import check_web_address

# No shrinking: it takes minutes with texts of this length.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
MANY = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck), phases=_PHASES)

NASTY = (
    "<!channel>", "<!here|x>", "<@U12345>", "<#C12345|general>", "<!subteam^S1>", "&lt;!channel&gt;", "&amp;", "@here",
    "[x](javascript:alert(1))", "[x](https://evil.example)", "<https://evil.example|wiki>", "https://evil.example/?a=b",
    "[1]: https://evil.example", "```", "````", "`", "``", "~~~", "```sh\nls -la | grep <x> && rm *\n```", "**", "*",
    "_", "__x__", "~", "> ", ">>> ", "# ", "- ", "  - ", "1. ", "    ", "\t", "\n", "\n\n", "\r\n", "\u2028", "\x00",
    "\x1b[31m", "\u202e", "\u200b", "\ud800", "👩‍👩‍👧‍👦", "🎉", ":tada:", "漢字", "ä", "é", "[1]", "[2][3]", "[9999]",
    "[?]", "| a | b |\n|---|---|\n| 1 | 2 |", "|", "\\", "![alt](https://evil.example/x.png)", "<b>bold</b>",
    "<script>", "&", "<", ">", "mailto:a@b.c", "www.evil.example", "ann@evil.example",
)  # fmt: skip
LONG = (
    "\n".join(["| name | value |", "|---|---|", *(f"| row {at} | {'x' * (at % 30)} [1] |" for at in range(120))]),
    "\n```\n" + "code <&> " * 700 + "\n```\n",
    "word " * 900,
    "&" * 4_000,
    "\n".join(f"- item {at}" for at in range(400)),
    "🎉" * 2_500,
    "x" * 7_000,
    "**bold " * 300,
    "> quoted\n" * 200,
    "[1][2][3] " * 200,
)

short = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=10)), max_size=6).map("".join)
nasty = st.lists(st.one_of(short, short, st.sampled_from(LONG)), max_size=5).map("".join)
urls = st.one_of(
    st.sampled_from(
        (
            "",
            "https://wiki.example/pages/1?a=1&b=2#Some-heading",
            "http://wiki.example/ä ö|x>y<z`",
            "javascript:alert(1)",
            "HTTPS://WIKI.example/X",
            "//evil",
            "http://[x",
            "data:text/html,x",
            "https://",
            *("https://wiki/" + character * 1_100 for character in "aü& "),
            "https://wiki/x\ny",
        )
    ),
    st.text(max_size=30).map(lambda end: f"https://wiki.example/{end}"),
)  # fmt: skip
languages = st.sampled_from(("en", "de"))
numbers = st.integers(1, 60)
shares = st.floats(1e-6, 1.0)
percents = st.sampled_from(("<1%", "7%", "62%", "100%"))

citations = st.builds(
    Citation, numbers, st.just("e"), st.just("p"), short, short, urls, st.sampled_from(EVIDENCE_KINDS), nasty
)
pages = st.builds(PageLink, short, urls, passage=short)
answers = st.builds(
    AnswerView,
    turn_id=st.just("turn-1"),
    language=languages,
    text=nasty,
    answered=st.booleans(),
    markup=st.sampled_from(("plain", "markdown")),
    citations=st.one_of(st.lists(citations, max_size=5), st.lists(citations, min_size=25, max_size=60)).map(tuple),
    understood_as=nasty,
    closest=st.lists(pages, max_size=5).map(tuple),
    contact=short,
    notes=st.lists(nasty, max_size=8).map(tuple),
    suggestions=st.lists(nasty, max_size=8).map(tuple),
)
headings = st.lists(short, max_size=4).map(tuple)
locations = st.builds(LocationView, short, headings, urls, st.lists(numbers, max_size=8).map(tuple), short)
headed = st.tuples(short, st.lists(locations, max_size=12).map(tuple))
bars = st.builds(BarView, shares, percents, st.lists(locations, max_size=8).map(tuple))
said = st.tuples(short, nasty)
explanations = st.builds(
    ExplanationView,
    turn_id=st.just("turn-1"),
    language=languages,
    heading=short,
    question=nasty,
    conclusion=nasty,
    bars=st.lists(bars, max_size=12).map(tuple),
    unmoved=headed,
    unknown=headed,
    causes=st.lists(nasty, max_size=4).map(tuple),
    without_top=said,
    problem=nasty,
    compared_with=said,
    notes=st.lists(nasty, max_size=4).map(tuple),
    made=short,
    answer_id=st.sampled_from(("", "1.5")),
)
waiting = st.builds(
    Waiting, languages, st.sampled_from(("answer", "explanation", "sync")), short, numbers, st.integers(0, 9)
)
notices = st.builds(
    Notice,
    nasty,
    st.lists(nasty, max_size=9).map(tuple),
    st.sampled_from(("info", "problem", "done")),
    st.lists(pages, max_size=8).map(tuple),
)
helps = st.builds(HelpView, languages, short, st.lists(short, max_size=40).map(tuple), st.booleans(), st.booleans())
sources = st.builds(
    SourcesView,
    language=languages,
    question=nasty,
    sources=st.lists(
        st.builds(SourceView, numbers, st.one_of(st.none(), numbers), short, headings, short, nasty, urls),
        max_size=40,
    ).map(tuple),
    hidden=st.integers(0, 3),
)
views: st.SearchStrategy[View] = st.one_of(answers, sources, explanations, waiting, notices, helps)


def addresses_in(view: View) -> set[str]:
    """Return the addresses that a message with this view may link to."""
    match view:
        case AnswerView():
            found = [*(citation.url for citation in view.citations), *(page.url for page in view.closest)]
        case ExplanationView():
            shown = [*(each for bar in view.bars for each in bar.locations), *view.unmoved[1], *view.unknown[1]]
            found = [each.url for each in shown]
        case Notice():
            found = [page.url for page in view.links]
        case SourcesView():
            found = [source.url for source in view.sources]
        case _:
            found = []
    return {check_web_address(url) for url in found}
