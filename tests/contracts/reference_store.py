"""What every store of Teams' references does (see :mod:`tests.contracts.stores`)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from core.ports.chat_store import Reference, TeamsUser
from tests.contracts.stores import Stores

THERE = Reference("T", "19:c@thread.tacv2", "https://smba.example/emea/", "28:app")
ADA = TeamsUser("T", "ada", "29:ada", "a:1")


class ReferenceStoreContract:
    async def test_of_a_conversation_the_newest_reference_counts(self, stores: Stores) -> None:
        assert await stores.references.of("T", THERE.conversation) is None
        await stores.references.keep(THERE)
        newer = replace(THERE, service_url="https://smba.example/amer/")
        await stores.references.keep(newer)
        assert await stores.references.of("T", THERE.conversation) == newer
        assert await stores.references.of("T2", THERE.conversation) is None

    async def test_a_person_stays_reachable_in_their_own_chat(self, stores: Stores) -> None:
        assert await stores.references.person("T", "ada") is None
        await stores.references.save_user(replace(ADA, direct=""))
        assert await stores.references.person("T", "ada") == replace(ADA, direct="")
        await stores.references.save_user(ADA)
        await stores.references.save_user(replace(ADA, account="29:new", direct=""))
        assert await stores.references.person("T", "ada") == replace(ADA, account="29:new")

    async def test_the_first_message_that_stands_for_another_stays(self, stores: Stores) -> None:
        assert await stores.references.resolve_message("T", "c", "1") == "1"
        await asyncio.gather(*(stores.references.move("T", "c", "1", to) for to in ("2", "3")))
        first = await stores.references.resolve_message("T", "c", "1")
        await stores.references.move("T", "c", "1", "4")
        assert await stores.references.resolve_message("T", "c", "1") == first
        assert await stores.references.resolve_message("T", "c2", "1") == "1"
