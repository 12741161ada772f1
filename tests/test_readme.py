"""The README is short."""

from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_readme_takes_three_minutes() -> None:
    assert len((ROOT / "README.md").read_text("utf-8")) <= 9_000
