from __future__ import annotations

import pytest

from core.views.document import Code, Paragraph, Run, check_web_address, get_plain_text, link


@pytest.mark.parametrize(
    "url",
    [
        "javascript://x/%0aalert(1)",
        "javascript:alert(1)",
        "//x",
        "data:text/html,x",
        "https://",
        "",
        "ftp://x/y",
        "http://[x",
        "https://wiki/" + "x" * 1_200,
    ],
)
def test_only_web_addresses_become_links(url: str) -> None:
    assert check_web_address(url) == ""
    assert link(url, "a <b>") == Run("a <b>")


def test_no_character_of_an_address_ends_its_link() -> None:
    assert check_web_address("HTTPS://wiki/a b|c>d<e`f\ng?x=1&y=ä%20") == (
        "https://wiki/a%20b%7Cc%3Ed%3Ce%60f%0Ag?x=1&y=%C3%A4%20"
    )


def test_a_link_without_words_shows_its_address() -> None:
    assert link("https://wiki/1", " \n").text == "https://wiki/1"


def test_plain_text_has_no_markup() -> None:
    item = Paragraph((Run("see "), link("https://wiki/1", "[1]"), Run(" now", ("bold",))), level=1, marker="•")
    assert get_plain_text([item, Paragraph((Run(" "),)), Code(("  ls", "pwd"))]) == "    • see [1] now\n  ls\npwd"
