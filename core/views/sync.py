"""The report of a sync as people in a chat read it."""

from __future__ import annotations

from collections.abc import Sequence

from core.indexing.report import SpaceReport, all_errors
from core.text import Language
from core.views.notices import Notice

_MOST_ERRORS = 5
_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "done": "Synced {spaces} in {seconds:.0f} s",
        "not": "{spaces} was not synced",
        "pages": "{key}: {seen} pages, {added} added, {updated} updated, {removed} removed, {unchanged} unchanged",
        "restricted": ", {count} restricted",
        "failed": ", {count} not read",
        "gone": "{key} is no longer in the wiki, and was removed.",
        "texts": "{embedded} texts embedded, {requests} requests",
        "unread": "Not read: {title}: {cause}",
        "more": "and {count} more pages that could not be read",
    },
    "de": {
        "done": "{spaces} synchronisiert in {seconds:.0f} s",
        "not": "{spaces} wurde nicht synchronisiert",
        "pages": "{key}: {seen} Seiten, {added} neu, {updated} geändert, {removed} entfernt, {unchanged} unverändert",
        "restricted": ", {count} beschränkt",
        "failed": ", {count} nicht gelesen",
        "gone": "{key} ist nicht mehr im Wiki und wurde entfernt.",
        "texts": "{embedded} Texte eingebettet, {requests} Anfragen",
        "unread": "Nicht gelesen: {title}: {cause}",
        "more": "und {count} weitere Seiten, die nicht gelesen werden konnten",
    },
}


def sync_notice(reports: Sequence[SpaceReport], spoken: Language) -> Notice:
    """A line a space, then what went wrong, with what to do."""
    words = _WORDS[spoken]
    errors = all_errors(reports)
    lines = [line for report in reports for line in _space(report, words)]
    lines += [words["unread"].format(title=error.title, cause=error.cause) for error in errors[:_MOST_ERRORS]]
    if len(errors) > _MOST_ERRORS:
        lines.append(words["more"].format(count=len(errors) - _MOST_ERRORS))
    spaces = ", ".join(report.key for report in reports)
    refused = [report for report in reports if report.refusal]
    if len(refused) == len(reports):
        return Notice(words["not"].format(spaces=spaces), tuple(lines), "problem")
    headline = words["done"].format(spaces=spaces, seconds=sum(report.seconds for report in reports))
    return Notice(headline, tuple(lines), "problem" if errors or refused else "done")


def _space(report: SpaceReport, words: dict[str, str]) -> list[str]:
    if report.vanished:
        return [words["gone"].format(key=report.key)]
    if report.refusal:
        return [report.refusal]
    pages = report.pages
    line = words["pages"].format(
        key=report.key,
        seen=pages.seen,
        added=pages.added,
        updated=pages.updated,
        removed=pages.removed,
        unchanged=pages.unchanged,
    )
    line += words["restricted"].format(count=pages.restricted) if pages.restricted else ""
    line += words["failed"].format(count=pages.failed) if pages.failed else ""
    return [line, words["texts"].format(embedded=report.embedded, requests=report.traffic.requests)]
