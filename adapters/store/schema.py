"""The tables. The scripts in migrations/ create them, and a test compares both."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.schema import SchemaItem

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _define_table(name: str, *parts: SchemaItem) -> Table:
    return Table(name, metadata, *parts)


spaces = _define_table(
    "spaces",
    Column("key", String, primary_key=True),
    Column("source", Text, nullable=False),
    Column("synced_at", String, nullable=False),
    Column("last_error", Text, nullable=False),
    Column(
        "token_model", Text, nullable=False, server_default=text("''")
    ),  # all texts have token vectors of this model
    Column("comments_at", String, nullable=False, server_default=text("''")),  # all comments until then are stored
)

accesses = _define_table(
    "accesses",
    Column("access", String(16), primary_key=True),
    Column("read_restrictions", JSON, nullable=False),  # a list of sorted lists of principals
)

pages = _define_table(
    "pages",
    Column("page_id", String, primary_key=True),
    Column("space", String, ForeignKey("spaces.key"), nullable=False),
    Column("title", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("date", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("digest", String, nullable=False),
    Column("version", Integer, nullable=False),  # 1, and one more with every replacement
    Column("access", String(16), nullable=False),  # "" or a key of accesses
    Column("author", Text, nullable=False, server_default=text("''")),
    Column("labels", JSON, nullable=False, server_default=text("'[]'")),
    Column("attachments", JSON, nullable=False, server_default=text("'[]'")),
    Column("facts", JSON, nullable=False, server_default=text("'{}'")),  # core.model.PageFacts, without unknown values
    Column("posted", String, nullable=False, server_default=text("''")),  # when a blog post was posted
    Column("language", String(8), nullable=False, server_default=text("''")),  # "" if unclear, or stored before 0023
    # A covering index: a sync reads the digests of a whole space, and in the table they come after the long content.
    Index(None, "space", "page_id", "digest"),
    Index(None, "access"),
)

# Titles of a page, as in the wiki and as in its evidences. Hashes, because databases limit the length of indexed text.
page_titles = _define_table(
    "page_titles",
    Column("page_id", String, ForeignKey("pages.page_id", ondelete="CASCADE"), primary_key=True),
    Column("title_hash", String(64), primary_key=True),
    Index(None, "title_hash"),
)

# Titles that pages had before, with the page that had each last. A page that has the title now comes first.
former_titles = _define_table(
    "former_titles",
    Column("space", String, primary_key=True),
    Column("title_hash", String(64), primary_key=True),
    Column("page_id", String, ForeignKey("pages.page_id", ondelete="CASCADE"), nullable=False, index=True),
)

# Titles that pages may name without meaning the page that has or had them: these pages have to be read again.
unclear_titles = _define_table(
    "unclear_titles",
    Column("space", String, primary_key=True),
    Column("title_hash", String(64), primary_key=True),
)

# People whom pages name, with the name in the page's evidences. NULL: it was unknown when they were made.
page_people = _define_table(
    "page_people",
    Column("page_id", String, ForeignKey("pages.page_id", ondelete="CASCADE"), primary_key=True),
    Column("account", String, primary_key=True),
    Column("name", Text),
    Index(None, "account"),
)

people = _define_table(
    "people",
    Column("source", String, primary_key=True),
    Column("account", String, primary_key=True),
    Column("name", Text, nullable=False),  # "": the account does not exist, or is not visible
    Column("active", Boolean, nullable=False),
    Column("asked_at", String, nullable=False),
    Index(None, "account"),
)

# Comments of a page's current version. A table of its own, because a sync compares the comments of a whole space.
comments = _define_table(
    "comments",
    Column("page_id", String, ForeignKey("pages.page_id", ondelete="CASCADE"), primary_key=True),
    Column("comment_id", String, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("parent_id", String, nullable=False),
    Column("version", String, nullable=False),
    Column("author", Text, nullable=False),
    Column("author_account", String, nullable=False),
    Column("date", String, nullable=False),
    Column("url", Text, nullable=False),
    Column("marked", Text, nullable=False),
    Column("resolved", Boolean, nullable=False),
    Column("content", Text, nullable=False),
)

# Attached files of a page's current version.
attached_files = _define_table(
    "attached_files",
    Column("page_id", String, ForeignKey("pages.page_id", ondelete="CASCADE"), primary_key=True),
    Column("file_id", String, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("version", String, nullable=False),
    Column("url", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("problem", Text, nullable=False),
)

# Pages that a page includes by title, also where no such page is stored yet.
page_references = _define_table(
    "page_references",
    Column("page_id", String, ForeignKey("pages.page_id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("space", String, nullable=False),
    Column("title_hash", String(64), nullable=False),
    Index(None, "title_hash"),
)

# Folders, databases and the like that pages link to: a wiki may list only those that are asked for.
page_links = _define_table(
    "page_links",
    Column("page_id", String, ForeignKey("pages.page_id", ondelete="CASCADE"), primary_key=True),
    Column("target", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("space", String, nullable=False),
    Index(None, "space"),
)

page_queries = _define_table(
    "page_queries",
    Column("page_id", String, ForeignKey("pages.page_id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("labels", JSON, nullable=False),  # a list of sorted lists: one label of each list
    Column("spaces", JSON, nullable=False),
    # The root page, by id or by space and title, and the number of levels below it; 0 levels: not limited to a tree.
    Column("root", String, nullable=False, server_default=text("''")),
    Column("root_space", String, nullable=False, server_default=text("''")),
    Column("root_title_hash", String(64), nullable=False, server_default=text("''")),
    Column("levels", Integer, nullable=False, server_default=text("0")),
)

# The parent of each page and folder, as the last sync found it, also of pages that are not stored.
page_places = _define_table(
    "page_places",
    Column("node_id", String, primary_key=True),
    Column("space", String, nullable=False),
    Column("parent", String, nullable=False),  # "": at the top
    Index(None, "space"),
    Index(None, "parent"),
)

page_labels = _define_table(
    "page_labels",
    Column("page_id", String, ForeignKey("pages.page_id", ondelete="CASCADE"), primary_key=True),
    Column("label", String, primary_key=True),  # in lower case
    Index(None, "label"),
)

# The version of each included page that the evidences were made from, with the access id of readers of both pages.
page_origins = _define_table(
    "page_origins",
    Column("page_id", String, ForeignKey("pages.page_id", ondelete="CASCADE"), primary_key=True),
    Column("origin", String, primary_key=True),
    Column("via", String, primary_key=True),  # like evidences.via
    # A hash of the version, whose sum over a page's rows shows whether an included page has changed. Many pages may
    # include a thousand others. 0: the version was replaced, and the evidences made from it are deleted.
    Column("mark", BigInteger, nullable=False, server_default=text("0")),
    Column("access", String(16), nullable=False),
    Index(None, "origin"),
    Index(None, "access"),
)

# Updated by adapters/store/wiki/counting.py in every transaction that changes pages or evidences.
page_counts = _define_table(
    "page_counts",
    Column("space", String, ForeignKey("spaces.key", ondelete="CASCADE"), primary_key=True),
    Column("access", String(16), primary_key=True),  # "": pages without a read restriction
    Column("pages", Integer, nullable=False),
    Index(None, "access"),
)

evidence_counts = _define_table(
    "evidence_counts",
    Column("space", String, ForeignKey("spaces.key", ondelete="CASCADE"), primary_key=True),
    Column("kind", String, primary_key=True),
    Column("evidences", Integer, nullable=False),
)

evidences = _define_table(
    "evidences",
    Column("key", String, primary_key=True),  # the key of the index entry
    Column("evidence_id", String, nullable=False),
    Column("page_id", String, ForeignKey("pages.page_id", ondelete="CASCADE"), nullable=False),
    Column("kind", String, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("context", JSON, nullable=False),
    Column("url", Text, nullable=False),
    Column("parts", JSON, nullable=False),
    Column("rows", JSON, nullable=False),
    Column("structure", JSON(none_as_null=True)),
    Column("people", JSON, nullable=False, server_default=text("'[]'")),  # [account, name] of each in the text
    Column("thread", String, nullable=False, server_default=text("''")),  # "" or the id of a thread's first comment
    Column("origin", String, nullable=False, server_default=text("''")),  # "" or the id of the page with the text
    Column("via", String, nullable=False, server_default=text("''")),  # ids of the pages between, one per line
    Column("text_hash", String, nullable=False),
    Column("entry_title", Text, nullable=False),
    Column("entry_heading", Text, nullable=False),
    Column("entry_text", Text, nullable=False),
    Column("entry_surroundings", Text, nullable=False),
    UniqueConstraint("page_id", "evidence_id"),
    Index(None, "text_hash"),
)

vectors = _define_table(
    "vectors",
    Column("embedder", String, primary_key=True),
    Column("text_hash", String, primary_key=True),
    Column("vector", LargeBinary, nullable=False),  # float32, little-endian
    Index(None, "text_hash"),
)

token_vectors = _define_table(
    "token_vectors",
    Column("text_hash", String, primary_key=True),
    Column("model", Text, nullable=False),
    Column("tokens", LargeBinary, nullable=False),  # in the model's own format
)

# Of the units (sentences, items, rows) of the evidences with a text. The row of unit "" says that they are complete.
unit_vectors = _define_table(
    "unit_vectors",
    Column("text_hash", String, primary_key=True),
    Column("unit_hash", String, primary_key=True),
    Column("model", Text, nullable=False),
    Column("tokens", LargeBinary, nullable=False),  # in the model's own format
    Index(None, "unit_hash"),
)

# Texts that may have a vector but no evidence. Pruning of vectors checks only these.
unchecked_texts = _define_table(
    "unchecked_texts",
    Column("text_hash", String, primary_key=True),
)

stale_entries = _define_table(
    "stale_entries",
    Column("key", String, primary_key=True),
    Column("space", String, nullable=False),
)

conversations = _define_table(
    "conversations",
    Column("conversation_id", String, primary_key=True),
    Column("started_at", String, nullable=False),
    Column("hidden", Boolean, nullable=False),
)

turns = _define_table(
    "turns",
    Column("number", Integer, primary_key=True),  # in the order of adding
    Column("turn_id", String, nullable=False, unique=True),
    Column("conversation_id", String, ForeignKey("conversations.conversation_id"), nullable=False),
    Column("asked_at", String, nullable=False),
    Column("question_as_asked", Text, nullable=False),
    Column("question_intent_explicit", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("answered", Boolean, nullable=False),
    Column("usage", JSON, nullable=False),
    Column("scope", JSON, nullable=False),
    Column("configuration", JSON, nullable=False),
    Column("timings_ms", JSON, nullable=False),
    Column("calls", JSON, nullable=False, server_default=text("'[]'")),  # model calls: names and numbers, no other text
    Column("trace_texts", JSON(none_as_null=True)),  # the trace's text; NULL: erased, or stored before traces
    Column("suggestions", JSON, nullable=False, server_default=text("'[]'")),
    Column("question_suggested_in", String, nullable=False, server_default=text("''")),  # "" or a turn_id
    Column("question_erased", Boolean, nullable=False, server_default=false()),
    Column("question_language", String, nullable=False, server_default=text("''")),  # set when the question is erased
    Column("author", String, nullable=False, server_default=text("'wiki'")),  # core.model.Author
    Column("model", Text, nullable=False, server_default=text("''")),  # the model that wrote the answer
    Column("answer_erased", Boolean, nullable=False, server_default=false()),
    Column("notices", JSON, nullable=False, server_default=text("'[]'")),  # kinds and numbers, no text of pages
    Column(
        "erased", Boolean, nullable=False, server_default=false()
    ),  # whether text was erased that the answer is from
    Column("erased_at", String, nullable=False, server_default=text("''")),  # the time of the last erasure of text
    Column("asker", String, nullable=False, server_default=text("''")),  # a person's key, "" for none
    Index(None, "conversation_id"),
    Index(None, "asker"),
    Index(None, "asked_at"),
)

# All erasable text is in columns of its own, so that erasing a page is one UPDATE by page_id.
turn_evidences = _define_table(
    "turn_evidences",
    Column("turn_id", String, ForeignKey("turns.turn_id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("rank", Integer, nullable=False),
    Column("score", Float, nullable=False),
    Column("rankings", JSON, nullable=False),
    Column("evidence_id", String, nullable=False),
    Column("page_id", String, nullable=False),
    Column("space", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("url", Text, nullable=False),
    Column("thread", String, nullable=False, server_default=text("''")),  # like evidences.thread
    Column("origin", String, nullable=False, server_default=text("''")),  # like evidences.origin
    Column("snapshot", JSON, nullable=False),  # text, context, parts, rows, structure, people, via, facts
    Index(None, "page_id"),
    Index(None, "space"),
    Index(None, "origin"),
)

turn_citations = _define_table(
    "turn_citations",
    Column("turn_id", String, ForeignKey("turns.turn_id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("evidence_id", String, nullable=False),
    Column("page_id", String, nullable=False),
    Column("title", Text, nullable=False),
    Column("heading", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("kind", String, nullable=False),
    Column("quote", Text, nullable=False),
    Index(None, "page_id"),
)

# Pages, and threads of comments and files of them, that a turn's question may have words from
# (core.model.Provenance). The parts of the suggestion are "asked", those of the history are not.
turn_question_sources = _define_table(
    "turn_question_sources",
    Column("turn_id", String, ForeignKey("turns.turn_id", ondelete="CASCADE"), primary_key=True),
    Column("page_id", String, primary_key=True),
    Column("thread", String, primary_key=True),  # like evidences.thread
    Column("asked", Boolean, primary_key=True),
    Index(None, "page_id"),
)

# Answers without some of their evidences. They may contain text of any page that their turn used.
counterfactuals = _define_table(
    "counterfactuals",
    Column("turn_id", String, ForeignKey("turns.turn_id", ondelete="CASCADE"), primary_key=True),
    Column("cluster", String, primary_key=True),  # indexes, separated by commas
    Column("contribution", Float),  # NULL: could not be computed
    Column("similarity", Float),
    Column("answers", JSON, nullable=False),
    Column(
        "answered", JSON, nullable=False, server_default=text("'[]'")
    ),  # whether each of ``answers`` answers the question
    Column("calls", Integer, nullable=False),
    Column("error", Text, nullable=False),
    Column("kept_at", String, nullable=False),
)

# Chats. Messages and feedback have no foreign key to turns, because they come before turns and outlive them.
posts = _define_table(
    "posts",
    Column("number", Integer, primary_key=True),  # in the order of keeping
    Column("key", String, nullable=False, unique=True),
    Column("platform", String, nullable=False),
    Column("team", String, nullable=False),
    Column("channel", String, nullable=False),
    Column("thread", String, nullable=False),
    Column("direct", Boolean, nullable=False),
    Column("shared", Boolean, nullable=False),
    Column("conversation_id", String, nullable=False),
    Column("message_id", String, nullable=False),
    Column("turn_id", String, nullable=False),
    Column("finished", Boolean, nullable=False),
    Column("kept_at", String, nullable=False),
    Column(
        "person", String, nullable=False, server_default=text("''")
    ),  # key of the person whose action led to the post
    Column("edition", String, nullable=False, server_default=text("''")),
    Column("follows", String, nullable=False, server_default=text("''")),
    Index(None, "platform", "team", "channel", "message_id"),
    Index(None, "conversation_id"),
    Index(None, "person"),
    Index(None, "turn_id"),
)

thread_messages = _define_table(
    "thread_messages",
    Column("conversation_id", String, primary_key=True),
    Column("message_id", String, primary_key=True),
    Column("user", String, nullable=False),
    Column("name", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("kept_at", String, nullable=False),
)

threads_read = _define_table(
    "threads_read",
    Column("conversation_id", String, primary_key=True),
    Column("read_at", String, nullable=False),
)

feedback = _define_table(
    "feedback",
    Column("number", Integer, primary_key=True),  # in the order of first keeping
    Column("turn_id", String, nullable=False),
    Column("person", String, nullable=False),
    Column("reaction", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", String, nullable=False),
    UniqueConstraint("turn_id", "person"),
)

tokens_used = _define_table(
    "tokens_used",
    Column("day", String, primary_key=True),
    Column("tokens", BigInteger, nullable=False),
)

chat_references = _define_table(
    "chat_references",
    Column("team", String, primary_key=True),
    Column("conversation", String, primary_key=True),
    Column("service_url", String, nullable=False),
    Column("bot", String, nullable=False),
    Column("kept_at", String, nullable=False),
)

# Users of Teams who wrote to the bot.
teams_users = _define_table(
    "teams_users",
    Column("team", String, primary_key=True),
    Column("user", String, primary_key=True),
    Column("account", String, nullable=False),
    Column("direct", String, nullable=False),
    Column("kept_at", String, nullable=False),
)

moved_messages = _define_table(
    "moved_messages",
    Column("team", String, primary_key=True),
    Column("conversation", String, primary_key=True),
    Column("message_id", String, primary_key=True),
    Column("moved_to", String, nullable=False),
    Column("kept_at", String, nullable=False),
)

# The audit log: who did what to the installation. Names and ids only, no text of pages, no secrets.
audit = _define_table(
    "audit",
    Column("number", Integer, primary_key=True),  # in the order of beginning
    Column("at", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("action", String, nullable=False),
    Column("object", Text, nullable=False),
    Column("outcome", String, nullable=False),
    Column("ended_at", String, nullable=False),  # "" until it has ended
    Index(None, "at"),
)

# A salted hash of each setting at the last start, to find the settings that have changed.
settings_seen = _define_table(
    "settings_seen",
    Column("name", String, primary_key=True),
    Column("fingerprint", String, nullable=False),
)

# What was erased, so that it can be erased again from a restored backup. No text, and only hashes of persons.
erasures = _define_table(
    "erasures",
    Column("erasure_id", String(16), primary_key=True),
    Column("at", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("object", String, nullable=False),
    Index(None, "at"),
)

# The bots that run on this PostgreSQL database. A bot without a row may not write.
bots = _define_table(
    "bots",
    Column("bot", String, primary_key=True),
    Column("home", String, nullable=False),  # its machine and data directory; the next bot there replaces it
    Column("beat_at", Double, nullable=False),  # seconds since 1970, by the database's clock
)

# Locks that one bot at a time holds. They are deleted together with the bot.
bot_locks = _define_table(
    "bot_locks",
    Column("name", String, primary_key=True),
    Column("bot", String, ForeignKey("bots.bot", ondelete="CASCADE"), nullable=False),
)

# Signals to all bots: each bot polls the numbers and reacts when one has increased.
bot_signals = _define_table(
    "bot_signals",
    Column("name", String, primary_key=True),
    Column("number", Integer, nullable=False),
)

# The questions of the last minute at all bots, by person and by channel, for the limits.
recent_questions = _define_table(
    "recent_questions",
    Column("name", String, primary_key=True),
    Column("asked", JSON, nullable=False),  # keys and times of questions
    Column("last_at", Double, nullable=False),  # seconds since 1970, by the database's clock
)

OF_RUNNING_BOTS = frozenset({"bots", "bot_locks", "bot_signals", "recent_questions"})
"""Tables whose rows are only needed while bots run."""
