"""The bodies of errors, as each flavour words them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

_CODES = {400: "INVALID_REQUEST_PARAMETER", 401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND", 410: "GONE"}
_JAVA = {400: "BadRequestException", 403: "PermissionException", 404: "NotFoundException", 410: "GoneException"}

DATA_CENTER_401 = """<!doctype html><html lang="en"><head><title>HTTP Status 401 – Unauthorized</title></head>
<body><h1>HTTP Status 401 – Unauthorized</h1><hr class="line" /><p><b>Type</b> Status Report</p>
<p><b>Message</b> Basic Authentication Failure - Reason : AUTHENTICATED_FAILED</p>
<p><b>Description</b> The request has not been applied to the target resource because it lacks valid authentication
credentials for that resource.</p><hr class="line" /><h3>Apache Tomcat</h3></body></html>"""

TOMCAT_404 = """<!doctype html><html lang="en"><head><title>HTTP Status 404 – Not Found</title></head>
<body><h1>HTTP Status 404 – Not Found</h1></body></html>"""

LOGIN_PAGE = """<!DOCTYPE html><html><head><title>Log In - Confluence</title></head>
<body class="login">
<form name="loginform" method="POST" action="/dologin.action"><h1>Log in</h1></form></body></html>"""
"""What a single sign-on or a proxy answers with status 200 instead of JSON."""


def v2_error(status: int, title: str) -> dict[str, Any]:
    """https://developer.atlassian.com/cloud/confluence/rest/v2/intro/"""
    code = _CODES.get(status, HTTPStatus(status).phrase.upper().replace(" ", "_"))
    return {"errors": [{"status": status, "code": code, "title": title, "detail": None}]}


def v1_error(status: int, message: str, cloud: bool) -> dict[str, Any]:
    """https://developer.atlassian.com/server/confluence/confluence-rest-api-examples/

    Cloud puts the Java class of the error before the message.
    """
    java = f"com.atlassian.confluence.api.service.exceptions.{_JAVA[status]}: " if cloud and status in _JAVA else ""
    data = {
        "authorized": status == 400,
        "valid": True,
        "allowedInReadOnlyMode": True,
        "errors": [],
        "successful": False,
    }
    return {"statusCode": status, "data": data, "message": java + message, "reason": HTTPStatus(status).phrase}
