"""Generated answers that a platform would refuse for its limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from benchmarks.chat.generated import Generator
from benchmarks.figure import Figure, at_most, check_figure
from core.errors import ChatRefused
from core.model.views import Waiting
from core.ports.chat import ChatPlatform, Place

_WAITING = Waiting("en", "answer")


async def show_answers(platform: ChatPlatform, place: Callable[[], Place], answers: int, seed: int) -> list[str]:
    """Post each answer, alone and after a work sign.

    ``place``: returns a new thread. Returns the answers that could not be shown, with the reasons.
    """
    failed: list[str] = []
    generator = Generator(seed)
    for number in range(answers):
        view, where = generator.answer(number), place()
        try:
            await platform.post(where, view, f"post:{number}")
            key = f"asked:{number}"
            await platform.post(where, view, key, await platform.show_work(where, _WAITING, key))
        except ChatRefused as error:
            failed.append(f"answer {number}: {error}")
    return failed


def figures(platform: str, refusals: Sequence[str], failed: Sequence[str], answers: int, seed: int) -> list[Figure]:
    """Return the figures. ``refusals``: messages over the limits, with reasons. ``failed``: see :func:`shown`."""
    why = Counter(refusals)
    note = ", ".join(f"{count} {what}" for what, count in why.most_common(5)) or "all posted"
    return [
        check_figure(f"messages refused by {platform} limits, {answers} generated answers", "messages",
                 len(refusals) + len(failed), at_most(0), f"seed {seed}; {note}"),
        check_figure("of these never shown, not even shortened", "messages", len(failed), at_most(0),
                 "; ".join(failed[:3])),
    ]  # fmt: skip
