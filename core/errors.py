"""Errors named after what went wrong for the caller. Each message says what happened and what to do next."""

from __future__ import annotations

from typing import ClassVar

from core.model import Failure


class WikiWhyError(Exception):
    """Something a person can act on: shown as one message without a traceback, exit code 1.

    ``failure`` names it in traces and notices, which do not keep the message.
    """

    failure: ClassVar[Failure] = Failure.OTHER


class SettingsInvalid(WikiWhyError):
    """A setting has no usable value."""


class WikiUnavailable(WikiWhyError):
    """The wiki cannot be read at all."""


class SpaceUnavailable(WikiUnavailable):
    """One space of the wiki cannot be listed; others may be."""


class PageUnreadable(WikiWhyError):
    """One page cannot be read; the others can."""


class PageWithdrawn(PageUnreadable):
    """One page is not where it was listed any more: deleted, hidden from the account, or moved."""


class PageOverBudget(PageUnreadable):
    """One page would take more work or room than a page of its size may; the others are read."""


class DataDirectoryInUse(WikiWhyError):
    """Another process owns the data directory."""


class BotReplaced(WikiWhyError):
    """Another bot has taken over the work of this one, or a command the database: it may not write any more."""


class DataDirectoryUnusable(WikiWhyError):
    """The data directory cannot be created, read or written."""


class ErasureLogUnusable(WikiWhyError):
    """The file that lists what was erased cannot be read or written."""


class IssuesUnavailable(WikiWhyError):
    """The tracker of issues cannot be asked, or does not answer as it should."""


class DatabaseUnavailable(WikiWhyError):
    """The database server cannot be reached, does not let us in, or cannot do what is needed."""


class CopyRefused(WikiWhyError):
    """An installation cannot be copied: there is nothing to copy, something in its place, or work in progress."""


class AddressUnavailable(WikiWhyError):
    """The server cannot listen at the address that it is to serve."""


class ServerUnavailable(WikiWhyError):
    """The server that owns the data directory did not do the work: it is stopping, or another version."""


class DatabaseNewer(WikiWhyError):
    """The database was written by a newer version of WikiWhy."""


class QuestionRejected(WikiWhyError):
    """The question cannot be asked as it is (empty, or too long)."""


class HistoryUnreadable(WikiWhyError):
    """A conversation's history is not in a form that can be read."""


class EmbedderUnavailable(WikiWhyError):
    """The embedder cannot be loaded or does not answer."""


class RerankerUnavailable(WikiWhyError):
    """The reranker cannot be loaded."""


class ModelUnavailable(WikiWhyError):
    """The language model does not answer now: down, slow, overloaded, or cut off. Later it may."""

    failure = Failure.UNAVAILABLE


class ModelNotAskedAgain(ModelUnavailable):
    """The language model was unavailable a moment ago, so it was not asked."""

    failure = Failure.NOT_ASKED_AGAIN


class AnswerEmpty(ModelUnavailable):
    """The language model gave no answer."""

    failure = Failure.EMPTY


class AnswerInOtherLanguage(ModelUnavailable):
    """The language model answered in a language that was not asked for."""

    failure = Failure.OTHER_LANGUAGE


class AnswerUnsupported(WikiWhyError):
    """What the language model wrote is not what the sources say."""

    failure = Failure.UNSUPPORTED


class ModelRejected(WikiWhyError):
    """The language model's server refuses: the key, the model's name or another setting is wrong."""

    failure = Failure.REJECTED


class ContextTooLong(WikiWhyError):
    """The prompt does not fit into the language model's window."""

    failure = Failure.CONTEXT_TOO_LONG


class ScoringUnsupported(WikiWhyError):
    """The language model's server cannot say how likely a given text is."""


class IndexDamaged(WikiWhyError):
    """An index cannot be opened or does not match the store."""


class LookupUnsupported(WikiWhyError):
    """The wiki does not tell this, at least not to the account that asks: it is not known, rather than not there."""


class AccountsUnreadable(WikiWhyError):
    """The file that says which chat user has which account cannot be read."""


class SpaceUnknown(WikiWhyError):
    """There is no such space."""


class SpaceTaken(WikiWhyError):
    """There is a space of that key already, from another kind of wiki."""


class TurnUnknown(WikiWhyError):
    """There is no such answer, or not for who asks."""


class NotExplainable(WikiWhyError):
    """An answer cannot be explained as it was made."""


class OutputUnwritable(WikiWhyError):
    """A file that a command was to write cannot be written."""


class ChatUnavailable(WikiWhyError):
    """The chat platform does not answer now; later it may."""


class ChatRefused(WikiWhyError):
    """The chat platform will not do this: the channel is gone, the bot may not write there, or its token is wrong."""


class PersonInvalid(WikiWhyError):
    """What was given as a person's id is none."""
