from __future__ import annotations

import pytest

from adapters.slack.mrkdwn import code, escape, fence, is_web, link, plain_text, shorten, size


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
    ],
)
def test_only_web_addresses_become_links(url: str) -> None:
    assert not is_web(url)
    assert link(url, "a <b>") == "a &lt;b&gt;"


def test_no_character_of_an_address_ends_its_link() -> None:
    url = "HTTPS://wiki/a b|c>d<e`f\ng?x=1&y=ä"
    assert link(url, "T|x\n<y> `z`") == "<HTTPS://wiki/a%20b%7Cc%3Ed%3Ce%60f%0Ag?x=1&amp;y=ä|T|x &lt;y&gt; ˋzˋ>"


def test_a_link_without_words_shows_its_address() -> None:
    assert link("https://wiki/1", " \u200e\n") in ("<https://wiki/1|\u200e>", "<https://wiki/1|https://wiki/1>")
    assert link("https://wiki/1", "") == "<https://wiki/1|https://wiki/1>"


def test_exactly_three_characters_are_escaped_and_nothing_twice_seen() -> None:
    assert escape("a & b < c > \"d\" 'e' &lt;") == "a &amp; b &lt; c &gt; \"d\" 'e' &amp;lt;"


def test_what_reorders_or_breaks_a_text_is_gone() -> None:
    assert escape("a\u202eb\x00c\ud800d\r\ne\u2028f") == "abcd\ne\nf"


def test_code_cannot_be_left() -> None:
    assert code("a`b\nc") == "`aˋb c`"
    assert code(" \n") == ""
    assert fence(escape("x ```` y")).count("```") == 2


def test_texts_are_measured_and_cut_as_slack_may_count() -> None:
    assert size("a🎉") == 3
    assert shorten("🎉" * 10, 10) == "🎉🎉🎉🎉…"
    assert size(shorten("🎉" * 10, 10)) <= 10
    assert plain_text("a\nb <c>", 75) == {"type": "plain_text", "text": "a b <c>", "emoji": False}
