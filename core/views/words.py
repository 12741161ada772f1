"""The sentences that the bot says in chat: what there has to be in every language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.identity.identities import Reason
from core.model import EvidenceKind


@dataclass(frozen=True, slots=True)
class AdminWords:
    """What commands for admins answer."""

    only_admins: str
    unknown_command: str
    unknown_space: str  # {space}
    key_missing: str
    sync_started: str  # {space}
    forgotten: str  # {space}
    not_forgotten: str  # {space}
    no_spaces: str


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
    """How to ask. ``{bot}`` is how people call it, ``{spaces}`` what is searched."""

    heading: str
    in_channel: str
    in_direct: str
    follow_up: str
    follow_up_by_mention: str
    buttons: str
    searched: str
    searched_nothing: str
    searched_yours: str
    admin: str
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """Sentences by what they are for; values are filled in by the functions of :mod:`core.views.wording`."""

    # an answer
    not_found: str
    answer_erased: str
    question_erased: str
    unsupported_means: str
    understood_as: str
    closest: str
    whom_to_ask: str
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
    hidden_one: str
    hidden: str  # {count}
    # while people wait
    reading: str
    taking_away: str
    taking_away_progress: str  # {done}, {total}
    syncing: str  # {space}
    syncing_progress: str  # {space}, {done}, {total}
    # what cannot be done, and what to do instead
    whole: str
    part: str  # {number}, {total}
    next_part: str
    back: str
    empty_question: str
    too_long: str  # {characters}, {limit}
    too_many_by_person: str  # {wait}
    too_many_in_channel: str  # {wait}
    budget_spent: str
    no_space_here: str
    guest_in_direct: str
    outside_scope: str
    unknown_audience: str
    changed: str
    not_explainable: str
    turn_gone: str
    nothing_to_explain: str
    explained_already: str
    explaining_already: str
    the_explanation: str
    reasons: Mapping[Reason, str]  # why a direct message saw no more than what is open to everybody
    # feedback
    thanks: str
    thanks_for_reason: str
    # failures
    model_unavailable: str
    model_rejected: str
    failed: str
    explaining_failed: str
    # parts
    correction: ModalWords
    reason: ModalWords
    help: HelpWords
    admin: AdminWords
    # for screen readers
    percent: str  # {percent}
    below_percent: str  # {percent}
