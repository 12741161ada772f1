"""What is no question is not asked of the wiki, by ``wikiwhy ask`` as in the chats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bot.cli.running import wikiwhy


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("hi", "I answer questions from the synced wiki, and cite the place of each answer. Ask, for example:"),
        ("Was kannst du?", "I answer questions from the synced wiki"),
        ("thanks", "You're welcome."),
        ("Vielen Dank!", "Gern geschehen."),
        ("ok", 'Ask, for example: wikiwhy ask "Who approves travel?"'),
    ],
)
def test_a_remark_gets_a_reply_and_no_search(synced_once: Path, said: str, reply: str) -> None:
    ran = wikiwhy("ask", said, "--data-dir", synced_once / "data")
    assert ran.code == 0, ran.err
    assert ran.says(reply)
    assert "[1]" not in ran.out


def test_a_program_gets_a_turn_for_whatever_it_asks(synced_once: Path) -> None:
    assert wikiwhy("ask", "--json", "hi", "--data-dir", synced_once / "data").json["question"]
