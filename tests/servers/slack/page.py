"""A plain web page to play in the workspace by hand, and to take pictures of."""

from __future__ import annotations

import hashlib
import html
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jinja2
from aiohttp import web

from tests.servers.slack import people_acts
from tests.servers.slack.context import Context
from tests.servers.slack.conversations import in_order
from tests.servers.slack.rendering import html_of
from tests.servers.slack.state import BOT_USER, Channel, Message, User

_TEMPLATE = Path(__file__).with_name("page.html")


class Page:
    """``/`` shows it; ``/play/…`` is where its forms go."""

    def __init__(self, context: Context) -> None:
        self._context = context
        environment = jinja2.Environment(autoescape=True, loader=jinja2.FileSystemLoader(_TEMPLATE.parent))
        self._template = environment.get_template(_TEMPLATE.name)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self._show),
            web.post("/play/say", self._say),
            web.post("/play/click", self._click),
            web.post("/play/submit", self._submit),
        ]

    async def _show(self, request: web.Request) -> web.Response:
        workspace = self._context.workspace
        people = [user for user in workspace.users.values() if not user.bot]
        if not people:
            return web.Response(text="Nobody is here: add a user first.")
        user = workspace.users.get(request.query.get("user", ""), people[0])
        workspace.direct(user.id)
        channels = [one for one in workspace.channels.values() if user.id in one.members]
        channel = next((one for one in channels if one.id == request.query.get("channel")), channels[0])
        shown = self._template.render(self._seen(user, channel, request.query.get("thread", "")), people=people,
            channels=channels)  # fmt: skip
        return web.Response(text=shown, content_type="text/html")

    def _seen(self, user: User, channel: Channel, thread: str) -> dict[str, Any]:
        workspace = self._context.workspace
        alone = [message for message in channel.ephemerals if message.ephemeral_to == user.id and not message.deleted]
        here = in_order([*channel.messages.values(), *alone])
        names = {one.id: one.real_name for one in workspace.users.values()}
        names |= {one.id: one.name for one in workspace.channels.values()}

        def where(to: str, ts: str = "", as_user: str = user.id) -> str:
            return _address(to, ts, as_user)

        def replies(message: Message) -> str:
            many = sum(not one.deleted for one in channel.threads[message.ts]) - 1
            return f"{many} {'reply' if many == 1 else 'replies'}" if many else ""

        views = [view for view in workspace.views.values() if view.open and view.user == user.id]
        return {
            "user": user, "channel": channel, "thread": thread, "names": names, "where": where, "replies": replies,
            "roots": [message for message in here if message.thread_ts in (None, message.ts)],
            "in_thread": [message for message in here if thread in (message.thread_ts, message.ts)],
            "status": workspace.statuses.get((channel.id, thread)), "view": views[-1] if views else None,
            "html_of": html_of, "colour": _colour, "clock": _clock,
        }  # fmt: skip

    async def _say(self, request: web.Request) -> web.Response:
        given = {name: str(value) for name, value in (await request.post()).items()}
        text, thread = html.escape(given["text"].strip(), quote=False), given["thread"]
        if text.startswith("/"):
            name, _, rest = text.partition(" ")
            await people_acts.command(self._context, given["user"], given["channel"], name, rest)
        elif text:
            mention = f"<@{BOT_USER}>"
            text = text.replace("@" + self._context.workspace.users[BOT_USER].name, mention)
            to = thread if given["in_thread"] else None
            ts = await people_acts.say(self._context, given["user"], given["channel"], text, to, (), None, 1)
            thread = thread if given["in_thread"] else ts
        raise web.HTTPSeeOther(_address(given["channel"], thread, given["user"]))

    async def _click(self, request: web.Request) -> web.Response:
        given = {name: str(value) for name, value in (await request.post()).items()}
        if "action" in given:
            wanted, _, chosen = given["action"].partition("|")
            channel, ts = given["channel"], given["ts"]
            await people_acts.click(self._context, given["user"], channel, ts, wanted, chosen or None)
        raise web.HTTPSeeOther(_address(given["channel"], given["thread"], given["user"]))

    async def _submit(self, request: web.Request) -> web.Response:
        given = {name: str(value) for name, value in (await request.post()).items()}
        view = self._context.workspace.views[given["view"]]
        if "close" in given:
            view.open = False
        elif "action" in given:
            await people_acts.click_in_view(self._context, view, given["action"].partition("|")[0], None)
        else:
            await people_acts.submit(self._context, view, given)
        raise web.HTTPSeeOther(_address(given["channel"], given["thread"], given["user"]))


def _address(channel: str, thread: str, user: str) -> str:
    named = {"channel": channel, "thread": thread, "user": user}
    return "/?" + urlencode({name: value for name, value in named.items() if value})


def _colour(user: str) -> str:
    return f"hsl({int(hashlib.md5(user.encode()).hexdigest()[:4], 16) % 360} 45% 45%)"


def _clock(ts: str) -> str:
    return datetime.fromtimestamp(int(ts.split(".")[0]), UTC).strftime("%H:%M")
