"""A process that does durable work and is killed in the middle of it: ``python -m … FOLDER WHERE``."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.durable import Durable, Step, Workflow


def _step(name: str, folder: Path, where: str) -> Step:
    async def run(payload: dict[str, Any], outcomes: Mapping[str, Any]) -> dict[str, Any]:
        if where == "between" and name == "b":
            os.kill(os.getpid(), signal.SIGKILL)
        with (folder / "ran").open("a") as ran:
            ran.write(f"{name}\n")
        if where == f"in {name}":
            os.kill(os.getpid(), signal.SIGKILL)
        assert list(outcomes) == ["a", "b", "c"][: "abc".index(name)]
        return {}

    return Step(name, run)


async def _main(folder: Path, where: str) -> None:
    async def failed(payload: dict[str, Any], error: Exception) -> None:
        raise error

    durable = Durable(f"sqlite:///{folder / 'workflows.db'}")
    durable.add(Workflow("work", [_step(name, folder, where) for name in "abc"], failed))
    await durable.launch()
    await durable.run_to_end("work", "k", {})
    await durable.close(patience=0)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2]))
