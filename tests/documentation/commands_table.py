"""docs/commands.md, from the parser of the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import typer

from bot.cli.app import app


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: the commands that it describes, and notes of what their help texts do not say."""

    title: str
    commands: tuple[str, ...]
    notes: str = ""


SECTIONS = (
    Section(
        "Asking",
        ("ask", "explain", "chat"),
        """\
- The file of `--history` is a list of `{"role": "user" or "assistant", "text": …}`, of `{"question": …, "answer":
  …}`, or of the earlier questions.
- `wikiwhy ask --json` prints the answer with citations, ranked evidences and timings. How `wikiwhy explain` finds
  the sources that an answer rests on: [attribution.md](attribution.md).
- `wikiwhy ask hi` and `wikiwhy ask thanks` get a reply instead of a search, as in the chats. With `--json`, every text
  is asked.
- In `wikiwhy chat`, answers appear while they are written, followed by up to three suggested questions, which are
  asked by their number; another number of one or two digits asks nothing. Commands: `/explain`, `/sources`, `/trace`,
  `/trace prompts`, `/spaces`, `/new`, `/help`, `/quit`. `wikiwhy chat --play samples/conversation.json` asks the
  questions of a file.""",
    ),
    Section(
        "Pages",
        ("sync folder", "sync confluence", "sync due", "spaces", "forget"),
        """\
- `wikiwhy sync confluence ENG PEO` syncs changed pages of two spaces, with their read restrictions:
  [confluence.md](confluence.md).
- A sync that would remove at least 20 pages and more than half of a space stops, without
  `--allow-mass-delete`. Then it changes nothing, except that new restrictions hold.
- `wikiwhy forget` asks first on a terminal.""",
    ),
    Section(
        "The server and chats",
        ("serve", "slack manifest", "teams package", "feedback export", "person export", "person forget", "audit"),
        """\
- The server, its health and metrics, and other commands while it runs: [operations.md](operations.md). The apps:
  [slack.md](slack.md), [teams.md](teams.md#5-create-the-app-and-make-it-available).
- The data of a person: [operations.md](operations.md#privacy). `wikiwhy person forget slack:T012AB3CD:U045EF6GH`
  asks first on a terminal.""",
    ),
    Section(
        "Maintenance and measuring",
        ("doctor", "db upgrade", "db compact", "db copy", "db backup", "db rebuild-index", "evaluate"),
        """\
- Other commands also upgrade the database. From files to PostgreSQL:
  [postgresql.md](postgresql.md#from-files-to-postgresql). A backup, and how it is restored:
  [operations.md](operations.md#backup-and-restore).
- `wikiwhy evaluate` needs the extra `evaluation`, which `make setup` installs. Its figures:
  [benchmarks.md](benchmarks.md#wikiwhy-evaluate); answers judged by a language model:
  [answering.md](answering.md#measuring-answers). `wikiwhy evaluate --qa samples/questions.json --documents
  samples/documents --sample 20 --judge --answers answers.md` measures twenty answers.""",
    ),
)
_PARSER: Any = typer.main.get_command(app)
_INTRODUCTION = """\
# Commands

Exit codes: 0 done, 1 failed with a message that says what to do, 2 wrong usage. JSON goes to standard output, logs
and progress to standard error. `--data-dir DIR`, before or after the name of a command, names the directory of all
data. While `wikiwhy serve` runs, most commands hand their work to it:
[operations.md](operations.md#other-commands-while-it-runs). `make docs` writes this page from the parser of the
command line; `wikiwhy COMMAND --help` shows the same."""


def commands_page() -> str:
    """The page's Markdown."""
    return "\n".join([_INTRODUCTION, *_lines()])


def list_commands(group: Any = None, prefix: str = "") -> Mapping[str, Any]:
    """All commands by name without ``wikiwhy``."""
    found: dict[str, Any] = {}
    for name, command in (group or _PARSER).commands.items():
        is_group = hasattr(command, "commands")
        found |= list_commands(command, f"{prefix}{name} ") if is_group else {prefix + name: command}
    return found


def _lines() -> Iterator[str]:
    commands = list_commands()
    for section in SECTIONS:
        yield from ("", f"## {section.title}", "")
        yield from ("| command | argument | default | meaning |", "|---|---|---|---|")
        for name in section.commands:
            yield f"| `wikiwhy {name}` | | | {' '.join(commands[name].help.split())} |"
            arguments = [each for each in commands[name].params if each.name != "data_dir"]
            yield from map(_argument, arguments)
        yield from ("", section.notes)
    yield ""


def _argument(argument: Any) -> str:
    named = ", ".join(argument.opts) if argument.param_type_name == "option" else ""
    value = argument.metavar or _values(argument)
    meaning = (argument.help or "").replace("|", "\\|")
    return f"| | `{f'{named} {value}'.strip()}` | {_default(argument)} | {meaning} |"


def _values(argument: Any) -> str:
    """The choices, or a word for any value; "" for a flag."""
    shown = str(argument.get_help_record(typer.Context(_PARSER))[0]).partition("<")[2].rstrip(">")
    if "|" in shown:
        return shown.replace("|", "\\|")
    return "N" if shown.startswith("int") else "TEXT" if shown else ""


def _default(argument: Any) -> str:
    stated = argument.show_default
    value = stated if isinstance(stated, str) else argument.default
    if not value:
        return ""
    return str(value) if " " in str(value) else f"`{value}`"
