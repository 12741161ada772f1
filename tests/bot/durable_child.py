"""A process that does durable work and is killed in the middle of it: ``python -m … FOLDER WHERE``."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from bot.durable import Durable, RunStep


@dataclass(frozen=True)
class _Request:
    workflow: ClassVar[str] = "work"
    key: str

    def to_json(self) -> dict[str, Any]:
        return {"key": self.key}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**stored)


@dataclass(frozen=True)
class _Workflow:
    folder: Path
    where: str

    async def run(self, request: _Request, step: RunStep) -> None:
        for name in "abc":
            assert await step(name, partial(self._run_step, name)) == name

    async def _run_step(self, name: str) -> str:
        if self.where == "between" and name == "b":
            os.kill(os.getpid(), signal.SIGKILL)
        with (self.folder / "ran").open("a") as ran:
            ran.write(f"{name}\n")
        if self.where == f"in {name}":
            os.kill(os.getpid(), signal.SIGKILL)
        return name

    async def report_failure(self, request: _Request) -> None:
        raise AssertionError


async def _main(folder: Path, where: str) -> None:
    durable = Durable(f"sqlite:///{folder / 'workflows.db'}")
    durable.add(_Request, _Workflow(folder, where))
    await durable.launch()
    await durable.run_to_end(_Request("k"))
    await durable.close(patience=0)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2]))
