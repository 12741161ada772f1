"""Long repetitive texts come to an end: in a process of their own, since an endless one could not be stopped here."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

_ALL = """
import random
from core.text_caches import clear_text_caches
from benchmarks.security._pumping_pipelines import PARSERS, PIPELINES, patterns, run_of
from benchmarks.security._pumping_texts import attacks_on, general_attacks

chance = random.Random(7)
general = list(general_attacks())
for name, run in PIPELINES.items():
    for attack in chance.sample(general, 6):
        print(name, attack, flush=True)
        clear_text_caches()
        run(attack.text(20_000))
for name, pattern, methods in patterns():
    attacks = attacks_on(pattern)
    for attack in chance.sample(attacks, min(len(attacks), 4)):
        print(name, attack, flush=True)
        run_of(pattern, sorted(methods)[0])(attack.text(100_000))
print("done")
"""


def test_pumped_texts_come_to_an_end_in_every_pipeline() -> None:
    command = [sys.executable, "-X", "utf8", "-c", _ALL]
    try:
        tried = subprocess.run(
            command, capture_output=True, timeout=600, check=False, encoding="utf-8", errors="replace"
        )
    except subprocess.TimeoutExpired as expired:
        pytest.fail(f"no end of {(expired.stdout or b'').splitlines()[-1:]}")
    assert tried.stdout.splitlines()[-1:] == ["done"], tried.stderr[-2_000:]
