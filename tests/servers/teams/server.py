"""The connector behind the serviceUrl, the channel's keys, and Entra's login.

https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.servers.chat_server import UPSTREAM_ERROR, Call, Endpoint, Json, Refusal, Setting, World
from tests.servers.confluence.server import CERTIFICATE
from tests.servers.faults import Fault
from tests.servers.teams import rules
from tests.servers.teams.delivery import TeamsDeliverer
from tests.servers.teams.state import APP_ID, BOT, SECRET, TENANT, Conversation, Directory, Message, RequestError, User
from tests.servers.teams.tokens import Identity, Tokens
from tests.servers.threaded import ThreadedApplication

REGION = "/emea"
_ROUTES = {
    "post": ("POST", "/v3/conversations/{conversation}/activities"),
    "update": ("PUT", "/v3/conversations/{conversation}/activities/{activity}"),
    "delete": ("DELETE", "/v3/conversations/{conversation}/activities/{activity}"),
    "member": ("GET", "/v3/conversations/{conversation}/members/{member}"),
    "pagedmembers": ("GET", "/v3/conversations/{conversation}/pagedmembers"),
}
"""By the name in faults and calls; the post of a typing activity is called ``typing`` there."""
_LIMITS = {"BadSyntax", "MessageSizeTooBig", "BadRequest", "ContentStreamNotAllowed"}
_NAMES = {403: "ForbiddenOperationException", 404: "ConversationNotFound", 413: "MessageSizeTooBig"}

Given = dict[str, str]
"""Parameters of the path and the query."""
Answer = tuple[int, Json]


class TeamsServer(World[Message]):
    """``reads_all``: whether the bot gets messages without a mention. ``authenticates``: whether tokens are checked.

    ``streams``: whether personal chats have streaming; ``stream_life``: seconds until a stream ends. ``page_size``: of
    the roster.
    """

    bot = BOT
    at_once = Setting[bool]("sender.at_once")

    def __init__(
        self, app_id: str = APP_ID, secret: str = SECRET, *, tenant: str = TENANT, bot_name: str = "WikiWhy"
    ) -> None:
        self.identity = Identity(app_id, secret, tenant)
        self.sender = TeamsDeliverer(self.identity)
        super().__init__(Endpoint(), self.sender)
        self.directory = Directory()
        self.app_id, self.secret, self.tenant, self.bot_name = app_id, secret, tenant, bot_name
        self.authenticates = self.streams = True
        self.reads_all = False
        self.stream_life, self.page_size = 120.0, 50
        self.login_url = self.service_url = ""
        certificate = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.load_cert_chain(CERTIFICATE)
        self._login = ThreadedApplication(certificate=certificate)

    def __enter__(self) -> Self:
        super().__enter__()
        login = web.Application()
        login.add_routes(self.identity.login_routes())
        self._login.start(login)
        self.login_url = f"{self._login.url}/adfs"  # with this path msal does not look up the host at Microsoft
        self.service_url = f"{self.url}{REGION}/"
        self.identity.tokens = Tokens(self.service_url, self.app_id)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, traceback)
        self._login.stop()

    # What the bot is configured with

    @property
    def tokens(self) -> Tokens:
        """Maker of valid tokens and, with :data:`tokens.FORGERIES`, of invalid ones."""
        return self.identity.tokens

    @property
    def metadata_url(self) -> str:
        return f"{self.url}/v1/.well-known/openidconfiguration"

    @property
    def settings(self) -> dict[str, str]:
        """Values of :class:`bot.settings.Settings` for a bot of this tenant."""
        return {
            "teams_app_id": self.app_id, "teams_app_password": self.secret, "teams_tenant_id": self.tenant,
            "teams_login_url": self.login_url, "teams_metadata_url": self.metadata_url,
        }  # fmt: skip

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables of the bot's process, so that msal trusts the login's certificate."""
        return {"REQUESTS_CA_BUNDLE": str(CERTIFICATE)}

    # Calls of the bot

    def routes(self) -> list[web.RouteDef]:
        calls = [web.route(verb, REGION + path, self._receive(name)) for name, (verb, path) in _ROUTES.items()]
        return [*calls, *self.identity.channel_routes()]

    def _receive(self, name: str) -> Callable[[web.Request], Awaitable[web.Response]]:
        handler: Callable[[Given, Json], Answer] = getattr(self, f"_{name}")

        async def receive(request: web.Request) -> web.Response:
            raw = await request.read()
            given, body = {**request.query, **request.match_info}, _json(raw)
            called = "typing" if name == "post" and body.get("type") == "typing" else name
            call = Call(called, {**given, **body}, request.headers.get("Authorization", ""))

            async def answer(fault: Fault) -> web.Response:
                try:
                    _raise_fault(fault)
                    if self.authenticates and not self.identity.is_good(call.authorization):
                        raise RequestError(401, "Unauthorized", "Authorization has been denied for this request.")
                    rules.check_size(raw)
                    call.status, call.answer = handler(given, body)
                except RequestError as error:
                    if error.code in _LIMITS and not fault.status:
                        self.refusals.append(Refusal(name, error.code, error.message, body))
                    call.status, call.answer = error.status, error.answer()
                if call.status in (502, 503, 504):
                    return web.Response(status=call.status, text=UPSTREAM_ERROR, content_type="text/html")
                headers = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
                return web.json_response(call.answer, status=call.status, headers=headers)

            return await self.endpoint.answer(request, call, answer)

        return receive

    def _post(self, given: Given, activity: Json) -> Answer:
        there, root = self._reach(given)
        rules.check(activity)
        info = rules.stream_info(activity)
        if info is not None:
            return self._stream(there, activity, info)
        message_id = self.directory.new_message_id()
        if activity.get("type") == "typing":
            there.typing.append((time.monotonic(), there.full_id(root)))
        elif activity.get("type") == "message":
            message = Message(there.full_id(root or message_id), message_id, BOT, activity)
            there.messages[message_id] = self._target(there, message) if "isTargetedActivity" in given else message
        else:
            raise rules.bad(f"Activity type {activity.get('type')!r} is not supported.")
        return 201, {"id": message_id}

    def _target(self, there: Conversation, message: Message) -> Message:
        """https://learn.microsoft.com/microsoftteams/platform/agents-in-teams/targeted-messages"""
        user = self.directory.user(str((message.activity.get("recipient") or {}).get("id")))
        if there.kind == "personal" or user.id not in there.members:
            raise rules.bad("A targeted message needs a recipient who is a member of the group conversation.")
        message.only_for = user.id
        return message

    def _stream(self, there: Conversation, activity: Json, info: Json) -> Answer:
        if there.kind != "personal" or not self.streams:
            raise rules.not_allowed("Content stream is not allowed")
        if info.get("streamId"):
            follow = rules.end_stream if activity["type"] == "message" else rules.continue_stream
            follow(there, activity, info, self.stream_life)
            return 202, {}
        stream = rules.begin_stream(activity, info)
        message = Message(there.id, self.directory.new_message_id(), BOT, activity, stream=stream)
        there.messages[message.id] = message
        return 201, {"id": message.id}

    def _update(self, given: Given, activity: Json) -> Answer:
        there, _ = self._reach(given)
        message = self.directory.message(there, given["activity"])
        if message.user != BOT:
            raise RequestError(403, "ForbiddenOperationException", "The bot may change its own messages only.")
        rules.check(activity | {"type": "message"})
        # An update loses label, citations and thumbs: https://github.com/microsoft/botframework-sdk/issues/6660.
        message.change({name: value for name, value in activity.items() if name not in ("entities", "channelData")})
        return 200, {"id": message.id}

    def _delete(self, given: Given, body: Json) -> Answer:
        there, _ = self._reach(given)
        message = self.directory.message(there, given["activity"])
        if message.user != BOT:
            raise RequestError(403, "ForbiddenOperationException", "The bot may delete its own messages only.")
        if bool(message.only_for) is not ("isTargetedActivity" in given):
            raise RequestError(404, "ActivityNotFoundInConversation", "Activity not found in conversation.")
        message.deleted = True
        return 200, {}

    def _member(self, given: Given, body: Json) -> Answer:
        there, _ = self._reach(given)
        user = self.directory.user(given["member"])
        if user.id not in there.members:
            raise RequestError(404, "MemberNotFoundInConversation", "Member not found in conversation.")
        return 200, _member_json(user)

    def _pagedmembers(self, given: Given, body: Json) -> Answer:
        there, _ = self._reach(given)
        known = [_member_json(self.directory.user(one)) for one in sorted(there.members)]
        begin = int(given.get("continuationToken") or 0)
        end = begin + min(int(given.get("pageSize") or self.page_size), self.page_size)
        return 200, {"members": known[begin:end]} | ({"continuationToken": str(end)} if end < len(known) else {})

    def _reach(self, given: Given) -> tuple[Conversation, str]:
        """Return a conversation that the bot may write to, and the thread's root. Raises :class:`RequestError`."""
        there, root = self.directory.conversation(given["conversation"])
        if not there.with_bot:
            raise RequestError(403, "BotNotInConversationRoster", "The bot is not part of the conversation roster.")
        if root and root not in there.messages:
            raise RequestError(404, "ConversationNotFound", "Conversation not found.")
        return there, root


def _member_json(user: User) -> Json:
    first, _, last = user.name.partition(" ")
    shown: Json = {
        "id": user.id, "name": user.name, "objectId": user.object_id, "aadObjectId": user.object_id,
        "givenName": first, "surname": last, "tenantId": user.tenant, "userRole": user.role,
        "userPrincipalName": user.email or "",
    }  # fmt: skip
    return shown | ({"email": user.email} if user.email else {})


def _raise_fault(fault: Fault) -> None:
    if fault.status == 429:
        raise RequestError(429, "TooManyRequests", "API calls quota exceeded")
    if fault.status or fault.error:
        status = fault.status or 404
        code = fault.error or _NAMES.get(status, "ServiceError")
        raise RequestError(status, code, f"Operation returned an invalid status code: {code}")


def _json(raw: bytes) -> Json:
    try:
        given = json.loads(raw) if raw else {}
    except ValueError:
        given = {}
    return given if isinstance(given, dict) else {}
