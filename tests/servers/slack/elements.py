"""The limits of block elements and composition objects.

https://docs.slack.dev/reference/block-kit/block-elements, /composition-objects
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

from tests.servers.slack.state import Json

_SELECTS = {
    f"{many}{of}_select"
    for many in ("", "multi_")
    for of in ("static", "external", "users", "conversations", "channels")
}
_CHOICES = {"checkboxes", "radio_buttons", "overflow"}
_PICKERS = {"datepicker", "timepicker", "datetimepicker"}
_INPUTS = {
    "plain_text_input",
    "number_input",
    "email_text_input",
    "url_text_input",
    "rich_text_input",
    "file_input",
    "feedback_buttons",
}
ALLOWED: dict[str, set[str]] = {
    "actions": {"button", "workflow_button"} | _SELECTS | _CHOICES | _PICKERS,
    "section": {"button", "image", "workflow_button"} | _SELECTS | _CHOICES | _PICKERS,
    "input": _INPUTS - {"feedback_buttons"} | _SELECTS | _PICKERS | {"checkboxes", "radio_buttons"},
    "context_actions": {"feedback_buttons", "icon_button"},
}
_OPTIONS = {"checkboxes": 10, "radio_buttons": 10, "overflow": 5, "static_select": 100, "multi_static_select": 100}
_KNOWN: dict[str, set[str]] = {
    "section": {"text", "fields", "accessory", "expand"},
    "header": {"text"},
    "divider": set(),
    "markdown": {"text"},
    "context": {"elements"},
    "actions": {"elements"},
    "context_actions": {"elements"},
    "rich_text": {"elements"},
    "table": {"rows", "column_settings"},
    "image": {"alt_text", "image_url", "slack_file", "title"},
    "input": {"label", "element", "dispatch_action", "hint", "optional"},
    "button": {"text", "action_id", "url", "value", "style", "confirm", "accessibility_label"},
    "feedback_buttons": {"action_id", "positive_button", "negative_button"},
    "icon_button": {"icon", "text", "action_id", "value", "confirm", "accessibility_label", "visible_to_user_ids"},
}


class Checks:
    """Collects what is wrong, as Slack words it."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def error(self, what: str, at: str) -> None:
        self.errors.append(f"{what} [json-pointer:{at}]")

    def known(self, item: Json, kind: str, at: str) -> None:
        """That it has no property which Slack does not know for its type."""
        if kind in _KNOWN:
            for name in item.keys() - _KNOWN[kind] - {"type", "block_id"}:
                self.error(f"invalid additional property: {name}", at)

    def string(self, value: Any, at: str, most: int, *, least: int = 1, required: bool = False) -> None:
        if value is None and not required:
            return
        if not isinstance(value, str):
            self.error("missing required field" if value is None else "must be a string", at)
        elif len(value.encode("utf-16-le")) // 2 > most:
            self.error(f"must be less than {most + 1} characters", at)
        elif len(value) < least:
            self.error(f"must be more than {least - 1} characters", at)

    def text(self, value: Any, at: str, most: int, kinds: Collection[str] = ("plain_text", "mrkdwn")) -> None:
        """A text object."""
        if not isinstance(value, dict):
            self.error(f"missing required field: {at.rpartition('/')[2]}", at.rpartition("/")[0])
            return
        if value.get("type") not in kinds:
            self.error(f"unsupported type: {value.get('type')}", f"{at}/type")
        allowed = {"type", "text", "emoji"} if value.get("type") == "plain_text" else {"type", "text", "verbatim"}
        for name in value.keys() - allowed:
            self.error(f"invalid additional property: {name}", at)
        self.string(value.get("text"), f"{at}/text", most, required=True)

    def count(self, value: Any, at: str, most: int, *, least: int = 0) -> None:
        if not isinstance(value, list):
            self.error("missing required field" if value is None else "must be an array", at)
        elif len(value) > most:
            self.error(f"no more than {most} items allowed", at)
        elif len(value) < least:
            self.error(f"no fewer than {least} items allowed", at)

    def url(self, value: Any, at: str) -> None:
        self.string(value, at, 3000)
        if isinstance(value, str) and urlsplit(value).scheme not in ("http", "https", "mailto", "slack"):
            self.error("invalid url", at)


