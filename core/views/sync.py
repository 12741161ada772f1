"""Reports of syncs for chats."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.i18n import Value, message, plural
from core.indexing.report import SpaceReport, list_errors
from core.languages import Language
from core.model.views import Notice

_MOST_ERRORS = 5
_STOPPED = message(
    "The sync would remove most of the space's pages, so it was stopped. If this is intended, sync the space on the "
    "server with --allow-mass-delete."
)
_UNLISTED = message(
    "The space's pages could not be listed, so nothing was changed. The server's log says why; `wikiwhy doctor` "
    "helps to find the cause."
)


def build_sync_notice(
    reports: Sequence[SpaceReport], language: Language, spaces: Collection[str], pages: Collection[str] = ()
) -> Notice:
    """Build the report: one line per space, then the problems and what to do. Error details are only in the log.

    ``spaces``: keys that may be named at this place; ``pages``: ids of pages whose titles may be shown.
    """
    errors = list_errors(reports)
    named = [error.title for error in errors if error.page_id in pages][:_MOST_ERRORS]
    lines = [line for report in reports for line in _describe_space(report, language, spaces)]
    lines += [message("Not read: {title}", title=title).render(language) for title in named]
    if unnamed := len(errors) - len(named):
        lines.append(
            plural(
                "One page could not be read. The server's log says which, and why.",
                "{count} pages could not be read. The server's log says which, and why.",
                unnamed,
            ).render(language)
        )
    names = _join_names([report.key for report in reports], language, spaces)
    refused = [report for report in reports if report.refusal]
    if len(refused) == len(reports):
        return Notice(_describe_refusal(names, language), tuple(lines), "problem")
    seconds = round(sum(report.seconds for report in reports))
    headline = message("Synced {spaces} in {seconds} s", spaces=names, seconds=seconds)
    return Notice(headline.render(language), tuple(lines), "problem" if errors or refused else "done")


def build_sync_failure(keys: Sequence[str], language: Language, spaces: Collection[str]) -> Notice:
    """Build the notice that a whole sync failed."""
    return Notice(
        _describe_refusal(_join_names(keys, language, spaces), language), (_UNLISTED.render(language),), "problem"
    )


def name_space(key: str, language: Language, spaces: Collection[str]) -> str:
    """Return a space's key, or "another space" if it may not be named. ``spaces``: keys that may be named."""
    return key if key in spaces else message("another space").render(language)


def _join_names(keys: Sequence[str], language: Language, spaces: Collection[str]) -> str:
    return ", ".join(dict.fromkeys(name_space(key, language, spaces) for key in keys))


def _describe_refusal(names: str, language: Language) -> str:
    return message("Could not sync {spaces}", spaces=names).render(language)


def _describe_space(report: SpaceReport, language: Language, spaces: Collection[str]) -> list[str]:
    space: Value = report.key if report.key in spaces else message("Another space")
    if report.vanished:
        return [message("{space} is no longer in the wiki and was removed.", space=space).render(language)]
    if report.refusal:
        return [(_UNLISTED if report.unlisted else _STOPPED).render(language)]
    pages = report.pages
    counts = [
        plural("{space}: {count} page", "{space}: {count} pages", pages.seen, space=space),
        message("{count} added", count=pages.added),
        message("{count} updated", count=pages.updated),
        message("{count} removed", count=pages.removed),
        message("{count} unchanged", count=pages.unchanged),
    ]
    if pages.restricted:
        counts.append(message("{count} restricted", count=pages.restricted))
    if pages.failed:
        counts.append(message("{count} not read", count=pages.failed))
    effort = [
        plural("{count} text embedded", "{count} texts embedded", report.embedded),
        plural("{count} request", "{count} requests", report.traffic.requests),
    ]
    return [", ".join(each.render(language) for each in line) for line in (counts, effort)]
