"""Reads the Dockerfile into stages of steps, and the build context as .dockerignore leaves it."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from docker.utils.build import exclude_paths
from dockerfile_parse import DockerfileParser

ROOT = Path(__file__).parents[2]
_FLAG = re.compile(r"\s*--(?P<name>[a-z-]+)=(?P<value>\S+)\s+")
_VARIABLE = re.compile(r"\$(?:\{(?P<braced>\w+)\}|(?P<plain>\w+))")


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction: ``flags`` are its ``--name=value``, ``value`` is the rest, with continued lines joined."""

    instruction: str
    flags: tuple[tuple[str, str], ...]
    value: str

    def flag(self, name: str) -> str:
        """The flag's value, "" without it."""
        return dict(self.flags).get(name, "")

    def words(self) -> list[str]:
        """The parts of a JSON array, or of a plain line as the shell splits it."""
        return json_words(self.value) if self.value.startswith("[") else shlex.split(self.value)

    def assignments(self) -> dict[str, str]:
        """``NAME=value`` pairs, as in ENV, LABEL and ARG; a name alone has the value ""."""
        parts = (word.partition("=") for word in self.words())
        return {name: value for name, _, value in parts}


@dataclass(frozen=True, slots=True)
class Stage:
    """``FROM image AS name``; ``image`` has its variables replaced."""

    image: str
    name: str
    steps: tuple[Step, ...]

    def of(self, instruction: str) -> list[Step]:
        return [step for step in self.steps if step.instruction == instruction]

    def last(self, instruction: str) -> Step:
        return self.of(instruction)[-1]


def json_words(text: str) -> list[str]:
    return [str(word) for word in json.loads(text)]


def expanded(text: str, variables: dict[str, str]) -> str:
    """Replaces ``$NAME`` and ``${NAME}``; one that is not set is empty."""
    return _VARIABLE.sub(lambda match: variables.get(match["braced"] or match["plain"], ""), text)


def read_stages(path: Path = ROOT / "Dockerfile") -> list[Stage]:
    """The stages in order. ARGs before the first FROM count in FROM lines only, with their defaults."""
    parsed = DockerfileParser(fileobj=io.BytesIO(path.read_bytes())).structure
    steps = [_step(entry["instruction"], entry["value"]) for entry in parsed if entry["instruction"] != "COMMENT"]
    starts = [index for index, step in enumerate(steps) if step.instruction == "FROM"]
    defaults: dict[str, str] = {}
    for step in steps[: starts[0]]:
        defaults |= step.assignments()
    stages = []
    for start, end in zip(starts, [*starts[1:], len(steps)], strict=True):
        image, *alias = steps[start].words()
        stages.append(Stage(expanded(image, defaults), alias[1] if alias else "", tuple(steps[start + 1 : end])))
    return stages


def copy_context(target: Path) -> None:
    """Copies to ``target`` what the engine would send to the build: the project's folder as .dockerignore leaves it."""
    patterns = [line for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if not line.startswith("#")]
    for name in sorted(exclude_paths(str(ROOT), patterns)):
        source = ROOT / name
        if source.is_file() and name not in {"Dockerfile", ".dockerignore"}:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)


def _step(instruction: str, value: str) -> Step:
    flags = []
    while match := _FLAG.match(value):
        flags.append((match["name"], match["value"]))
        value = value[match.end() :]
    return Step(instruction, tuple(flags), value.strip())
