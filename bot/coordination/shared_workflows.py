"""Workflows of several bots on one workflow database: taking over those of dead bots, and cancelling across bots.

DBOS stores with each workflow the executor that runs it, which is the id of a bot. The functions here need a running
DBOS: call them between :meth:`bot.durable.Durable.launch` and ``close``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence

from dbos import DBOS, WorkflowStatus

from bot.coordination.bots import Bots

_RELEASE_SECONDS = 70.0  # for another bot to end a cancelled workflow: longer than its threads may take
_RELEASE_POLL = 0.2

logger = logging.getLogger(__name__)


async def take_over(bots: Bots, living: Collection[str]) -> None:
    """Continue the unfinished workflows of bots that are not in ``living``."""
    pending = await DBOS.list_workflows_async(status=["PENDING"], load_input=False, load_output=False)
    unknown = {str(workflow.executor_id) for workflow in pending} - {*living}
    if unknown:
        # Asked for again, since a bot may have started after ``living`` was read.
        dead = unknown - await bots.find_others() - {bots.executor}
        count = sum(workflow.executor_id in dead for workflow in pending)
        if dead:
            logger.info("Continuing %d workflows of a bot that ended.", count)
            await asyncio.to_thread(DBOS._recover_pending_workflows, sorted(dead))


async def wait_for_others(bots: Bots, keys: list[str]) -> None:
    """Wait until no other bot runs any of these cancelled workflows. Each bot deletes its own.

    A bot that does not end them in time is removed, so that nothing it still does takes effect.
    """
    waited = 0.0
    while others := await bots.find_others():
        cancelled = await DBOS.list_workflows_async(workflow_ids=keys, load_input=False, load_output=False)
        busy = {str(each.executor_id) for each in cancelled if each.status == "CANCELLED"} & others
        if not busy:
            return
        if waited >= _RELEASE_SECONDS:
            logger.warning("%d bots did not end cancelled workflows in time. They are removed, and end.", len(busy))
            for other in busy:
                await bots.remove(other)
            return
        await asyncio.sleep(_RELEASE_POLL)
        waited += _RELEASE_POLL


async def find_cancelled(bots: Bots) -> list[str]:
    """Return the keys of this bot's workflows that any bot cancelled and that are not deleted yet."""
    cancelled = await DBOS.list_workflows_async(
        status=["CANCELLED"], executor_id=bots.executor, load_input=False, load_output=False
    )
    return [workflow.workflow_id for workflow in cancelled]


async def find_busy(bots: Bots, workflows: Sequence[WorkflowStatus]) -> set[str]:
    """Return the keys of cancelled workflows that a living bot may still run. Each bot deletes its own."""
    if not bots.are_several:
        return set()
    living = {*await bots.find_others(), bots.executor}
    return {each.workflow_id for each in workflows if each.status == "CANCELLED" and each.executor_id in living}
