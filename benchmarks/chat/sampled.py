"""``python -m benchmarks.chat.sampled FILE …``: run ``wikiwhy …`` with a sampling profiler that writes FILE.

Every few milliseconds it notes the functions of each thread that is not waiting.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType

from bot.cli.app import main

_PAUSE = 0.004
_MOST = 60
_WAITING = {
    ("selectors.py", "select"), ("threading.py", "wait"), ("thread.py", "_worker"), ("queue.py", "get"),
    ("connection.py", "poll"), ("selectors.py", "poll"), ("threading.py", "_wait_for_tstate_lock"), ("ssl.py", "read"),
}  # fmt: skip


def sample(path: Path, over: threading.Event) -> None:
    """Sample until ``over`` is set, then write the most frequent functions and their callees."""
    inside, leaves = Counter[str](), Counter[str]()
    taken, began = 0, time.monotonic()
    own = threading.get_ident()
    while not over.wait(_PAUSE):
        taken += 1
        for thread, frame in sys._current_frames().items():
            if thread != own and _name(frame)[:2] not in _WAITING:
                leaves[_shown(frame)] += 1
                inside.update({_shown(each) for each in _stack(frame)})
    used = os.times()
    head = f"{taken} samples in {time.monotonic() - began:.1f} s; {used.user:.1f} s user, {used.system:.1f} s system\n"
    path.write_text(head + _table("at work itself", leaves, taken) + _table("with what it calls", inside, taken))


def _stack(frame: FrameType | None) -> list[FrameType]:
    found = []
    while frame:
        found.append(frame)
        frame = frame.f_back
    return found


def _name(frame: FrameType) -> tuple[str, str]:
    return Path(frame.f_code.co_filename).name, frame.f_code.co_name


def _shown(frame: FrameType) -> str:
    file = "/".join(Path(frame.f_code.co_filename).parts[-2:])
    return f"{file} {frame.f_code.co_name}"


def _table(title: str, counts: Counter[str], taken: int) -> str:
    lines = [f"{count / max(taken, 1):7.1%} {name}" for name, count in counts.most_common(_MOST)]
    return "\n".join([f"\n{title}", *lines, ""])


if __name__ == "__main__":
    ended = threading.Event()
    sampler = threading.Thread(target=sample, args=(Path(sys.argv.pop(1)), ended))
    sampler.start()
    try:
        main()
    finally:
        ended.set()
        sampler.join()
