"""The store: SQL tables, in a SQLite file or in PostgreSQL.

:mod:`.database` opens it (:mod:`.dialect` says what :mod:`.sqlite` and :mod:`.postgres` do differently), and
:mod:`.schema` has the tables. :mod:`.wiki` reads and writes what syncs store, :mod:`.chats` what conversations store.
"""
