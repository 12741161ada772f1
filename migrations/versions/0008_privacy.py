"""Add the asker of turns, the person of posts, the audit log, and the settings of the last start."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0008"
down_revision: str | None = "0007"
branch_labels: str | None = None
depends_on: str | None = None

_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def upgrade() -> None:
    op.add_column("turns", sa.Column("asker", sa.String(), nullable=False, server_default=sa.text("''")))
    op.add_column("posts", sa.Column("person", sa.String(), nullable=False, server_default=sa.text("''")))
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("ended_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_audit"),
    )
    op.create_table(
        "settings_seen",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_settings_seen"),
    )
    _fill_in_askers()
    op.create_index("ix_turns_asker", "turns", ["asker"])
    op.create_index("ix_turns_asked_at", "turns", ["asked_at"])
    op.create_index("ix_posts_person", "posts", ["person"])
    op.create_index("ix_posts_turn_id", "posts", ["turn_id"])
    op.create_index("ix_audit_at", "audit", ["at"])


def _fill_in_askers() -> None:
    """Find the asker by the stored message, or in a chat with one person by that person. Otherwise it stays ""."""
    connection = op.get_bind()
    posts = sa.table(
        "posts",
        *map(sa.column, ("key", "platform", "team", "channel", "conversation_id", "message_id", "turn_id", "person")),
        sa.column("direct", sa.Boolean()),
    )
    said = sa.table("thread_messages", *map(sa.column, ("conversation_id", "message_id", "user")))
    met = sa.table("acquaintances", *map(sa.column, ("team", "user", "direct")))
    turns = sa.table("turns", sa.column("turn_id"), sa.column("asker"))
    judged = sa.table("feedback", sa.column("turn_id"), sa.column("person"))
    users = {(row.conversation_id, row.message_id): row.user for row in connection.execute(sa.select(said))}
    alone = {("teams", row.team, row.direct): row.user for row in connection.execute(sa.select(met)) if row.direct}
    asked = connection.execute(sa.select(posts).where(posts.c.key.like("ask:%"))).all()
    found: dict[str, str] = {}
    for post in asked:
        of_key = (post.conversation_id, post.key.rpartition(":")[2])
        user = users.get(of_key) or users.get((post.conversation_id, post.message_id))
        if user:
            found[post.key] = _person_key(post.platform, post.team, user)
            if post.direct:
                alone.setdefault((post.platform, post.team, post.channel), user)
    people = dict(connection.execute(sa.select(judged.c.turn_id, judged.c.person)).all())
    for post in asked:
        chat = (post.platform, post.team, post.channel)
        if post.direct and chat not in alone and (judge := people.get(post.turn_id)):
            found.setdefault(post.key, judge)
        if post.direct and chat in alone:
            found.setdefault(post.key, _person_key(post.platform, post.team, alone[chat]))
        if person := found.get(post.key):
            connection.execute(sa.update(posts).where(posts.c.key == post.key).values(person=person))
            connection.execute(sa.update(turns).where(turns.c.turn_id == post.turn_id).values(asker=person))


def _person_key(platform: str, team: str, user: str) -> str:
    key = f"{platform}:{team}:{user}"
    return key.translate(_LOWER) if platform == "teams" else key


def downgrade() -> None:
    for index, table in (
        ("ix_posts_turn_id", "posts"),
        ("ix_posts_person", "posts"),
        ("ix_turns_asked_at", "turns"),
        ("ix_turns_asker", "turns"),
    ):
        op.drop_index(index, table)
    for table in ("settings_seen", "audit"):
        op.drop_table(table)
    op.drop_column("posts", "person")
    op.drop_column("turns", "asker")
