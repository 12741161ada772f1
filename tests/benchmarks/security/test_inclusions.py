"""Some cases of who finds which text of included pages; many with ``python -m benchmarks.security inclusions``."""

from __future__ import annotations

import pytest

from benchmarks.security.inclusions import run

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", [1, 2])
def test_nobody_finds_a_text_that_they_could_not_read_in_the_wiki(seed: int) -> None:
    tally = run(150, seed)
    assert tally.shown > 20, "nothing was included"
    assert tally.violations == []
