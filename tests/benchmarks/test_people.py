"""The pages and questions of ``benchmarks.people``: sound, and served with mentions only."""

from __future__ import annotations

import pytest

from benchmarks.people.measure import read_pages, serve
from tests.servers.confluence import Flavour


def test_sixty_questions_over_fifteen_pages_ask_for_people_of_the_wiki() -> None:
    pages = read_pages()
    asked = [each for page in pages.pages for each in page["questions"]]
    assert (len(pages.pages), len(asked)) == (15, 60)
    assert all(handle in pages.people for each in asked for handle in each["who"])


@pytest.mark.parametrize("flavour", ["cloud", "datacenter"])
def test_no_page_has_the_name_of_anybody(flavour: Flavour) -> None:
    pages = read_pages()
    for page in serve(pages, flavour).pages.values():
        assert not any(name in page.body for name in pages.people.values())
        assert "{" not in page.body
