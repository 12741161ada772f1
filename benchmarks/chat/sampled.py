"""``python -m benchmarks.chat.sampled FILE …``: run ``wikiwhy …`` with a sampling profiler that writes FILE.

Every few milliseconds it adds the processor time that each thread has used since then to the functions that the thread
is in (Linux).
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType

from bot.cli.app import main

_PAUSE = 0.004
_MOST = 150


def sample(path: Path, over: threading.Event) -> None:
    """Sample until ``over`` is set, then write the functions with the most time, and those with what they call."""
    inside, leaves = Counter[str](), Counter[str]()  # nanoseconds
    before: dict[int, int] = {}
    own = threading.get_native_id()
    while not over.wait(_PAUSE):
        frames = sys._current_frames()
        for thread in threading.enumerate():
            number, frame = thread.native_id, frames.get(thread.ident or 0)
            if number is None or number == own or frame is None:
                continue
            used = _read_nanoseconds(number)
            spent, before[number] = used - before.get(number, 0), used
            if spent:
                leaves[_shown(frame)] += spent
                for name in {_shown(each) for each in _stack(frame)}:
                    inside[name] += spent
    path.write_text(_table("by itself", leaves) + _table("with what it calls", inside))


def _read_nanoseconds(thread: int) -> int:
    """Return the processor time of a thread, 0 if it has ended."""
    try:
        return int(Path(f"/proc/self/task/{thread}/schedstat").read_text("ascii").split()[0])
    except OSError:
        return 0


def _stack(frame: FrameType | None) -> list[FrameType]:
    found = []
    while frame:
        found.append(frame)
        frame = frame.f_back
    return found


def _shown(frame: FrameType) -> str:
    file = "/".join(Path(frame.f_code.co_filename).parts[-2:])
    return f"{file} {frame.f_code.co_name}"


def _table(title: str, spent: Counter[str]) -> str:
    lines = [f"{nanoseconds / 1e6:8,.0f} ms {name}" for name, nanoseconds in spent.most_common(_MOST)]
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
