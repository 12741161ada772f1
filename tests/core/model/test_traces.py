"""Kinds of notices are stored: a version reads turns that a newer one wrote to the same database."""

from __future__ import annotations

from core.model import NoticeKind


def test_a_kind_of_notice_that_a_newer_version_stored_is_read_as_another_one() -> None:
    assert NoticeKind("of_a_newer_version") is NoticeKind.OTHER
