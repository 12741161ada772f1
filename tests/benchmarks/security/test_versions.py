"""A few of the cases of ``python -m benchmarks.security versions``."""

from __future__ import annotations

import pytest

from benchmarks.security.versions import run

pytestmark = pytest.mark.slow


def test_nobody_reads_a_text_that_was_never_theirs_however_a_site_changes_meanwhile() -> None:
    tally = run(cases=60, seed=1)
    assert tally.violations == []
    assert tally.acts > 200


def test_nor_over_real_http() -> None:
    assert run(cases=4, seed=2, http=True).violations == []
