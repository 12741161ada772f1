"""``make demo-teams`` as a person starts it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.servers.teams.playground import why_no_playground

DEMO = [sys.executable, "-m", "tests.servers.teams.demo"]
ROOT = Path(__file__).parents[2]


def test_without_node_it_says_what_to_install(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": str(tmp_path)}
    run = subprocess.run(DEMO, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 1
    assert "needs node and npm, which this machine does not have. Install Node.js 20 or later" in run.stderr


@pytest.mark.slow
def test_it_serves_the_samples_in_the_playground_until_it_is_stopped(tmp_path: Path) -> None:
    if why_no_playground():
        pytest.skip(why_no_playground())
    environment = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    environment["WIKIWHY_DEFAULT_SPACES"] = "NONE"  # a setting of somebody's own, which does not count
    with subprocess.Popen(
        [*DEMO, "--data", str(tmp_path)], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout
        shown = ""
        for line in demo.stdout:
            shown += line
            if "Stop it with Ctrl-C" in line:
                break
        found = re.search(r"Open in a browser: (\S+)", shown)
        assert found, shown
        with urlopen(found[1], timeout=20) as page:
            assert page.status == 200
        demo.terminate()
        demo.wait(timeout=60)
    with pytest.raises(URLError):
        urlopen(found[1], timeout=5)
