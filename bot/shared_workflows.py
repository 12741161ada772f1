"""Workflows of several bots on one workflow database: what is left by bots that are gone, and what others are doing.

DBOS stores with each workflow the executor that runs it: the id of a bot. Its own functions are used between
:meth:`bot.durable.Durable.launch` and ``close``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence

from dbos import DBOS, WorkflowStatus

from bot.bots import Bots

_LETTING_GO = 70.0  # seconds that another bot is given to end what was cancelled: more than its threads may take
_LETTING_GO_POLL = 0.2

logger = logging.getLogger(__name__)


async def take_over(bots: Bots, living: Collection[str]) -> None:
    """Takes up the unfinished workflows of bots that are not alive. ``living``: read before."""
    pending = await DBOS.list_workflows_async(status=["PENDING"], load_input=False, load_output=False)
    unknown = {str(workflow.executor_id) for workflow in pending} - {*living}
    if unknown:
        # Asked for again: one may have been started meanwhile.
        dead = unknown - await bots.find_others() - {bots.executor}
        count = sum(workflow.executor_id in dead for workflow in pending)
        if dead:
            logger.info("Going on with %d pieces of work that another bot left.", count)
            await asyncio.to_thread(DBOS._recover_pending_workflows, sorted(dead))


async def wait_for_others(bots: Bots, keys: list[str]) -> None:
    """Returns when no other bot does anything for these cancelled workflows: each deletes its own.

    One that does not is removed, so that nothing it still does takes effect.
    """
    waited = 0.0
    while others := await bots.find_others():
        cancelled = await DBOS.list_workflows_async(workflow_ids=keys, load_input=False, load_output=False)
        busy = {str(each.executor_id) for each in cancelled if each.status == "CANCELLED"} & others
        if not busy:
            return
        if waited >= _LETTING_GO:
            logger.warning("%d bots that do not end what was cancelled are removed: they end.", len(busy))
            for other in busy:
                await bots.remove(other)
            return
        await asyncio.sleep(_LETTING_GO_POLL)
        waited += _LETTING_GO_POLL


async def find_cancelled(bots: Bots) -> list[str]:
    """The keys of this bot's workflows that were cancelled, here or by another bot, and are not deleted yet."""
    cancelled = await DBOS.list_workflows_async(
        status=["CANCELLED"], executor_id=bots.executor, load_input=False, load_output=False
    )
    return [workflow.workflow_id for workflow in cancelled]


async def find_busy(bots: Bots, workflows: Sequence[WorkflowStatus]) -> set[str]:
    """Cancelled workflows that a living bot may still be at: each deletes its own when they have ended."""
    if not bots.are_several:
        return set()
    living = {*await bots.find_others(), bots.executor}
    return {each.workflow_id for each in workflows if each.status == "CANCELLED" and each.executor_id in living}
