"""The texts of buttons, headings and forms by name, in each language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.i18n import Message, message
from core.model import EvidenceKind
from core.text import Language


@dataclass(frozen=True, slots=True)
class ModalWords:
    """A form: its title has at most 24 characters."""

    title: str
    label: str
    placeholder: str
    submit: str
    cancel: str


@dataclass(frozen=True, slots=True)
class HelpWords:
    """Headings, and the commands of admins."""

    heading: str
    admin: str
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """Texts by what they are for, with their placeholders."""

    # an answer
    understood_as: str
    closest: str
    who_can_help: str
    also_ask: str
    goes_on: str
    more: str  # {count}
    more_rows: str  # {count}
    more_lines: str  # {count}
    kinds: Mapping[EvidenceKind, str]
    # buttons
    explain: str
    sources: str
    not_meant: str
    good: str
    bad: str
    close: str
    # sources
    rank: str  # {rank}
    cited_as: str  # {number}
    no_sources: str
    # while people wait
    reading: str
    # what cannot be done, and what to do instead
    whole: str
    part: str  # {number}, {total}
    next_part: str
    back: str
    empty_question: str
    nothing_to_explain: str
    explained_already: str
    explaining_already: str
    the_explanation: str
    # feedback
    thanks: str
    thanks_for_reason: str
    # parts
    correction: ModalWords
    reason: ModalWords
    help: HelpWords
    # for screen readers
    percent: str  # {percent}
    below_percent: str  # {percent}


_CORRECTION = (
    message("What did you mean?"),
    message("Your question, in full"),
    message("As you would ask somebody who has not read this thread"),
    message("Ask again"),
    message("Cancel"),
)
_REASON = (
    message("What was wrong?"),
    message("What should the answer have said, or which page has it? (optional)"),
    message("For example: the limit changed in May, see the page Travel"),
    message("Send"),
    message("Cancel"),
)
KINDS: Mapping[EvidenceKind, Message] = {
    "passage": message("passage"),
    "list": message("list"),
    "table": message("table"),
    "table_row": message("table row"),
}


def _words(language: Language) -> Words:
    def text(text: Message) -> str:
        return text.translate(language)

    return Words(
        understood_as=text(message("Understood as:")),
        closest=text(message("These pages come closest:")),
        who_can_help=text(message("Who can help:")),
        also_ask=text(message("You could also ask:")),
        goes_on=text(message("… the answer continues")),
        more=text(message("and {count} more")),
        more_rows=text(message("… {count} more rows")),
        more_lines=text(message("… {count} more lines")),
        kinds={kind: text(name) for kind, name in KINDS.items()},
        explain=text(message("Explain")),
        sources=text(message("Sources")),
        not_meant=text(message("Not what I meant")),
        good=text(message("Helpful")),
        bad=text(message("Not helpful")),
        close=text(message("Close")),
        rank=text(message("rank {rank}")),
        cited_as=text(message("cited as [{number}]")),
        no_sources=text(message("Nothing was found for this question.")),
        reading=text(message("Reading the wiki …")),
        whole=text(message("Show the whole answer")),
        part=text(message("Part {number} of {total}")),
        next_part=text(message("Next part")),
        back=text(message("Back to the answer")),
        empty_question=text(message("Please type a question, for example: Who approves travel?")),
        nothing_to_explain=text(message("The wiki did not answer this question, so there is nothing to explain.")),
        explained_already=text(message("This answer has already been explained:")),
        explaining_already=text(message("This answer is being explained; the result will appear below it.")),
        the_explanation=text(message("the explanation")),
        thanks=text(message("Thank you, that helps to improve the answers.")),
        thanks_for_reason=text(message("Thank you. Your comment was saved for the people who maintain the wiki.")),
        correction=ModalWords(*map(text, _CORRECTION)),
        reason=ModalWords(*map(text, _REASON)),
        help=HelpWords(
            heading=text(message("How to ask")),
            admin=text(message("For admins:")),
            commands=(
                text(message("/wiki spaces – list the spaces, and when each was last synced")),
                text(message("/wiki sync KEY – read a space again")),
                text(message("/wiki forget KEY – remove a space and everything stored from it")),
            ),
        ),
        percent=text(message("{percent} percent")),
        below_percent=text(message("less than {percent} percent")),
    )


WORDS: Mapping[Language, Words] = {"en": _words("en"), "de": _words("de")}
