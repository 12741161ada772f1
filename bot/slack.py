"""Slack as a service of the server: receives requests or connects by Socket Mode, and calls the chat service."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler

from adapters.slack.blocks import render_message
from adapters.slack.calls import SlackCalls
from adapters.slack.events import Edit, format_metadata
from adapters.slack.platform import SlackPlatform
from adapters.slack.receiver import is_certificate_check, is_signed, make_app, parse_request
from adapters.slack.windows import SHARE, render_answer, render_form, render_home, render_link_preview, render_sources
from bot.chat.clicked_answers import ClickedAnswers
from bot.chat.commands import Commands
from bot.chat.home import HomeBuilder
from bot.chat.links import LinkPreviews
from bot.chat.service import ChatService
from bot.coordination.bots import AUDIENCES, Bots, OneBot
from bot.server.logs import RefusalLog
from bot.server.service import BackgroundTasks
from bot.settings import Settings
from core.errors import ChatRefused, ChatUnavailable, ServerUnavailable, WikiWhyError
from core.i18n import Message, message
from core.languages import Language
from core.model.views import HelpView, Notice
from core.ports.chat import Click, Command, IncomingMessage, Place
from core.views.document import Form
from core.views.help import build_correction_form, build_page_form, build_reason_form
from core.views.notices import EMPTY_QUESTION, NO_REASON_WINDOW, NO_WINDOW, NOT_NOW, NOT_YOURS_TO_STOP, choose_notice
from core.wording.courtesy import has_words

PATH = "/slack/events"
_TAKES_LONG = message("This takes longer. I'll tell you here when it is done.")
_NOT_DONE = message("This could not be done. The server's log says why.")
_ACKNOWLEDGE_SECONDS = 2.0  # seconds: without an acknowledgement in three, Slack shows the person an error
_PLACE_SECONDS = 1.5  # seconds to find where a command's question is answered, between two other look-ups

_NO_MEMBER = message("I am not a member of this channel, so I answer you in a direct message.")

logger = logging.getLogger(__name__)


class Slack:
    """Service that receives requests at ``/slack/events``, or opens a connection to Slack (Socket Mode)."""

    name = "Slack"
    early = True

    def __init__(self, settings: Settings, calls: SlackCalls, platform: SlackPlatform, listener: SlackListener) -> None:
        self._settings = settings
        self._calls = calls
        self._platform = platform
        self._listener = listener
        self._secret = settings.slack_signing_secret.get_secret_value()
        self._app = make_app(calls, self._secret, platform.find_bot, listener)
        self._socket: AsyncSocketModeHandler | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._problem = "not started"
        self._refusals = RefusalLog(logger)

    def list_routes(self) -> Sequence[web.RouteDef]:
        """Return one route for events, clicks and commands; none in Socket Mode, where Slack sends no requests."""
        return [] if self._in_socket_mode else [web.post(PATH, self._handle_request)]

    async def start(self) -> None:
        """Read the bot's identity, and connect. Raises ChatRefused for tokens that Slack does not accept."""
        await self._calls.open()
        self._problem = ""
        try:
            bot = await self._platform.find_bot()
            logger.info("Slack: workspace %s, as %s.", bot.team, bot.user)
        except ChatUnavailable as error:
            logger.warning("Slack does not answer yet; WikiWhy tries again when Slack sends something: %s", error)
        if self._in_socket_mode:
            await self._connect(self._settings.slack_app_token.get_secret_value())

    async def stop(self) -> None:
        if self._socket and self._connecting:
            self._connecting.cancel()
            await asyncio.gather(self._connecting, return_exceptions=True)
            await self._socket.close_async()  # type: ignore[no-untyped-call]
        await self._listener.close()
        await self._calls.close()
        self._problem = "stopped"

    def find_problem(self) -> str:
        if self._problem or self._socket is None:
            return self._problem
        session = self._socket.client.current_session
        return "" if session is not None and not session.closed else "not connected to Slack"

    async def _connect(self, token: str) -> None:
        """Connect by Socket Mode. Raises ChatRefused for a refused token, which Slack's client would retry forever."""
        try:
            await SlackCalls(token, self._settings.slack_api_url).set("apps.connections.open")
        except ChatUnavailable as error:
            logger.warning("Slack does not answer yet; WikiWhy tries to connect until it does: %s", error)
        self._socket = AsyncSocketModeHandler(self._app, token)
        # It retries until it succeeds; workflows that were running must not wait for it.
        self._connecting = asyncio.create_task(self._socket.connect_async())  # type: ignore[no-untyped-call]

    @property
    def _in_socket_mode(self) -> bool:
        return bool(self._settings.slack_app_token.get_secret_value())

    async def _handle_request(self, request: web.Request) -> web.Response:
        """Handle a request. Nothing is parsed before the signature of the raw bytes is checked."""
        body = await request.read()
        if not is_signed(self._secret, request.headers, body):
            if is_certificate_check(body):
                return web.Response()
            self._refusals.warn("A request at %s was refused: it has no valid signature of Slack.", PATH)
            return web.Response(status=401, text="This request has no valid signature of Slack.\n")
        parsed = parse_request(request.query_string, request.headers, body)
        if parsed is None:
            self._refusals.warn("A request at %s was refused: it is signed, but its body cannot be parsed.", PATH)
            return web.Response(status=400, text="This body cannot be parsed.\n")
        return await to_aiohttp_response(await self._app.async_dispatch(parsed))


