"""Names of images, as evidences show them."""

from __future__ import annotations

import re

from core.evidence.tree import ROUND, Node

_BADGE = re.compile(
    r"(?i)^(cc[-_. ]?)?(by|zero|cc)([-_](nc|nd|sa))*([-_ ]?\d\.\d)?([-_]?icon)?\.(png|svg|gif|jpe?g)$"
    r"|creative-?commons|licen[sc]e-?(badge|button)|88x31"
)
_WORD = re.compile(r"[^\W\d_]{3}")
_FILE_NAME = re.compile(r"^\S*\.\w{2,4}$|://|\.(?i:png|jpe?g|gif|svg|webp|bmp|pdf)$")
_ALTERNATIVE_CHARACTERS = 300


def read_image_name(image: Node) -> str:
    """Return the alternative text of an image, or its file name if that has no words; "" for a licence badge."""
    attachment, url = image.find_child("ri:attachment"), image.find_child("ri:url")
    name = attachment.attribute("ri:filename") if attachment is not None else ""
    if url is not None and not (address := url.attribute("ri:value")).startswith("data:"):
        if "creativecommons" in address:
            return ""
        name = address.split("?")[0].rpartition("/")[2]
    return "" if _BADGE.search(name) else _read_alternative_text(image, name) or name


def _read_alternative_text(image: Node, name: str) -> str:
    """Return the alternative text of an image if it has words, "" if it is only a file name, as editors set it."""
    text = " ".join(image.attribute("ac:alt").translate(ROUND).split())
    is_name = text.lower() in name.lower() or bool(_FILE_NAME.search(text)) or not _WORD.search(text)
    return "" if is_name else text[:_ALTERNATIVE_CHARACTERS].rstrip()
