"""What suggestions are phrased by, in English and German: headings that say nothing, headers that name a value."""

from __future__ import annotations

import re
from typing import Literal

EMPTY_HEADINGS = frozenset(
    """abstract|abroad|action items|actions|agenda|annex|appendix|attachments|attendees|background|basics|
    changelog|comments|content|contents|context|date|description|details|discussion|document history|draft|
    example|examples|faq|figures|further information|general|goal|goals|history|how it works|in short|info|
    information|intro|introduction|links|list|meeting minutes|build info|dial-in information|minutes|misc|
    miscellaneous|more|more information|new ideas|next steps|note|notes|open questions|options|other|others|
    overview|participants|preface|present|prerequisites|properties|purpose|quick links|reference|references|
    related|related pages|remarks|result|results|revision history|scope|see also|sources|status|summary|table|
    table of contents|tasks|test results|tl;dr|to do|todo|topics|versions|welcome|what is this|allgemein|
    allgemeines|anhang|anhänge|anlass|aufgaben|beispiel|beispiele|beschreibung|besprochen|datum|diverses|
    einführung|einleitung|ergebnis|ergebnisse|hinweis|hinweise|hintergrund|inhalt|inhaltsverzeichnis|kontext|
    kurz|kurz gesagt|kurzfassung|mehr|nächste schritte|notizen|offene fragen|sonstiges|stand|siehe auch|
    tagesordnung|teilnehmende|teilnehmer|überblick|übersicht|verschiedenes|verweise|weiteres|
    weitere informationen|ziel|ziele|zusammenfassung|zweck""".replace("\n    ", "").split("|")
)
"""Headings, lower-cased, that do not say what is under them."""

INVITES = re.compile(
    r"(?i)\b(?:click\w*|\w*klick\w*|visit|besuche|besuchen sie|subscribe|abonnier\w*|download now|sign up|tap here|"
    r"(?:enter|send|type|share|give)\b.{0,30}\b(?:password|code|token|credentials)|"
    r"(?:pass|kenn)wort (?:ein|an)?geb\w*)\b"
)
"""What invites to click or to give something away, which no suggestion should."""

QUESTION_WORDS = re.compile(
    r"(?i)^(?:what|which|who|whom|whose|when|where|why|how|was|welche[rsmn]?|wer|wem|wen|wessen|wann|wo|woher|wohin|"
    r"warum|wieso|wie|womit|wofür|ob|whether)\b"
)

FINITE = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|had|does|do|did|must|can|cannot|should|will|may|not|ist|sind|war|hat|haben|muss|"
    r"müssen|kann|können|soll|sollen|wird|werden|darf|dürfen|nicht)\b"
)
"""What makes a heading a sentence of its own."""

DANGLING = frozenset(
    """about above across against along among around as at behind below beneath beside besides between beyond by despite
    down during for from if in inside into like near of off on onto out outside over per since than through
    throughout till to toward towards under until up upon via while with within without and or but not no yes let's
    so then also here there an im am bei für mit von aus nach zu zum zur auf in über unter vor hinter neben zwischen
    durch gegen ohne um bis seit wenn falls sobald und oder nicht kein keine""".split()  # noqa: SIM905
)
"""What a heading begins with that is no thing to say something about."""

HeaderKind = Literal["person", "due", "meaning", "noun"]

HEADERS: tuple[tuple[HeaderKind, re.Pattern[str]], ...] = (
    (
        "person",
        re.compile(
            r"(?i)^(?:owner|host|who|contact|contact person|responsible|responsible person|assignee|maintainer|lead|"
            r"approver|wer|zuständig|verantwortlich|ansprechpartner(?:in)?|ansprechperson|kontakt)$"
        ),
    ),
    ("due", re.compile(r"(?i)^(?:due|due date|deadline|until|bis wann|fällig|frist|termin)$")),
    ("meaning", re.compile(r"(?i)^(?:meaning|definition|explanation|what it means|what it is|bedeutung|erklärung)$")),
    (
        "noun",
        re.compile(
            r"(?i)^(?:price|cost|limit|version|address|size|warranty|temperature|weight|duration|power|memory|disk|location|"
            r"capacity|phone|phone number|colour|color|language|purpose|severity|priority|default|default value|format|"
            r"license|licence|port|password length|retention|effort|"
            r"preis|kosten|grenze|version|adresse|größe|garantie|gewicht|dauer|leistung|speicher|ort|standort|"
            r"lagerplatz|"
            r"mindestbestand|telefonnummer|farbe|sprache|zweck|priorität|format|lizenz|aufwand)$"
        ),
    ),
)
"""What a column's header names, where the question can be put by it."""

ARTICLES = {
    **dict.fromkeys("preis ort standort lagerplatz mindestbestand zweck speicher aufwand".split(), "der"),  # noqa: SIM905
    **dict.fromkeys(["format", "gewicht"], "das"),
}
"""Of German headers; the others take "die"."""
