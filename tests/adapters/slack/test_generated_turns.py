"""A thousand generated turns, each shown in every way that Slack has: nothing of it may break a documented limit."""

from __future__ import annotations

import random

import pytest

from adapters.slack.blocks import has_tables, render_message
from adapters.slack.windows import answer_modal, home_tab, link_preview, sources_modal
from core.model import PageFacts
from core.views.messages import answer_view
from core.views.model import AdminHomeView, AnswerView, HelpView, HomeView, LinkView, PageLink
from core.views.sources import sources_view
from tests.adapters.slack.limits import check_blocks, check_message_text, check_view, links_of, markup_of
from tests.adapters.slack.strategies import LONG, NASTY
from tests.contracts.generated_turns import LONG_CELL, PARTS, TURNS, URL, WORDS, each_part, make_turns
from tests.servers.slack.blocks import check_home


def check(view: AnswerView) -> bool:
    """Whether the message has a table of Slack's."""
    for with_tables in (True, False):
        message = render_message(view, "ask:1", with_tables)
        check_blocks(message["blocks"])
        check_message_text(message["text"])
        assert set(links_of(markup_of(message["blocks"]))) <= {URL}
    return has_tables(render_message(view, ""))


@each_part
def test_nothing_of_a_thousand_turns_breaks_a_limit(part: int) -> None:
    with_tables = 0
    for made in make_turns(part)[1]:
        view = answer_view(made, {"1"})
        with_tables += check(view)
        check_view(answer_modal(view))
        check_view(sources_modal(sources_view(made, {"1": PageFacts()})))
    assert with_tables > TURNS // PARTS // 10


@pytest.mark.parametrize("seed", range(30))
def test_nothing_of_its_own_page_and_of_links_breaks_a_limit(seed: int) -> None:
    chance = random.Random(seed)
    texts = [*NASTY, *LONG, *WORDS, LONG_CELL]
    pages = tuple(PageLink(chance.choice(texts), chance.choice((URL, ""))) for _ in range(10))
    lines = tuple(chance.choice(texts) for _ in range(120))
    admin = AdminHomeView(lines, pages, 3, 4, tuple((page, chance.choice(texts)) for page in pages))
    help_view = HelpView("de", "@WikiWhy", lines, direct=True, admin=True)
    home = home_tab(HomeView(help_view, pages, lines, admin))
    check_home(home)
    preview = link_preview(LinkView("en", "1", chance.choice(texts), URL, lines[:3], chance.choice(texts)))
    check_blocks(preview["blocks"])
