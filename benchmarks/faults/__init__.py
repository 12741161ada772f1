"""What two bots on one PostgreSQL, or one with files, lose or say twice while something fails.

Each module has the faults of one kind; each fault is checked against the promises of docs/operations.md and
docs/postgresql.md. ``__main__`` has the command.
"""
