"""The method of WikiWhy (after RAGonite, WSDM 2025), without any SDK, network or framework.

A page:

1. :mod:`core.evidence` cuts it into evidences (passages, lists, tables, table rows) and adds their context.
2. :mod:`core.indexing` stores and indexes them, and keeps both up to date with the wiki.

A question, in the order of :mod:`core.conversation`. Start with its ``Assistant.make_turn``:

3. :mod:`core.completion` makes a follow-up intent-explicit from the conversation (:mod:`core.history`).
4. :mod:`core.retrieval` ranks the evidences that the asker may read (:mod:`core.access`).
5. :mod:`core.gathering` adds what the answer needs besides: whole tables and lists, facts and sections of pages.
6. :mod:`core.answering` quotes the answer from them, or has a language model write it; :mod:`core.reading` computes
   answers that need whole tables and lists. :mod:`core.suggesting` offers further questions.
7. :mod:`core.attribution` explains the answer: which sources change it if they are removed.
8. :mod:`core.views` turns answers and explanations into documents, which platforms only draw.

:mod:`core.model` has the data that these exchange, :mod:`core.ports` the Protocols to the outside, :mod:`core.wording`
what the words of questions and pages tell by themselves, :mod:`core.chat` the rules of a conversation in a chat.

For all of these: :mod:`core.work` lets another process do a part of a question, :mod:`core.trace` records how a turn is
made, :mod:`core.prompts` renders the prompts of language models, :mod:`core.accounts` reads whose account a chat user
has, :mod:`core.i18n` has the texts shown in chats, :mod:`core.timing` what depends on a clock, :mod:`core.errors` the
errors, :mod:`core.languages` the languages of texts, :mod:`core.text` their words, :mod:`core.dates` their dates, and
:mod:`core.text_caches` the caches that an erasure clears.

The order in which they may import each other is the contract "layers of core" in pyproject.toml.
"""
