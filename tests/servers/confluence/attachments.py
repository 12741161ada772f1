"""Attached files: their listings in both versions of REST, the search for them, and their bytes."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from tests.servers.confluence.request import File, Redirect, Request, RequestError, number_of, v1_page, v2_page
from tests.servers.confluence.site import Attachment, Page

_CQL = re.compile(r'type=attachment and space="((?:[^"\\]|\\.)*)"')


def is_asked_for(cql: str) -> bool:
    return cql.startswith("type=attachment")


def search(request: Request, cql: str) -> Any:
    """As much CQL as a sync asks. Files of pages in the trash or the archive are not found."""
    asked = _CQL.fullmatch(cql)
    if asked is None:
        raise RequestError(400, f"Could not parse cql : {cql}")
    space = re.sub(r"\\(.)", r"\1", asked[1])
    found = [
        (page, attachment)
        for page in request.site.pages.values()
        if page.status == "current" and page.space == space
        for attachment in page.attachments
    ]
    found.sort(key=lambda each: number_of(each[1].attachment_id.removeprefix("att")))
    return v1_page(
        request,
        found,
        lambda each: v1_json(request, *each),
        request.limits.v1(request.expand),
        sees=lambda each: request.sees(each[0]),
        cursor=request.flavour == "cloud",
    )


def of_page_v1(request: Request, page: Page) -> Any:
    """https://developer.atlassian.com/server/confluence/rest/v940/api-group-attachments/"""
    return v1_page(request, page.attachments, lambda each: v1_json(request, page, each), 200, default=50)


def of_page_v2(request: Request, page: Page) -> Any:
    """https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-attachment/"""
    return v2_page(request, page.attachments, lambda each: _v2_json(page, each), lambda each: (each.attachment_id,))


def v1_json(request: Request, page: Page, attachment: Attachment, expands_version: bool = False) -> dict[str, Any]:
    """``expands_version``: the version was asked for by another name than ``version``."""
    shown: dict[str, Any] = {
        "id": attachment.attachment_id,
        "type": "attachment",
        "status": "current",
        "title": attachment.title,
        "extensions": {"fileSize": _size(attachment), "mediaType": "application/octet-stream"},
        "_links": {"webui": _web_path(page, attachment), "download": _download_path(page, attachment)},
        "_expandable": {"container": f"/rest/api/content/{page.page_id}", "version": ""},
    }
    if expands_version or request.expands("version"):
        shown["version"] = {"number": attachment.version}
    if request.expands("container"):
        shown["container"] = {"id": page.page_id, "type": page.kind, "title": page.title}
    return shown


def _v2_json(page: Page, attachment: Attachment) -> dict[str, Any]:
    return {
        "id": attachment.attachment_id,
        "status": "current",
        "title": attachment.title,
        "fileSize": _size(attachment),
        "mediaType": "application/octet-stream",
        "pageId": page.page_id,
        "version": {"number": attachment.version},
        "webuiLink": _web_path(page, attachment),
        "downloadLink": _download_path(page, attachment),
    }


def download(request: Request) -> Any:
    """Cloud sends on to its media store, which here is on the same host."""
    page, attachment = _find(request)
    _check_version(request, attachment)
    return Redirect(f"{request.base}/media/{page.page_id}/{attachment.attachment_id}?version={attachment.version}")


def media(request: Request) -> Any:
    """The bytes of a file, by an address that needs no account."""
    _, attachment = _find(request, is_public=True)
    _check_version(request, attachment)
    return File(attachment.content)


def old_download(request: Request) -> Any:
    """Data Center gives the bytes itself, by page and name."""
    page = request.site.pages.get(request.match["id"])
    for attachment in page.attachments if page and request.sees(page) else ():
        if quote(attachment.title) == request.match["title"] or attachment.title == request.match["title"]:
            _check_version(request, attachment)
            request.sent_files[attachment.attachment_id] += 1
            return File(attachment.content)
    raise RequestError(404, "No such file")


def _check_version(request: Request, attachment: Attachment) -> None:
    if request.number("version", attachment.version) != attachment.version:
        raise RequestError(404, "No such version is kept here")


def _find(request: Request, is_public: bool = False) -> tuple[Page, Attachment]:
    page = request.site.pages.get(request.match["id"])
    for attachment in page.attachments if page and (is_public or request.sees(page)) else ():
        if page and attachment.attachment_id == request.match["file"]:
            if is_public:
                request.sent_files[attachment.attachment_id] += 1
            return page, attachment
    raise RequestError(404, "No such file")


def _size(attachment: Attachment) -> int:
    return len(attachment.content) if attachment.size is None else attachment.size


def _web_path(page: Page, attachment: Attachment) -> str:
    file_id = attachment.attachment_id
    return f"/pages/viewpageattachments.action?pageId={page.page_id}&preview=%2F{page.page_id}%2F{file_id}"


def _download_path(page: Page, attachment: Attachment) -> str:
    return f"/download/attachments/{page.page_id}/{quote(attachment.title)}?version={attachment.version}&api=v2"