def check_element(checks: Checks, element: Any, at: str, inside: str) -> None:
    """``inside``: the kind of block around it."""
    if not isinstance(element, dict) or element.get("type") not in ALLOWED[inside]:
        kind = element.get("type") if isinstance(element, dict) else element
        checks.error(f"unsupported type: {kind}", f"{at}/type")
        return
    kind = element["type"]
    if kind == "image":
        check_image(checks, element, at)
        return
    checks.known(element, kind, at)
    checks.string(element.get("action_id"), f"{at}/action_id", 255)
    _check_kind(checks, element, at)
    if kind in _OPTIONS and "option_groups" not in element:
        _check_options(checks, element, at)
    if "placeholder" in element:
        checks.text(element["placeholder"], f"{at}/placeholder", 150, {"plain_text"})
    if "confirm" in element:
        _check_confirm(checks, element["confirm"], f"{at}/confirm")


def _check_kind(checks: Checks, element: Json, at: str) -> None:
    """What only elements of this type have."""
    kind = element["type"]
    if kind == "button":
        _check_button(checks, element, at)
    elif kind == "icon_button":
        checks.text(element.get("text"), f"{at}/text", 75, {"plain_text"})
        checks.string(element.get("value"), f"{at}/value", 2000, least=0)
        if element.get("icon") != "trash":
            checks.error(f"unsupported icon: {element.get('icon')}", f"{at}/icon")
    elif kind == "feedback_buttons":
        for name in ("positive_button", "negative_button"):
            _check_feedback(checks, element.get(name), f"{at}/{name}")
    elif kind == "plain_text_input":
        checks.string(element.get("initial_value"), f"{at}/initial_value", 3000, least=0)


def _check_button(checks: Checks, element: Json, at: str) -> None:
    checks.text(element.get("text"), f"{at}/text", 75, {"plain_text"})
    checks.string(element.get("value"), f"{at}/value", 2000, least=0)
    checks.string(element.get("accessibility_label"), f"{at}/accessibility_label", 75)
    if element.get("style", "primary") not in ("primary", "danger"):
        checks.error("unsupported style", f"{at}/style")
    if "url" in element:
        checks.url(element["url"], f"{at}/url")


def _check_feedback(checks: Checks, button: Any, at: str) -> None:
    if not isinstance(button, dict):
        checks.error("missing required field", at)
        return
    checks.text(button.get("text"), f"{at}/text", 75, {"plain_text"})
    checks.string(button.get("value"), f"{at}/value", 2000, required=True)
    checks.string(button.get("accessibility_label"), f"{at}/accessibility_label", 75)


def _check_options(checks: Checks, element: Json, at: str) -> None:
    checks.count(element.get("options"), f"{at}/options", _OPTIONS[element["type"]], least=1)
    for number, option in enumerate(element["options"] if isinstance(element.get("options"), list) else []):
        check_option(checks, option, f"{at}/options/{number}", element["type"])


def check_option(checks: Checks, option: Any, at: str, kind: str) -> None:
    if not isinstance(option, dict):
        checks.error("must be an object", at)
        return
    kinds = ("plain_text", "mrkdwn") if kind in ("checkboxes", "radio_buttons") else ("plain_text",)
    checks.text(option.get("text"), f"{at}/text", 75, kinds)
    checks.string(option.get("value"), f"{at}/value", 150, least=0, required=True)
    if "description" in option:
        checks.text(option["description"], f"{at}/description", 75, kinds)
    if "url" in option:
        checks.url(option["url"], f"{at}/url")


def _check_confirm(checks: Checks, confirm: Any, at: str) -> None:
    if not isinstance(confirm, dict):
        checks.error("must be an object", at)
        return
    for name, most in (("title", 100), ("text", 300), ("confirm", 30), ("deny", 30)):
        if name in confirm:
            checks.text(confirm[name], f"{at}/{name}", most)


def check_image(checks: Checks, image: Json, at: str) -> None:
    checks.string(image.get("alt_text"), f"{at}/alt_text", 2000, required=True, least=0)
    if "slack_file" not in image:
        if "image_url" not in image:
            checks.error("missing required field: image_url", at)
        checks.url(image.get("image_url"), f"{at}/image_url")
    if "title" in image:
        checks.text(image["title"], f"{at}/title", 2000, {"plain_text"})
