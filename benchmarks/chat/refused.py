"""Answers that a platform would refuse for its limits, over generated ones that try them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from benchmarks.chat.generated import Generator
from benchmarks.figure import Figure, at_most, required
from core.errors import ChatRefused
from core.ports.chat import ChatPlatform, Place
from core.views.model import AnswerView, Waiting

_DRAFTS = 6  # of an answer that is streamed
_WAITING = Waiting("en", "answer")


async def shown(
    by_updates: ChatPlatform, by_streams: ChatPlatform, place: Callable[[], tuple[Place, str]], answers: int, seed: int
) -> list[str]:
    """Each is posted, put in the place of a placeholder, and streamed piece by piece.

    ``place``: a new thread, and who asks there. Returns what could not be shown at all, and why.
    """
    failed: list[str] = []
    generator = Generator(seed)
    for number in range(answers):
        view = generator.answer(number)
        where, person = place()
        try:
            await by_updates.post(where, view, f"post:{number}")
            await _in_place(by_updates, where, view, f"update:{number}", person)
            await _in_place(by_streams, where, view, f"stream:{number}", person)
        except ChatRefused as error:
            failed.append(f"answer {number}: {error}")
    return failed


async def _in_place(platform: ChatPlatform, place: Place, view: AnswerView, key: str, person: str) -> None:
    """As a question does it: a placeholder, drafts that grow, and at last the answer."""
    message_id = await platform.post(place, _WAITING, key, person)
    for number in range(1, _DRAFTS + 1):
        await platform.draft(place, message_id, view.text[: len(view.text) * number // _DRAFTS])
    await platform.update(place, message_id, view)


def figures(platform: str, refusals: Sequence[str], failed: Sequence[str], answers: int, seed: int) -> list[Figure]:
    """``refusals``: what the platform's limits forbade, and why. ``failed``: see :func:`shown`."""
    why = Counter(refusals)
    note = ", ".join(f"{count} {what}" for what, count in why.most_common(5)) or "posted, updated and streamed"
    return [
        required(f"messages refused by {platform} limits, {answers} generated answers", "messages",
                 len(refusals) + len(failed), at_most(0), f"seed {seed}; {note}"),
        required("of these never shown, not even shortened", "messages", len(failed), at_most(0),
                 "; ".join(failed[:3])),
    ]  # fmt: skip
