"""Reasons why a notice stands in place of an answer, an explanation or the reply to a command.

The names are stored with workflows, so they must not change. A name may be added; an earlier version reads it as
"failed".
"""

from __future__ import annotations

from typing import Literal

NoAccessReason = Literal["guest", "no_spaces", "unknown_person", "unknown_audience", "outside"]
"""Why nothing may be shown.

- guest: guests may ask in channels only.
- no_spaces: no space is enabled in this channel.
- unknown_person: the platform does not tell who the person is.
- unknown_audience: the platform does not tell who can read the channel.
- outside: the answer rests on pages that this person may not see here now.
"""

AccountReason = Literal["unmapped", "hidden", "ambiguous", "missing", "deactivated", "unavailable"]
"""Why a direct message is limited to spaces that are open to everybody."""

LimitReason = Literal["limit_person", "limit_channel", "limit_tokens"]
"""The limit that a question would exceed: of a person or channel per minute, or of tokens per day."""

RemarkReason = Literal["how_to_ask", "thanks", "too_long"]
"""Why a message is not answered: it calls for help or asks nothing, thanks, or is too long."""

UnavailableReason = Literal["page_outside", "changed", "unknown"]
"""Why an answer cannot be shown: a page may not be read here, the sources changed, or the answer was removed."""

ErrorReason = Literal[
    "model_unavailable",
    "model_rejected",
    "explaining_failed",
    "not_explainable",
    "refused",
    "result_refused",
    "edit_refused",
    "deletion_refused",
    "explanation_refused",
    "sharing_refused",
    "failed",
]
"""What went wrong. ``…refused``: the platform does not let the bot post or delete there."""

ReasonWithSentence = Literal[NoAccessReason, LimitReason, UnavailableReason, ErrorReason, "too_long", "thanks"]
"""A reason that one sentence tells (:func:`core.views.notices.choose_notice`)."""

NoticeReason = Literal[ReasonWithSentence, "how_to_ask"]
"""Why a notice is shown. For "how_to_ask" it is the help."""

NoReason = Literal[""]
"""In place of a reason, if the question is answered."""
