"""Views that a chat platform shows: short ones, harmful ones, and ones that are too long for any."""

from __future__ import annotations

from dataclasses import replace

from core.model import Citation
from core.model.views import AnswerView, BarView, ExplanationView, HelpView, LocationView, Notice, PageLink, Waiting

WAITING = Waiting("en", "answer")
CITATION = Citation(1, "e1", "p1", "Travel policy", "Hotels", "https://wiki.example/p1#Hotels", "passage", "€165")
ANSWER = AnswerView("turn-1", "en", "The limit is €165. [1]", True, citations=(CITATION,))
PINGS = "<!channel> <!here|x> <@U0000000001> <!subteam^S1> @everyone <at>Ada</at> & <b>"
"""What pings people on one platform or another where it is not escaped."""

LONG_ANSWER = replace(
    ANSWER,
    text="\n\n".join(f"Paragraph {at}: " + "words & more <of> them " * 30 for at in range(60)) + " [1]",
    citations=tuple(replace(CITATION, number=at, url=f"https://wiki.example/p{at}?{'q' * 900}") for at in range(1, 60)),
    suggestions=tuple("Who approves " + "very " * 100 + f"long travel {at}?" for at in range(20)),
    notes=("A note. " * 300,) * 20,
)
LONG_EXPLANATION = ExplanationView(
    "turn-1", "en", "What this answer rests on", "Why? " * 900, "It rests on all of it. " * 400,
    bars=(BarView(0.02, "2%", (LocationView("Title " * 90, ("Heading " * 90,), CITATION.url, (1,)),) * 9),) * 50,
    without_top=("Without it the answer would be:", "Something else. " * 900), causes=("Because. " * 200,) * 9,
)  # fmt: skip
LONG_TABLE = replace(
    ANSWER, markup="markdown",
    text="\n".join(["| name | value |", "|---|---|", *(f"| row {at} | {'x' * 80} [1] |" for at in range(300))]),
)  # fmt: skip
LONG_CODE = replace(ANSWER, markup="markdown", text="```\n" + "if a < b && c > d:\n    run()\n" * 900 + "```\n[1]")
LONG = {
    "answer": LONG_ANSWER,
    "explanation": LONG_EXPLANATION,
    "table": LONG_TABLE,
    "code": LONG_CODE,
    "notice": Notice("Synced. " * 900, ("A line " * 200,) * 100, links=(PageLink("Page " * 90, CITATION.url),) * 50),
    "help": HelpView("en", tuple(f"SPACE{at}" for at in range(900)), admin=True),
}
