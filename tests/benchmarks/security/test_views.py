"""Hostile texts in every field of every view, in few cases; and the reader of messages sees what is wrong."""

from benchmarks.security._views_generated import Generator
from benchmarks.security.views import violations, wrong_in_slack, wrong_in_teams, wrong_in_terminal


def test_no_view_links_elsewhere_mentions_or_controls_a_terminal() -> None:
    generator = Generator(seed=11)
    assert [wrong for _ in range(60) for wrong in violations(generator)] == []


def test_a_mention_and_a_link_in_slack_are_seen() -> None:
    text = {"type": "mrkdwn", "text": "<!channel> <https://evil.example|x>", "verbatim": True}
    assert len(list(wrong_in_slack({"blocks": [{"type": "section", "text": text}]}))) == 2


def test_a_link_in_teams_is_seen() -> None:
    link = {"type": "Action.OpenUrl", "url": "https://evil.example"}
    run = {"type": "TextRun", "text": "x", "selectAction": link}
    assert list(wrong_in_teams({"body": [{"type": "RichTextBlock", "inlines": [run]}]}))


def test_a_title_and_a_link_in_a_terminal_are_seen() -> None:
    assert len(list(wrong_in_terminal("\x1b]0;title\x07 \x1b]8;;https://evil.example\x1b\\x\x1b]8;;\x1b\\"))) == 2
