"""The errors of WikiWhy, named by their meaning for the caller. Messages say what happened and what to do next."""

from __future__ import annotations

from typing import ClassVar

from core.model import Failure


class WikiWhyError(Exception):
    """An error that a person can act on. It is shown as one message without a traceback, with exit code 1.

    ``failure`` identifies it in traces and notices, which do not store the message.
    """

    failure: ClassVar[Failure] = Failure.OTHER


class SettingsInvalid(WikiWhyError):
    """A setting has an unusable value."""


class WikiUnavailable(WikiWhyError):
    """The wiki cannot be read at all."""


class SpaceUnavailable(WikiUnavailable):
    """One space cannot be listed; others may still be."""


class PageUnreadable(WikiWhyError):
    """One page cannot be read; others can."""


class PageWithdrawn(PageUnreadable):
    """A page is no longer where it was listed: it was deleted, hidden from the account, or moved."""


class PageOverBudget(PageUnreadable):
    """A page would need more work or space than is allowed for its size. Other pages are not affected."""


class DataDirectoryInUse(WikiWhyError):
    """Another process owns the data directory."""


class BotReplaced(WikiWhyError):
    """Another bot or command has taken over from this bot, which may not write to the database any more."""


class DataDirectoryUnusable(WikiWhyError):
    """The data directory cannot be created, read or written."""


class ErasureLogUnusable(WikiWhyError):
    """The log of erasures cannot be read or written."""


class IssuesUnavailable(WikiWhyError):
    """The issue tracker cannot be reached, or sent an unexpected response."""


class DatabaseUnavailable(WikiWhyError):
    """The database server cannot be reached, rejects the login, or lacks a required feature."""


class CopyRefused(WikiWhyError):
    """An installation cannot be copied: the source is empty, the target is not, or work is in progress."""


class AddressUnavailable(WikiWhyError):
    """The server cannot listen at its configured address."""


class ServerUnavailable(WikiWhyError):
    """The server that owns the data directory did not do the work: it is stopping, or has another version."""


class DatabaseNewer(WikiWhyError):
    """The database was written by a newer version of WikiWhy."""


class QuestionRejected(WikiWhyError):
    """A question is empty or too long."""


class HistoryUnreadable(WikiWhyError):
    """The history of a conversation has an unreadable format."""


class EmbedderUnavailable(WikiWhyError):
    """The embedder cannot be loaded or does not answer."""


class RerankerUnavailable(WikiWhyError):
    """The reranker cannot be loaded."""


class ModelUnavailable(WikiWhyError):
    """The language model cannot answer now: it is down, slow, overloaded, or was cut off. A retry may help."""

    failure = Failure.UNAVAILABLE


class ModelNotAskedAgain(ModelUnavailable):
    """The language model was unavailable earlier in this turn, so it was not called."""

    failure = Failure.NOT_ASKED_AGAIN


class AnswerEmpty(ModelUnavailable):
    """The language model returned no text."""

    failure = Failure.EMPTY


class AnswerInOtherLanguage(ModelUnavailable):
    """The language model answered in another language than requested."""

    failure = Failure.OTHER_LANGUAGE


class AnswerUnsupported(WikiWhyError):
    """The sources do not support the text of the language model."""

    failure = Failure.UNSUPPORTED


class ModelRejected(WikiWhyError):
    """The language model's server rejects the request because of the key, the model's name or another setting."""

    failure = Failure.REJECTED


class ContextTooLong(WikiWhyError):
    """The prompt does not fit into the language model's window."""

    failure = Failure.CONTEXT_TOO_LONG


class ScoringUnsupported(WikiWhyError):
    """The language model's server cannot return the likelihood of a given text."""


class IndexDamaged(WikiWhyError):
    """An index cannot be opened or does not match the store."""


class LookupUnsupported(WikiWhyError):
    """The wiki does not tell the asking account, so the answer is unknown. It does not mean that there is nothing."""


class AccountsUnreadable(WikiWhyError):
    """The file that maps chat users to accounts cannot be read."""


class SpaceUnknown(WikiWhyError):
    """The space does not exist."""


class SpaceTaken(WikiWhyError):
    """A space with this key exists already, from another kind of wiki."""


class TurnUnknown(WikiWhyError):
    """The answer does not exist, or this person may not see it."""


class NotExplainable(WikiWhyError):
    """An answer cannot be explained in the way it was made."""


class OutputUnwritable(WikiWhyError):
    """The output file of a command cannot be written."""


class ChatUnavailable(WikiWhyError):
    """The chat platform cannot be reached now. A retry may help."""


OUTAGES = (ChatUnavailable, DatabaseUnavailable, DataDirectoryUnusable)
"""Errors that pass without a change of the request. Work waits for their end instead of reporting a failure, which
needs the same platform and database."""


class ChatRefused(WikiWhyError):
    """The chat platform refuses for good: the channel is gone, the bot may not write there, or its token is wrong."""


class PersonInvalid(WikiWhyError):
    """A person's id is malformed."""
