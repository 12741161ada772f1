"""Run the revisions on the connection that adapters.store.migrate passes."""

from __future__ import annotations

from alembic import context

from adapters.store.schema import metadata

# One transaction for all revisions, also on SQLite, so that a killed migration leaves the old schema unchanged.
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