@dataclass(slots=True)
class SlackListener:
    """Implements :class:`adapters.slack.receiver.Listener`.

    A method commits what has to survive a crash before it returns. Clicks and forms that take longer than Slack waits
    are committed in the background. Modals, notices and previews are shown in the background too.
    """

    service: ChatService
    answers: ClickedAnswers
    commands: Commands
    platform: SlackPlatform
    home: HomeBuilder
    links: LinkPreviews
    bots: Bots = field(default_factory=OneBot)
    _background: BackgroundTasks = field(default_factory=BackgroundTasks)

    async def handle_message(self, message: IncomingMessage) -> None:
        self.platform.audiences.note_event(message.place.channel, message.place.shared)
        await self.service.handle_message(message)

    async def handle_edit(self, edit: Edit) -> None:
        if edit.text is None:
            await self.service.handle_deletion(edit.place, edit.message_id, edit.user, edit.changed_at)
        else:
            await self.service.handle_edit(edit.place, edit.message_id, edit.user, edit.text, edit.changed_at)

    async def handle_sharing_change(self, channel: str) -> None:
        self.platform.audiences.forget(channel)
        await self.bots.signal(AUDIENCES)

    async def handle_stop(self, click: Click, streams: Sequence[str]) -> None:
        stopped = await self.service.stop(click.place, click.user, streams, pressed_at=click.action_id)
        if stopped.own and not stopped.others:  # otherwise the bot is still working there
            self._background.start(self.platform.clear_status(click.place))
        elif stopped.others and not stopped.own:
            self._show_notice(click, Notice(NOT_YOURS_TO_STOP.render(await self.service.find_language(click))))

    async def handle_home(self, place: Place, user: str) -> None:
        self._background.start(self._publish_home(place, user))

    async def handle_links(self, place: Place, message_id: str, user: str, urls: Sequence[str]) -> None:
        self._background.start(self._show_links(place, message_id, user, urls))

    async def handle_click(self, action: str, value: str, click: Click, trigger_id: str) -> None:
        await self._begin(click, self._report_outage(click, self._handle_click(action, value, click, trigger_id)))

    async def _handle_click(self, action: str, value: str, click: Click, trigger_id: str) -> None:
        name, _, argument = action.partition(":")
        match name:
            case "explain":
                self._show_notice(click, await self.answers.explain(click, trigger_id))
            case "share":
                self._show_notice(click, await self.answers.share(click))
            case "suggest" if argument.isdecimal():
                self._show_notice(click, await self.answers.ask_suggestion(click, int(argument)))
            case "whole":
                self._show(click, self._open_answer(click, trigger_id))
            case "page":
                self._show(click, self._open_page_form(click, trigger_id))
            case "sources":
                self._show(click, self._open_sources(click, trigger_id))
            case "correct":
                question = self.answers.load_question_to_correct(click)
                self._show(click, self._open_question_form(build_correction_form, question, click, trigger_id))
            case "feedback":
                await self._save_feedback(click, value.startswith("good:"), trigger_id)

    async def _save_feedback(self, click: Click, good: bool, trigger_id: str) -> None:
        thanks = await self.answers.save_feedback(click, "good" if good else "bad")
        if thanks.kind == "done" and not good:
            question = self.answers.load_completed_question(click)
            opening = self._open_question_form(build_reason_form, question, click, trigger_id, NO_REASON_WINDOW)
            self._show(click, opening, NO_REASON_WINDOW)
        else:
            self._show_notice(click, thanks)

    async def handle_submission(self, form: str, click: Click, text: str) -> str:
        if form in {"page", "correction"} and not has_words(text):
            return EMPTY_QUESTION.render(await self.service.find_language(click))
        # During an outage Slack gets an error, and keeps the form open with its text.
        failed = message(
            "I can't find out right now who can read this, so your text had no effect. Please send it again in a "
            "minute: {text}",
            text=text,
        )
        await self._begin(click, self._handle_submission(form, click, text), failed)
        return ""

    async def _handle_submission(self, form: str, click: Click, text: str) -> None:
        if form == "page":
            await self._ask_page(click, text)
        elif form == "correction":
            self._show_notice(click, await self.answers.correct(click, text))
        elif form == SHARE:
            self._show_notice(click, await self.answers.share(click))
        elif form == "reason" and text.strip():
            self._show_notice(click, await self.answers.save_feedback(click, "bad", text))

    async def _ask_page(self, click: Click, question: str) -> None:
        """Ask in the thread of the link, or in direct messages if the bot may not post there."""
        place = await self.platform.find_answer_place(click.place, click.user)
        if place.channel == click.place.channel:
            self._show_notice(click, await self.service.ask_in_form(click, question, click.page_id))
            return
        command = Command(replace(place, thread=""), click.user, tuple(question.split()), click.action_id)
        language = await self.service.find_language(command)
        self._show_notice(click, await self.service.ask_by_command(command, command.place, language, click.page_id))

    async def handle_command(self, command: Command) -> Mapping[str, Any]:
        language = await self.service.find_language(command)
        if not await self.commands.asks(command.words):
            return await self._execute(command, language)
        try:
            async with asyncio.timeout(_PLACE_SECONDS):
                place = await self.platform.find_answer_place(command.place, command.user)
        except (WikiWhyError, TimeoutError) as error:
            logger.warning("A question asked by a command cannot be answered: %r", error)
            return _render_ephemeral(choose_notice("unknown_audience", language))
        if notice := await self.service.ask_by_command(command, place, language):
            return _render_ephemeral(notice)
        return {} if place.channel == command.place.channel else _render_ephemeral(Notice(_NO_MEMBER.render(language)))

    async def _execute(self, command: Command, language: Language) -> Mapping[str, Any]:
        """Execute a command for as long as Slack waits; the reply to a longer one is shown when it is done."""
        execution = asyncio.create_task(self.commands.execute(command, language))
        try:
            await asyncio.wait([execution], timeout=_ACKNOWLEDGE_SECONDS)
        finally:
            if not execution.done():
                self._background.start(self._show_reply(command, execution))
        return _render_ephemeral(await execution if execution.done() else Notice(_TAKES_LONG.render(language)))

    async def _show_reply(self, command: Command, execution: Awaitable[Notice | HelpView]) -> None:
        as_click = Click(command.place, "", command.user, command.run_id, language=command.language)
        try:
            reply = await execution
        except WikiWhyError as error:
            logger.warning("A command could not be executed: %s", error)
            await self._post_problem(as_click, _NOT_DONE)
            return
        if isinstance(reply, HelpView):
            await self.platform.post_private(command.place, command.user, reply)
        else:
            await self._post_alone(as_click, reply)

    async def close(self) -> None:
        """Wait for background tasks, and cancel those that take too long."""
        await self._background.wait_until_idle()

    async def _open_sources(self, click: Click, trigger_id: str) -> None:
        found = await self.answers.load_sources(click)
        await self._open_modal(click, trigger_id, found if isinstance(found, Notice) else render_sources(found))

    async def _open_modal(
        self, click: Click, trigger_id: str, modal: Mapping[str, Any] | Notice, failed: Message = NO_WINDOW
    ) -> None:
        """Open a modal for the person who clicked, or show a notice. ``failed``: what they read if Slack refuses."""
        if isinstance(modal, Notice):
            await self._post_alone(click, modal)
            return
        try:
            await self.platform.open_modal(trigger_id, modal)
        except WikiWhyError as error:
            logger.warning("A modal could not be opened: %s", error)
            await self._post_problem(click, failed)

    async def _show_links(self, place: Place, message_id: str, user: str, urls: Sequence[str]) -> None:
        if place.direct and not await self.platform.is_direct_with(place, user):
            return  # the other person would see pages that only this one may read
        language = await self.service.find_client_language(place, user)
        found = await self.links.find(place, user, urls, language)
        if found:
            previews = {url: render_link_preview(view) for url, view in found.items()}
            await self.platform.calls.set("chat.unfurl", channel=place.channel, ts=message_id, unfurls=previews)

    async def _open_page_form(self, click: Click, trigger_id: str) -> None:
        language = await self.service.find_language(click)
        title = await self.links.load_title(click.place, click.user, click.page_id, language)
        form = (
            title
            if isinstance(title, Notice)
            else render_form(build_page_form(title, language), _format_metadata(click))
        )
        await self._open_modal(click, trigger_id, form)

    async def _publish_home(self, place: Place, user: str) -> None:
        language = await self.service.find_client_language(place, user)
        home = render_home(await self.home.build_view(place, user, language))
        await self.platform.calls.set("views.publish", user_id=user, view=home)

    async def _open_answer(self, click: Click, trigger_id: str) -> None:
        found = await self.answers.load_answer(click)
        modal = found if isinstance(found, Notice) else await asyncio.to_thread(render_answer, found)
        await self._open_modal(click, trigger_id, modal)

    async def _open_question_form(
        self,
        build: Callable[[str, Language], Form],
        loading: Awaitable[str | Notice],
        click: Click,
        trigger_id: str,
        failed: Message = NO_WINDOW,
    ) -> None:
        """Open a form about the question of an answer, in the language of the question or else of the client."""
        question = await loading
        if isinstance(question, Notice):
            await self._post_alone(click, question)
            return
        language = await self.service.find_language(click, question)
        await self._open_modal(
            click, trigger_id, render_form(build(question, language), _format_metadata(click)), failed
        )

    async def _begin(self, click: Click, work: Coroutine[Any, Any, None], failed: Message = NOT_NOW) -> None:
        """Do the work of a click, and wait for it as long as Slack waits. After that it continues in the background.

        Raises what the work raises while this waits. If Slack does not answer later, the person reads the text
        ``failed``.
        """
        task = asyncio.create_task(work)
        try:
            await asyncio.wait([task], timeout=_ACKNOWLEDGE_SECONDS)
        finally:
            if not task.done():
                self._background.start(self._report_outage(click, task, failed))
        if task.done():
            await task

    def _show_notice(self, click: Click, notice: Notice | None) -> None:
        """Show a notice only to this person, in the background."""
        if notice:
            self._background.start(self._post_alone(click, notice))

    def _show(self, click: Click, work: Awaitable[None], failed: Message = NOT_NOW) -> None:
        """Show something to the person who clicked, in the background."""
        self._background.start(self._report_outage(click, work, failed))

    async def _report_outage(self, click: Click, work: Awaitable[None], failed: Message = NOT_NOW) -> None:
        """Do the work of a click. If Slack does not answer or the server stops, show the person the text ``failed``."""
        try:
            await work
        except (ChatUnavailable, ServerUnavailable) as error:
            logger.warning("A click could not be handled: %s", error)
            await self._post_problem(click, failed)

    async def _post_problem(self, click: Click, text: Message) -> None:
        language = await self.service.find_language(click)
        await self._post_alone(click, Notice(text.render(language), kind="problem"))

    async def _post_alone(self, click: Click, notice: Notice) -> None:
        """Show a notice only to this person, in the thread or else in direct messages. An outage is only logged."""
        try:
            await self._try_to_post_alone(click, notice)
        except ChatUnavailable as error:  # the notice may be there; another one would contradict it
            logger.warning("A notice may not have been shown: %s", error)

    async def _try_to_post_alone(self, click: Click, notice: Notice) -> None:
        """Show a notice only to this person: in the thread, else in direct messages."""
        try:
            await self.platform.post_private(click.place, click.user, notice)
        except ChatRefused as error:
            logger.info("A notice is sent as a direct message instead: %s", error)
            key = f"click:{click.place.channel}:{click.action_id}"
            await self.service.poster.notices.notify(key, click.place, click.user, notice, directly=True)


def _format_metadata(click: Click) -> str:
    return format_metadata(click.place, click.message_id, click.turn_id or click.page_id)


def _render_ephemeral(view: Notice | HelpView) -> Mapping[str, Any]:
    return {"response_type": "ephemeral", **render_message(view, "")}


def has_slack(settings: Settings) -> bool:
    """Whether Slack is configured, at least in part."""
    return bool(settings.slack_bot_token.get_secret_value())


def find_missing_slack_settings(settings: Settings) -> Iterator[str]:
    """Yield a sentence for each setting that is missing when Slack is configured in part."""
    secret, app_token = settings.slack_signing_secret.get_secret_value(), settings.slack_app_token.get_secret_value()
    if has_slack(settings) and not secret and not app_token:
        yield (
            "Slack is configured in part: set WIKIWHY_SLACK_SIGNING_SECRET, from Basic Information of the app's page, "
            "or WIKIWHY_SLACK_APP_TOKEN for Socket Mode."
        )
    if (secret or app_token) and not has_slack(settings):
        yield "Slack is configured in part: set WIKIWHY_SLACK_BOT_TOKEN, from OAuth & Permissions of the app's page."
