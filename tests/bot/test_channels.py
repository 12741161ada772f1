"""The admin's channels file."""

from __future__ import annotations

import logging
import os
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import admin_files
from bot.admin_files import ChannelsFile, read_channels
from core.access import Channel, Channels
from core.errors import SettingsInvalid
from core.ports.chat import Place
from core.views.inert import break_addresses

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


class Clock:
    """The time at which a file was last changed, some seconds later: the machine may stop a test for seconds."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changed = 0.0
        self.later = 0.0

    def __call__(self) -> float:
        if self._path.exists():
            self._changed = self._path.stat().st_ctime
        return self._changed + self.later


@pytest.fixture
def clock(file: Path) -> Clock:
    return Clock(file)


def spaces_of_c1(channels: Channels) -> AbstractSet[str] | None:
    return channels.find_channel(Place("slack", "T1", "C1", "1.0")).spaces


def test_a_channel_has_what_the_file_says_and_others_the_defaults(file: Path) -> None:
    channels = read_channels(str(file))
    assert channels.find_channel(Place("slack", "T1", "C1", "1.0")) == Channel(frozenset({"ENG", "PEO"}), "mention")
    assert channels.find_channel(Place("teams", "tenant", "19:abc@thread.tacv2", "1")) == Channel(frozenset(), "thread")
    for place in (Place("slack", "T1", "C2", "1.0"), Place("slack", "T2", "C1", "1.0")):
        assert channels.find_channel(place) == Channel(None, "thread")
    assert channels.contacts == {"ENG": "#engineering-help"}


def test_an_id_that_was_copied_from_a_message_is_that_of_its_channel(file: Path) -> None:
    shown = break_addresses("teams:tenant:19:abc@thread.tacv2")
    assert shown != "teams:tenant:19:abc@thread.tacv2"
    file.write_text(FILE.replace("teams:tenant:19:abc@thread.tacv2", shown))
    place = Place("teams", "tenant", "19:abc@thread.tacv2", "1")
    assert read_channels(str(file)).find_channel(place).spaces == frozenset()


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


def test_a_change_counts_as_soon_as_it_is_some_seconds_old(file: Path, clock: Clock) -> None:
    channels = ChannelsFile(str(file), clock)
    assert "ENG" in channels.read().contacts
    file.write_text('[spaces.HR]\ncontact = "Ann"')
    clock.later = 10
    assert channels.read().contacts == {"HR": "Ann"}


def test_a_change_counts_if_size_and_date_are_the_same(file: Path, clock: Clock) -> None:
    os.utime(file, (10**9, 10**9))
    channels = ChannelsFile(str(file), clock)
    clock.later = 10
    assert spaces_of_c1(channels.read()) == {"ENG", "PEO"}
    file.write_text(FILE.replace("ENG", "PEO"))
    os.utime(file, (10**9, 10**9))
    clock.later = 20
    assert spaces_of_c1(channels.read()) == {"PEO"}


def test_a_change_within_the_same_tick_as_a_reading_counts(
    file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = admin_files._get_version(file)
    monkeypatch.setattr(admin_files, "_get_version", lambda path: version)
    channels = ChannelsFile(str(file), clock)
    channels.read()
    file.write_text(FILE.replace("ENG", "PEO"))
    clock.later = 10
    assert spaces_of_c1(channels.read()) == {"PEO"}


def test_a_date_in_the_future_delays_a_change_by_some_seconds_only(file: Path, clock: Clock) -> None:
    channels = ChannelsFile(str(file), clock)
    file.write_text(FILE.replace("ENG", "PEO"))
    os.utime(file, (4 * 10**9, 4 * 10**9))
    assert spaces_of_c1(channels.read()) == {"ENG", "PEO"}
    clock.later = 10
    assert spaces_of_c1(channels.read()) == {"PEO"}


def test_while_the_file_is_written_no_channel_gets_the_default_spaces(file: Path, clock: Clock) -> None:
    """Many of the beginnings of a file are valid: they name the channel without its spaces, or not at all."""
    written = "[spaces.ENG]\ncontact = 'Ann'\n" + FILE.replace("PEO", "HR").partition("[spaces")[0]
    channels = ChannelsFile(str(file), clock)
    for end in range(len(written)):
        file.write_text(written[:end])
        assert spaces_of_c1(channels.read()) == {"ENG", "PEO"}
    file.write_text(written)
    clock.later = 10
    assert spaces_of_c1(channels.read()) == {"ENG", "HR"}


def test_a_file_that_changes_while_it_is_read_is_read_again(
    file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    channels = ChannelsFile(str(file), clock)
    clock.later = 10
    file.write_text("[channels]")
    read_text = Path.read_text

    def read_and_change(path: Path, encoding: str | None = None, errors: str | None = None) -> str:
        text = read_text(path, encoding, errors)
        monkeypatch.setattr(Path, "read_text", read_text)
        path.write_text(FILE.replace("ENG", "HR"))
        return text

    monkeypatch.setattr(Path, "read_text", read_and_change)
    assert spaces_of_c1(channels.read()) == {"ENG", "PEO"}
    assert spaces_of_c1(channels.read()) == {"HR", "PEO"}


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n"])
def test_an_empty_file_counts_as_lost_and_a_heading_alone_removes_all_entries(
    file: Path, clock: Clock, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    """A full disk, or an editor that was killed, leaves an empty file for good."""
    channels = ChannelsFile(str(file), clock)
    before = channels.read()
    file.write_text(text)
    clock.later = 10
    with caplog.at_level(logging.WARNING):
        assert [channels.read() for _ in range(3)] == [before] * 3
    (record,) = caplog.records
    assert "is empty" in record.getMessage()
    assert "[channels]" in record.getMessage()
    file.write_text("[channels]\n")
    clock.later = 20
    assert channels.read() == Channels()
    file.write_text(text)
    clock.later = 30
    assert channels.read() == Channels()


def test_a_server_that_starts_with_an_empty_file_says_so(
    file: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_text("")
    with caplog.at_level(logging.WARNING):
        channels = ChannelsFile(str(file), clock)
    (record,) = caplog.records
    assert "the default spaces" in record.getMessage()
    file.write_text(FILE)
    clock.later = 10
    assert spaces_of_c1(channels.read()) == {"ENG", "PEO"}


def test_a_file_that_got_broken_or_lost_counts_as_it_was_and_is_told_of_once(
    file: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    channels = ChannelsFile(str(file), clock)
    before = channels.read()
    file.write_text("[broken")
    clock.later = 10
    with caplog.at_level(logging.WARNING):
        assert [channels.read() for _ in range(3)] == [before] * 3
    assert len(caplog.records) == 1
    file.unlink()
    with caplog.at_level(logging.WARNING):
        assert [channels.read() for _ in range(3)] == [before] * 3
    assert len(caplog.records) == 2
    file.write_text('[spaces.HR]\ncontact = "Ann"')
    clock.later = 20
    assert channels.read().contacts == {"HR": "Ann"}
