"""Questions put to the bot, and what becomes of each, as people in the workspace see it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchmarks.child import MeasurementFailed
from benchmarks.corpus import ROOT
from core.evaluation.questions import GoldQuestion, read
from tests.servers.slack import Message, SlackWorld
from tests.servers.slack.state import Json

_POLL = 0.005
_STUCK = 120.0  # seconds without any answer


def conversations() -> list[list[GoldQuestion]]:
    """Those of the samples, in both languages: what is asked does not depend on licensed pages."""
    return read((ROOT / "samples" / "questions.json").read_text("utf-8"), "both")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in its thread. ``at``: monotonic seconds, just before it was said."""

    channel: str
    ts: str
    thread: str
    at: float

    def replies(self, world: SlackWorld) -> list[Message]:
        """The bot's, in this thread and after this question."""
        return [message for message in world.answers(self.channel, self.thread) if message.ts > self.ts]

    def answer(self, world: SlackWorld) -> Message | None:
        return next((message for message in self.replies(world) if is_answer(message.blocks)), None)


def say(world: SlackWorld, person: str, channel: str, text: str, thread: str | None = None, times: int = 1) -> Asked:
    """A mention in the channel, or a follow-up without one in a thread. ``times``: how often each event comes."""
    at = time.monotonic()
    said = text if thread else f"<@{world.bot}> {text}"
    ts = world.say(person, channel, said, thread=thread, deliveries=times)
    return Asked(channel, ts, thread or ts, at)


def is_answer(blocks: Iterable[Json]) -> bool:
    """Whether it is an answer, also "not found": both ask what people think of it, and nothing else does."""
    return any(block["type"] == "context_actions" for block in blocks)


def is_placeholder(message: Message) -> bool:
    """Whether it still says that people have to wait: it is quiet, or a stream that nobody ended."""
    streaming = message.stream is not None and message.stream.state == "streaming"
    return streaming or all(block["type"] == "context" for block in message.blocks)


def is_explanation(message: Message) -> bool:
    """Whether it explains: an answer asks for opinions, a placeholder or a notice is of one kind of blocks only."""
    kinds = {block["type"] for block in message.blocks}
    return {"section", "context"} <= kinds and not is_answer(message.blocks)


def can_be_explained(message: Message) -> bool:
    return any(
        element.get("action_id") == "explain" for block in message.blocks for element in block.get("elements", [])
    )


def shown_at(message: Message) -> float:
    """When an answer stood there, in monotonic seconds."""
    return next((update.at for update in message.updates if is_answer(update.blocks)), message.at)


def in_flight(world: SlackWorld, ask: Iterator[Callable[[], Asked]], most: int) -> Iterator[Asked]:
    """Keeps so many questions in flight until all are asked; each is given when it is answered."""
    waiting: list[Asked] = []
    moved = time.monotonic()
    exhausted = False
    while waiting or not exhausted:
        while len(waiting) < most and not exhausted:
            if (following := next(ask, None)) is None:
                exhausted = True
            else:
                waiting.append(following())
        answered = [asked for asked in waiting if asked.answer(world)]
        if answered:
            moved = time.monotonic()
            waiting = [asked for asked in waiting if asked not in answered]
            yield from answered
        elif time.monotonic() - moved > _STUCK:
            raise MeasurementFailed(f"{len(waiting)} questions are not answered")
        else:
            time.sleep(_POLL)
