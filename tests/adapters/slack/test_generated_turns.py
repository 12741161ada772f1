"""A thousand generated turns, rendered in all forms of Slack, keep the documented limits."""

from __future__ import annotations

import random

import pytest

from adapters.slack.blocks import has_tables, render_message
from adapters.slack.windows import render_answer, render_home, render_link_preview, render_sources
from core.model import PageFacts
from core.model.views import AdminHomeView, AnswerView, HelpView, HomeView, LinkView, PageLink
from core.views.messages import build_answer_view
from core.views.sources import build_sources_view
from tests.adapters.slack.limits import check_blocks, check_message_text, check_view, find_links, read_markup
from tests.adapters.slack.strategies import LONG, NASTY
from tests.contracts.generated_turns import LONG_CELL, PARTS, TURNS, URL, WORDS, each_part, make_turns
from tests.servers.slack.blocks import check_home


def check(view: AnswerView) -> bool:
    """Check all forms of a view; return whether its message has a table block."""
    for with_tables in (True, False):
        message = render_message(view, "ask:1", with_tables)
        check_blocks(message["blocks"])
        check_message_text(message["text"])
        assert set(find_links(read_markup(message["blocks"]))) <= {URL}
    return has_tables(render_message(view, ""))


@pytest.mark.slow
@each_part
def test_a_thousand_turns_keep_the_limits(part: int) -> None:
    with_tables = 0
    for made in make_turns(part)[1]:
        view = build_answer_view(made, {"1"})
        with_tables += check(view)
        check_view(render_answer(view))
        check_view(render_sources(build_sources_view(made, {"1": PageFacts()})))
    assert with_tables > TURNS // PARTS // 10


@pytest.mark.parametrize("seed", range(30))
def test_home_tab_and_link_previews_keep_the_limits(seed: int) -> None:
    chance = random.Random(seed)
    texts = [*NASTY, *LONG, *WORDS, LONG_CELL]
    pages = tuple(PageLink(chance.choice(texts), chance.choice((URL, "")), "", chance.choice(texts)) for _ in range(10))
    lines = tuple(chance.choice(texts) for _ in range(120))
    admin = AdminHomeView(lines, pages, 3, 4, tuple((page, chance.choice(texts)) for page in pages))
    help_view = HelpView("de", lines, direct=True, admin=True)
    home = render_home(HomeView(help_view, pages, lines, admin))
    check_home(home)
    preview = render_link_preview(LinkView("en", "1", chance.choice(texts), URL, lines[:3], chance.choice(texts)))
    check_blocks(preview["blocks"])
