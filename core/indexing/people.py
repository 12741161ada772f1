"""Looks up the names of people and the summaries of issues on pages. They are stored, and asked for rarely.

A name is asked for if it is unknown or was last asked for long ago. If the wiki cannot be asked, the last known names
stay and the report says so. A sync never fails because of a name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice

from core.errors import IssuesUnavailable, LookupUnsupported, WikiUnavailable
from core.evidence.mentions import find_accounts, find_group_name, find_issue_key
from core.model import Page
from core.ports.pages import PeopleStore, StoredPerson
from core.ports.wiki import Issue, IssueTracker, Wiki, WikiPerson

_LONGEST = timedelta(days=1)  # after this time a name is asked for again
_REQUESTS = 25  # per sync of a space, for names that were asked for more recently
_AT_ONCE = 200  # names that are asked for before the results are stored
_ISSUES_LONGEST = timedelta(hours=1)  # after this time an issue is asked for again
_MOST_ISSUES = 2_000  # known issues that are asked for again per sync of a space


@dataclass(eq=False)
class NameLookup:
    """Looks up names during one sync."""

    wiki: Wiki
    store: PeopleStore
    at: str = ""  # time of the sync, ISO 8601, UTC; "" if unknown
    tracker: IssueTracker | None = None  # without one, issues are shown by key only
    problem: str = ""  # why the wiki could not be asked; it is not asked again
    issues_problem: str = ""  # why the tracker could not be asked; it is not asked again
    asked: int = 0  # the number of names asked for
    _known: dict[str, StoredPerson] = field(default_factory=dict)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def find_names(self, page: Page) -> dict[str, str]:
        """Return the names of a page's accounts that are known or can be asked for, by account."""
        accounts = find_accounts(page)
        if not accounts:
            return {}
        async with self._asking:  # pages are read concurrently, and most name the same people
            await self._load(accounts)
            await self._keep(_list_people_named_by_wiki(page, self._known, self.at))
            await self._ask([account for account in accounts if account not in self._known])
        return {account: self._known[account].name for account in accounts if account in self._known}

    async def refresh(self, space: str, told: Mapping[str, str]) -> None:
        """Ask again for all outdated names in a space, and for some of the others, oldest first.

        ``told``: current names that came with the listing, by account. They are asked for only when outdated.
        """
        everything = await self.store.list_accounts(self.wiki.name, space)
        await self._refresh_issues({account: at for account, at in everything.items() if find_issue_key(account)})
        named = {account: at for account, at in everything.items() if not find_issue_key(account)}
        due = self._subtract(_LONGEST)
        overdue = sum(1 for asked_at in named.values() if asked_at <= due)
        await self._keep_told({account: name for account, name in told.items() if account in named})
        most = max(overdue, _REQUESTS * self.wiki.people_per_request)
        unclear = (account for account, asked_at in named.items() if asked_at <= due or account not in told)
        wanted = [account for account in islice(unclear, most) if not self._is_fresh(account)]
        await self._load(wanted)
        await self._ask(wanted)

    async def _keep_told(self, told: Mapping[str, str]) -> None:
        """Keep new names of known, active people."""
        await self._load(told)
        known = {account: self._known[account] for account in told if account in self._known}
        renamed = {
            account: replace(person, name=told[account])
            for account, person in known.items()
            if person.active and person.name not in {"", told[account]}
        }
        await self._keep(renamed)

    async def _refresh_issues(self, shown: Mapping[str, str]) -> None:
        """Ask again for outdated issues. ``shown``: issue account to the time of the last request, oldest first."""
        await self._load(shown)
        due = self._subtract(_ISSUES_LONGEST)
        overdue = [account for account, asked_at in shown.items() if asked_at <= due]
        await self._ask_tracker([account for account in overdue[:_MOST_ISSUES] if not self._is_fresh(account)])

    def _subtract(self, time: timedelta) -> str:
        return (datetime.fromisoformat(self.at) - time).isoformat(timespec="seconds")

    def _is_fresh(self, account: str) -> bool:
        return account in self._known and self._known[account].asked_at == self.at

    async def _load(self, accounts: Collection[str]) -> None:
        missing = [account for account in accounts if account not in self._known]
        if missing:
            self._known |= await self.store.find_people(self.wiki.name, missing)
            await self._keep(
                {
                    account: StoredPerson("", active=True, asked_at=self.at)
                    for account in missing
                    if account in self._known and self._known[account].name and self._is_withdrawn(account)
                }
            )

    def _is_withdrawn(self, account: str) -> bool:
        """Whether this is an issue that, according to the current settings, is not public any more."""
        key = find_issue_key(account)
        return bool(key) and not (self.tracker and self.tracker.covers(key))

    async def _keep(self, people: Mapping[str, StoredPerson]) -> None:
        self._known |= people
        await self.store.save(self.wiki.name, people)

    async def _ask(self, accounts: Collection[str]) -> None:
        await self._ask_tracker([account for account in accounts if find_issue_key(account)])
        groups = {account: name for account in accounts if (name := find_group_name(account))}
        await self._keep({group: StoredPerson(name, active=True, asked_at=self.at) for group, name in groups.items()})
        await self._ask_wiki(each for each in accounts if each not in groups and not find_issue_key(each))

    async def _ask_tracker(self, accounts: Iterable[str]) -> None:
        keys = {key: account for account in accounts if (key := find_issue_key(account))}
        if self.tracker is None or self.issues_problem:
            return
        covered = [key for key in keys if self.tracker.covers(key)]
        for start in range(0, len(covered), _AT_ONCE):
            try:
                found = await self.tracker.find_issues(covered[start : start + _AT_ONCE])
            except IssuesUnavailable as error:
                self.issues_problem = str(error)
                return
            about = {keys[key]: _describe(issue) for key, issue in found.items()}
            await self._keep(
                {account: StoredPerson(text, active=True, asked_at=self.at) for account, text in about.items()}
            )

    async def _ask_wiki(self, accounts: Iterable[str]) -> None:
        waiting = iter(accounts)
        while not self.problem and (some := list(islice(waiting, _AT_ONCE))):
            try:
                found = await self.wiki.find_people(some)
            except (WikiUnavailable, LookupUnsupported) as error:
                self.problem = str(error)
                return
            self.asked += len(some)
            await self._keep(
                {
                    account: StoredPerson(self._find_name(account, person), person.active, self.at)
                    for account, person in found.items()
                }
            )

    def _find_name(self, account: str, person: WikiPerson) -> str:
        """Return the person's name; of a deactivated person the last known one, because Cloud adds words to it."""
        known = self._known.get(account)
        return known.name if known and known.name and person.name and not person.active else person.name


def _describe(issue: Issue | None) -> str:
    return f"{issue.summary} ({issue.status})" if issue else ""


def _list_people_named_by_wiki(page: Page, known: Collection[str], at: str) -> dict[str, StoredPerson]:
    """Return the unknown people whose names the wiki sent together with the page or its comments."""
    facts = page.facts
    told = (
        (facts.owner_account, facts.owner),
        (facts.creator_account, facts.creator),
        (facts.editor_account, facts.editor),
        (facts.space_creator_account, facts.space_creator),
        *((comment.author_account, comment.author) for comment in page.comments),
    )
    return {
        account: StoredPerson(name, active=True, asked_at=at)
        for account, name in told
        if account and name and account not in known
    }
