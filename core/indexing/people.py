"""Who the people are whom pages name: asked of the wiki rarely, and kept in the store.

A name is asked for when it is unknown, or when it was last asked for long ago. Where names cannot be asked for, the
last known ones stay, and the report says so: a sync never fails for a name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from core.errors import LookupUnsupported, WikiUnavailable
from core.evidence.people import accounts_of
from core.model import Page
from core.ports.store import PeopleStore, StoredPerson
from core.ports.wiki import Wiki

_LONGEST = timedelta(days=1)  # until a name is asked for again
_REQUESTS = 25  # of one space's sync, for names that were asked for less than that ago
_AT_ONCE = 200  # names until what is known is kept


@dataclass(eq=False)
class NameLookup:
    """The names of people for one sync. ``at``: when it takes place, ISO 8601, UTC; "" where that is not known."""

    wiki: Wiki
    store: PeopleStore
    at: str = ""
    problem: str = ""  # why names could not be asked for; then nobody asks again
    asked: int = 0
    _known: dict[str, StoredPerson] = field(default_factory=dict)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def names_of(self, page: Page) -> dict[str, str]:
        """The names of those whom a page names, as far as they are known or can be asked for."""
        accounts = accounts_of(page)
        if not accounts:
            return {}
        async with self._asking:  # pages are read at the same time, and most name the same people
            await self._load(accounts)
            await self._keep(_told(page, self._known, self.at))
            await self._ask([account for account in accounts if account not in self._known])
        return {account: self._known[account].name for account in accounts if account in self._known}

    async def refresh(self, space: str) -> None:
        """Asks for the names in a space that were asked for too long ago, and for some of the others, oldest first."""
        named = await self.store.list_accounts(self.wiki.source, space)
        due = (datetime.fromisoformat(self.at) - _LONGEST).isoformat(timespec="seconds")
        overdue = sum(1 for asked_at in named.values() if asked_at <= due)
        most = max(overdue, _REQUESTS * self.wiki.people_at_once)
        await self._ask([account for account in islice(named, most) if not self._is_fresh(account)])

    def _is_fresh(self, account: str) -> bool:
        return account in self._known and self._known[account].asked_at == self.at

    async def _load(self, accounts: Collection[str]) -> None:
        missing = [account for account in accounts if account not in self._known]
        if missing:
            self._known |= await self.store.find_people(self.wiki.source, missing)

    async def _keep(self, people: Mapping[str, StoredPerson]) -> None:
        self._known |= people
        await self.store.keep(self.wiki.source, people)

    async def _ask(self, accounts: Iterable[str]) -> None:
        waiting = iter(accounts)
        while not self.problem and (some := list(islice(waiting, _AT_ONCE))):
            try:
                found = await self.wiki.people(some)
            except (WikiUnavailable, LookupUnsupported) as error:
                self.problem = str(error)
                return
            self.asked += len(some)
            await self._keep(
                {account: StoredPerson(person.name, person.active, self.at) for account, person in found.items()}
            )


def _told(page: Page, known: Collection[str], at: str) -> dict[str, StoredPerson]:
    """Unknown people of whom the wiki gave the names with the page or its comments."""
    facts = page.facts
    told = (
        (facts.owner_account, facts.owner),
        (facts.creator_account, facts.creator),
        (facts.editor_account, facts.editor),
        *((comment.author_account, comment.author) for comment in page.comments),
    )
    return {
        account: StoredPerson(name, active=True, asked_at=at)
        for account, name in told
        if account and name and account not in known
    }
