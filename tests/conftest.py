"""How the tests are run."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import hypothesis
import pytest

# How long an example takes says nothing on a shared machine. `make test-slow` loads the profile with more examples.
for name, examples in (("many", 300), ("few", 20)):
    hypothesis.settings.register_profile(name, hypothesis.settings(), max_examples=examples, deadline=None)
    hypothesis.settings.load_profile(name)

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: many tests wait for an answer. Slow ones have processes of their own."""
    cores = os.cpu_count() or 1
    return cores if config.option.markexpr.startswith("slow") else cores + 1


def pytest_configure(config: pytest.Config) -> None:
    """Load the fixtures, except in the process that only distributes tests to others: that takes two seconds.

    And let the programs that tests start receive SIGINT: they inherit that a shell's background job ignores it. A
    ``preexec_fn`` would do it for each, but then Python forks this process. That fails after a test has let chromadb
    read garbage, which makes it reserve terabytes.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    only_distributes = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    if not only_distributes:
        config.pluginmanager.import_plugin("tests.shared_fixtures")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a PostgreSQL server as slow, before pytest selects tests by their marks."""
    for item in items:
        if "postgres_server" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


def pytest_collection() -> None:
    """Modules and tests, half a million objects, are not looked through again and again for garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)  # as a server does
