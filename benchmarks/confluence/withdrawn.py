"""Pages that readers lost in Confluence: whether they still answer these readers after the next sync."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.confluence.served import FOLDER, sync
from benchmarks.confluence.state import open_default_application
from benchmarks.figure import Figure, at_least, at_most
from bot.wiring import Application
from core.model import Scope
from core.trace import Stopwatch
from tests.servers.confluence import ConfluenceServer, Flavour, Site

_BELLS = {
    "kept": "Ottilie", "restricted to Ann": "Rosalinde", "restricted to the board": "Kunigunde", "parent": "Adelheid",
    "below a restricted page": "Walburga", "two below": "Hildegard", "trashed": "Mechthild", "archived": "Gertrud",
    "deleted": "Irmgard", "moved": "Friedburga",
}  # fmt: skip
_OF_THE_BOARD = {"restricted to the board", "parent", "below a restricted page", "two below"}


def measure_withdrawn(flavours: Sequence[Flavour] = ("cloud", "datacenter")) -> list[Figure]:
    """Measure with the real command and the real retriever."""
    return [figure for flavour in flavours for figure in _measured(flavour)]


def _measured(flavour: Flavour) -> list[Figure]:
    data = FOLDER / "withdrawn"
    shutil.rmtree(data, ignore_errors=True)
    site, pages = _site()
    with ConfluenceServer(site, flavour) as server:
        sync(server, data, "BELLS")
        before = _answering(data, pages, [])
        _withdraw(site, pages)
        sync(server, data, "BELLS")
    ann = site.users["ann"]
    account = ann.account_id if flavour == "cloud" else ann.name
    others = _answering(data, pages, ["user:somebody-else", "group:confluence-users"]) - {"kept"}
    right = {"Ann": _answering(data, pages, [f"user:{account}"]), "board": _answering(data, pages, ["group:board"])}
    wanted = {"Ann": {"kept", "restricted to Ann"}, "board": {"kept", *_OF_THE_BOARD}}
    note = f"{len(before)} of {len(pages)} before; {', '.join(sorted(others)) or 'none after'}"
    wrong = sorted(f"{name}: {each}" for name in right for each in right[name] ^ wanted[name])
    return [
        Figure(f"withdrawn pages that answer others, {flavour}", "pages", len(others), at_most(0), note),
        Figure(f"withdrawn pages that were found before, {flavour}", "pages", len(before), at_least(len(pages))),
        Figure(f"restricted pages wrong for their readers, {flavour}", "pages", len(wrong), at_most(0),
               ", ".join(wrong) or "by user, by group, and below a restricted page"),
    ]  # fmt: skip


def _site() -> tuple[Site, dict[str, str]]:
    site = Site()
    site.add_user("ann")
    site.add_group("board", [site.syncing])
    site.add_space("BELLS")
    site.add_space("ELSEWHERE")
    above = {"below a restricted page": "parent", "two below": "below a restricted page"}
    pages: dict[str, str] = {}
    for what, bell in _BELLS.items():
        body = f"<p>The bell {bell} was cast by {bell[::-1].capitalize()} and is rung on feast days.</p>"
        pages[what] = site.add_page("BELLS", f"Bell {bell}", body, parent=pages.get(above.get(what, ""))).page_id
    return site, pages


def _withdraw(site: Site, pages: Mapping[str, str]) -> None:
    site.restrict(pages["restricted to Ann"], users=["ann"])
    site.restrict(pages["restricted to the board"], groups=["board"])
    site.restrict(pages["parent"], groups=["board"])
    site.trash(pages["trashed"])
    site.archive(pages["archived"])
    site.purge(pages["deleted"])
    site.move(pages["moved"], space="ELSEWHERE")


def _answering(data: Path, pages: Mapping[str, str], principals: Iterable[str]) -> set[str]:
    """Return the pages for which a question about their bell finds evidence."""
    with open_default_application(data) as application:
        found = asyncio.run(_found(application, Scope(principals=frozenset(principals))))
    return {what for what, page_id in pages.items() if page_id in found}


async def _found(application: Application, scope: Scope) -> set[str]:
    found: set[str] = set()
    for bell in _BELLS.values():
        retrieved = await application.retriever.retrieve(
            f"Who cast the bell {bell}?", scope, Stopwatch(time.perf_counter)
        )
        found.update(ranked.evidence.page_id for ranked in retrieved)
    return found
