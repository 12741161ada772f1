"""The admin's file as it is now."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

import pytest

from bot.admin_files import AccountsFile
from core.errors import AccountsUnreadable


def later() -> float:
    """Return a time at which any file of this test is settled."""
    return time.time() + 60


def test_no_file_names_nobody() -> None:
    assert AccountsFile("").read().of == {}


def test_a_change_is_read_without_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("\ufeffslack:T1:U1,ada\r\n", "utf-8")
    file = AccountsFile(str(path), later)
    assert file.read().of == {"slack:T1:U1": {"ada"}}
    assert file.read() is file.read()
    before = path.stat()
    path.write_text("\ufeffslack:T1:U1,ben\r\n", "utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.read().of == {"slack:T1:U1": {"ben"}}
    (tmp_path / "new").write_text("slack:T1:U1,cam\n", "utf-8")
    (tmp_path / "new").replace(path)
    assert file.read().of == {"slack:T1:U1": {"cam"}}


def test_a_file_that_goes_away_is_an_error_rather_than_what_it_said(tmp_path: Path) -> None:
    path = tmp_path / "accounts.csv"
    file = AccountsFile(str(path), later)
    with pytest.raises(AccountsUnreadable, match=r"WIKIWHY_ACCOUNTS names .*accounts\.csv, which cannot be read"):
        file.read()
    path.write_text("slack:T1:U1,ada")
    assert file.read().of
    path.unlink()
    with pytest.raises(AccountsUnreadable, match="Put the file there"):
        file.read()
    path.mkdir()
    with pytest.raises(AccountsUnreadable):
        file.read()


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_another_encoding_is_said(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("slack:T1:U1,jürgen", encoding)
    with pytest.raises(AccountsUnreadable, match=r"not text in UTF-8. Save it as CSV in UTF-8"):
        AccountsFile(str(path), later).read()


def test_lines_in_error_are_logged_once_for_each_change(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("slack:T1:U1,ada\nslack:T1:U1,ben\n")
    file = AccountsFile(str(path), later)
    with caplog.at_level(logging.WARNING):
        file.read()
        file.read()
    (record,) = caplog.records
    assert record.getMessage().startswith(f"{path}, line 2: slack:T1:U1 has another account in line 1")


def test_half_a_line_of_a_file_that_is_being_written_names_nobody(tmp_path: Path) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("slack:T1:U1,ada\nslack:T1:U2,ben")  # the beginning of "bennet"
    passed = 0.0
    file = AccountsFile(str(path), lambda: time.time() + passed)
    assert file.read().of == {"slack:T1:U1": {"ada"}}
    path.write_text("slack:T1:U1,ada\nslack:T1:U2,bennet")
    passed = 60
    assert file.read().of["slack:T1:U2"] == {"bennet"}
    passed = 0
    path.write_text("slack:T1:U2,ben")
    assert file.read().of["slack:T1:U2"] == {"bennet"}
    passed = 60
    assert file.read().of == {"slack:T1:U2": {"ben"}}
