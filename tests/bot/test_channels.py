"""The admin's channels file."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.admin_files import ChannelsFile, read_channels
from core.access import Channel, Channels
from core.errors import SettingsInvalid
from core.ports.chat import Place

FILE = """
[channels."slack:T1:C1"]
spaces = ["ENG", "PEO"]
follow_ups = "mention"

[channels."teams:tenant:19:abc@thread.tacv2"]
spaces = []

[spaces.ENG]
contact = "#engineering-help"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "channels.toml"
    path.write_text(FILE)
    return path


def changed(file: Path, text: str) -> None:
    """Also where the clock of the files is coarse."""
    later = file.stat().st_mtime_ns + 10**9 if file.exists() else 10**18
    file.write_text(text)
    os.utime(file, ns=(later, later))


def test_a_channel_has_what_the_file_says_and_others_the_defaults(file: Path) -> None:
    channels = read_channels(str(file))
    assert channels.find_channel(Place("slack", "T1", "C1", "1.0")) == Channel(frozenset({"ENG", "PEO"}), "mention")
    assert channels.find_channel(Place("teams", "tenant", "19:abc@thread.tacv2", "1")) == Channel(frozenset(), "thread")
    for place in (Place("slack", "T1", "C2", "1.0"), Place("slack", "T2", "C1", "1.0")):
        assert channels.find_channel(place) == Channel(None, "thread")
    assert channels.contacts == {"ENG": "#engineering-help"}


def test_without_a_file_nothing_is_set() -> None:
    assert read_channels("") == Channels()
    assert ChannelsFile("").read() == Channels()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[channels", "is invalid"),
        ("channels = 3", "tables"),
        ('spaces = ["ENG"]', "tables"),
        ("[channel.x]", "channel is neither"),
        ('[channels."C1"]', "C1 is not a channel"),
        ('[channels."irc:T1:C1"]', "irc:T1:C1 is not a channel"),
        ('[channels]\n"slack:T1:C1" = "ENG"', "must be a table"),
        ('[channels."slack:T1:C1"]\nspaces = "ENG"', "not a list of keys"),
        ('[channels."slack:T1:C1"]\nspaces = [1]', "not a list of keys"),
        ('[channels."slack:T1:C1"]\nfollow_ups = "never"', "neither"),
        ('[channels."slack:T1:C1"]\nspace = ["ENG"]', "has space, which is none of"),
        ("[spaces.ENG]\ncontact = 3", "the contact of ENG is not text"),
        ("[spaces.ENG]\nowner = 3", "has owner"),
    ],
)
def test_what_is_wrong_in_it_is_said_with_the_files_name(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(SettingsInvalid) as raised:
        read_channels(str(file))
    assert said in str(raised.value)
    assert str(file) in str(raised.value)


def test_a_file_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match="cannot be read"):
        ChannelsFile(str(tmp_path / "none.toml"))


def test_a_file_of_windows_is_read_too(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode())
    assert read_channels(str(file)).contacts == {"ENG": "#engineering-help"}


@given(st.binary(max_size=60))
def test_whatever_is_in_the_file_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_bytes(content)
    with suppress(SettingsInvalid):
        read_channels(str(file))


def test_a_change_counts_from_the_next_message_on(file: Path) -> None:
    channels = ChannelsFile(str(file))
    assert "ENG" in channels.read().contacts
    changed(file, '[spaces.HR]\ncontact = "Ann"')
    assert channels.read().contacts == {"HR": "Ann"}


def test_a_file_that_got_broken_or_lost_counts_as_it_was_and_is_told_of_once(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    channels = ChannelsFile(str(file))
    before = channels.read()
    changed(file, "[broken")
    with caplog.at_level(logging.WARNING):
        assert [channels.read() for _ in range(3)] == [before] * 3
    assert len(caplog.records) == 1
    file.unlink()
    with caplog.at_level(logging.WARNING):
        assert [channels.read() for _ in range(3)] == [before] * 3
    assert len(caplog.records) == 2
    changed(file, '[spaces.HR]\ncontact = "Ann"')
    assert channels.read().contacts == {"HR": "Ann"}
