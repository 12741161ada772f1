"""The report of a sync as people in a chat read it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

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
        "unread": "Not read: {title}",
        "more": "{count} pages could not be read. The server's log names them, with the cause.",
        "more_one": "One page could not be read. The server's log names it, with the cause.",
        "other": "another space",
        "stopped": "The sync would remove most of its pages, so it stopped. If that is right, sync it on the server "
        "with --allow-mass-delete.",
        "unlisted": "Its pages could not be listed, so nothing was changed. The server's log has the cause, and "
        "`wikiwhy doctor` looks for it.",
    },
    "de": {
        "done": "{spaces} synchronisiert in {seconds:.0f} s",
        "not": "{spaces} wurde nicht synchronisiert",
        "pages": "{key}: {seen} Seiten, {added} neu, {updated} geändert, {removed} entfernt, {unchanged} unverändert",
        "restricted": ", {count} beschränkt",
        "failed": ", {count} nicht gelesen",
        "gone": "{key} ist nicht mehr im Wiki und wurde entfernt.",
        "texts": "{embedded} Texte eingebettet, {requests} Anfragen",
        "unread": "Nicht gelesen: {title}",
        "more": "{count} Seiten konnten nicht gelesen werden. Das Protokoll des Servers nennt sie und die Ursache.",
        "more_one": "Eine Seite konnte nicht gelesen werden. Das Protokoll des Servers nennt sie und die Ursache.",
        "other": "ein anderer Bereich",
        "stopped": "Die Synchronisation würde die meisten Seiten entfernen und hat darum angehalten. Wenn das so sein "
        "soll, synchronisieren Sie auf dem Server mit --allow-mass-delete.",
        "unlisted": "Die Seiten ließen sich nicht auflisten; darum wurde nichts geändert. Die Ursache steht im "
        "Protokoll des Servers, und `wikiwhy doctor` sucht nach ihr.",
    },
}


def sync_notice(
    reports: Sequence[SpaceReport], spoken: Language, spaces: Collection[str], pages: Collection[str] = ()
) -> Notice:
    """A line a space, then what went wrong, with what to do. What raised an error is in the log, in its own words.

    ``spaces``: keys that may be named where this is read; ``pages``: ids of the pages whose titles may be.
    """
    words = _WORDS[spoken]
    errors = all_errors(reports)
    named = [error.title for error in errors if error.page_id in pages][:_MOST_ERRORS]
    unnamed = len(errors) - len(named)
    lines = [line for report in reports for line in _space(report, words, spaces)]
    lines += [words["unread"].format(title=title) for title in named]
    if unnamed:
        lines.append(words["more_one"] if unnamed == 1 else words["more"].format(count=unnamed))
    keys = _names([report.key for report in reports], spoken, spaces)
    refused = [report for report in reports if report.refusal]
    if len(refused) == len(reports):
        return Notice(_begun(words["not"].format(spaces=keys), keys), tuple(lines), "problem")
    headline = words["done"].format(spaces=keys, seconds=sum(report.seconds for report in reports))
    return Notice(_begun(headline, keys), tuple(lines), "problem" if errors or refused else "done")


def sync_failure(keys: Sequence[str], spoken: Language, spaces: Collection[str]) -> Notice:
    """That a sync failed as a whole."""
    words = _WORDS[spoken]
    named = _names(keys, spoken, spaces)
    return Notice(_begun(words["not"].format(spaces=named), named), (words["unlisted"],), "problem")


def space_name(key: str, spoken: Language, spaces: Collection[str]) -> str:
    """A space's key, or that it is one, where its key may not be named. ``spaces``: the keys that may."""
    return key if key in spaces else _WORDS[spoken]["other"]


def _names(keys: Sequence[str], spoken: Language, spaces: Collection[str]) -> str:
    return ", ".join(dict.fromkeys(space_name(key, spoken, spaces) for key in keys))


def _begun(sentence: str, names: str) -> str:
    """With a capital where it begins with the words for another space; keys stay as they are."""
    others = tuple(words["other"] for words in _WORDS.values())
    return sentence[:1].upper() + sentence[1:] if sentence.startswith(names) and names.startswith(others) else sentence


def _space(report: SpaceReport, words: dict[str, str], spaces: Collection[str]) -> list[str]:
    key = report.key if report.key in spaces else words["other"]
    if report.vanished:
        return [_begun(words["gone"].format(key=key), key)]
    if report.refusal:
        return [words["unlisted" if report.unlisted else "stopped"]]
    pages = report.pages
    line = words["pages"].format(
        key=key,
        seen=pages.seen,
        added=pages.added,
        updated=pages.updated,
        removed=pages.removed,
        unchanged=pages.unchanged,
    )
    line += words["restricted"].format(count=pages.restricted) if pages.restricted else ""
    line += words["failed"].format(count=pages.failed) if pages.failed else ""
    return [_begun(line, key), words["texts"].format(embedded=report.embedded, requests=report.traffic.requests)]
