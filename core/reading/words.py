"""The words of questions, headers and cells, as they are compared with each other; and words without a meaning here."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from core.dates import MONTHS
from core.text import STOPWORDS, has_digit, list_words, write_scripts_plainly
from core.text_caches import cache_texts
from core.wording.content_words import LIGHT_WORDS, NEGATED_AUXILIARY

_WITHOUT_CONTENT = STOPWORDS | LIGHT_WORDS
_SHORTEST_STEM = 4
_ENDINGS = frozenset(["s", "es", "e", "n", "en"])
_SHORTEST_NOUN = 3  # letters of a noun with a plural in "s" or with an umlaut
_STRIPPED = ("s", "es", "e", "n", "en", "er", "ern", "se", "sen", "ses", "nen")
_SIBILANTS = ("s", "x", "z", "ch", "sh")
_UMLAUTS, _PLAIN_VOWELS = str.maketrans("aou", "äöü"), str.maketrans("äöü", "aou")
_UMLAUT = re.compile("(.*)([äöü])(.*)")  # the last one of a word
_WITH_UMLAUT_ONLY = tuple(
    """garten hafen laden boden ofen kasten graben schaden faden bogen wagen vogel nagel mantel mangel apfel vater
    mutter bruder tochter acker""".split()
)
"""Endings of German nouns that have only an umlaut in the plural."""
_WITH_ER = tuple("bild feld schild glied kind brett kleid lied nest licht geld".split())
"""Endings of German nouns without an umlaut whose plural has "er". Of other words it makes others: "test", "tester"."""
_CHANGED = (
    *(("y", "ies"), ("f", "ves"), ("fe", "ves"), ("ysis", "yses"), ("asis", "ases"), ("child", "children")),
    *(("man", "men"), ("foot", "feet"), ("tooth", "teeth"), ("mouse", "mice"), ("index", "indices")),
    *(("matrix", "matrices"), ("vertex", "vertices"), ("criterion", "criteria"), ("medium", "media")),
    *(("datum", "daten"), ("firma", "firmen"), ("thema", "themen"), ("konto", "konten"), ("risiko", "risiken")),
    *(("eum", "een"), ("zentrum", "zentren"), ("ium", "ien"), ("virus", "viren"), ("ort", "orte"), ("ort", "orten")),
    *(("tag", "tage"), ("tag", "tagen"), ("weg", "wege"), ("weg", "wegen"), ("art", "arten"), ("typ", "typen")),
    *(("uhr", "uhren"), ("tür", "türen"), ("box", "boxen")),
)
"""Endings of the singular and the plural, of words and their compounds."""
_OF_FORMS = frozenset("s es e d ed ing en n t st te ten er em es ly".split()) | {""}
_SHORTEST_ROOT = 5
_LEAST_CAPITALS = 3
_DERIVED = frozenset(
    """s e es ed er ers y le ly ies ied ing ng ion ions ation ations cation cations ication ications able ably ability
    ible ibly ibility ility iable ment ments ness ance ence ung ungen bar bare barkeit barkeiten en et t te ten
    heit keit iert ierte ierten ieren ierung ierungen""".split()
) | {""}
"""What remains of two words from one root after the letters that they share."""
_TERM = re.compile(r"\d+(?:[.:/-]\d+)+|[^\W_]+")
_IDENTIFIER = re.compile(r"[^\W\dA-Z_][A-Z](?!n(?:nen)?$)")  # not "KollegIn", "KollegInnen"
_CAPITALS_PLURAL = re.compile(r"[A-Z]{2,5}s")
NUMBER_WORDS = {
    name: str(number)
    for number, names in enumerate(
        (
            *("two zwei", "three drei", "four vier", "five fünf", "six sechs", "seven sieben", "eight acht"),
            *("nine neun", "ten zehn", "eleven elf", "twelve zwölf"),
        ),
        start=2,
    )
    for name in names.split()
}
"""Words for the numbers from two to twelve, with their digits."""
_NUMBER_WORD = re.compile(rf"(?i)\b(?:{'|'.join(NUMBER_WORDS)})\b")
_ONE = re.compile(
    r"(?i)(?<=\bonly |\bjust |\bthan )one\b|(?<=\bexactly )one\b|(?:(?<=\bnur )|(?<=\bgenau ))eine?[nmrs]?\b"
)
_MONTH_NAMES = {number: name for name, number in reversed(MONTHS.items())}


@dataclass(frozen=True)
class Word:
    """A word as written, and folded: in lower case, a month by its English name, of "VMs" only "vm", of "four" "4".

    Without slots, because what is read for each cell of each table is computed once.
    """

    text: str
    folded: str

    @cached_property
    def is_name(self) -> bool:
        """Whether it names something exactly: it has a digit, is in capitals, or is an identifier ("maxSize")."""
        return (
            has_digit(self.text)
            or (self.text.isupper() and self.text not in "AI")
            or bool(_IDENTIFIER.search(self.text))
        )

    @cached_property
    def is_content(self) -> bool:
        return self.is_name or self._is_month or not (self.is_light or len(self.folded) == 1)

    @cached_property
    def is_light(self) -> bool:
        """Whether it says nothing in lower case: "us", and also "US"."""
        return self.folded in _WITHOUT_CONTENT or (len(self.folded) == 1 and not self.folded.isdigit())

    @property
    def _is_month(self) -> bool:
        """Whether it is "Mai" or "May", but not the verb "may"."""
        return self.text.lower() in MONTHS and self.text != self.folded

    def is_form_of(self, other: Word) -> bool:
        """Whether two words are the same, or forms of one, see :func:`is_form`. A name has no other form."""
        if self.is_name or other.is_name:
            return self.folded == other.folded
        return is_form(self.folded, other.folded)


@cache_texts(5_000)
def split_words(text: str) -> tuple[Word, ...]:
    """Return the words of a text; numbers with dots, colons or dashes are one word."""
    return tuple([_make_word(found) for found in _TERM.findall(write_scripts_plainly(text))])


@cache_texts(20_000)  # most words of a text are also in others; what is read for a word is then computed once
def _make_word(text: str) -> Word:
    return Word(text, _fold(text))


def write_digits(text: str) -> str:
    """Return a text with digits for its numbers up to twelve; for "one" only where it can be no article."""
    text = _NUMBER_WORD.sub(lambda match: NUMBER_WORDS[match[0].lower()], text)
    return _ONE.sub("1", text)


@cache_texts(10_000)
def fold_words(text: str) -> tuple[str, ...]:
    """Return the words of a text, folded."""
    return tuple([word.folded for word in split_words(text)])


def list_capitals(text: str) -> set[str]:
    """Return the capitals of words with several, in lower case, by which people name them: "oxt" of "OpenXT"."""
    capitals = ("".join(filter(str.isupper, word.text)) for word in split_words(text) if not word.text.isupper())
    return {each.lower() for each in capitals if len(each) >= _LEAST_CAPITALS}


def has_outdated_word(text: str) -> bool:
    """Whether a question or title has a word for what no longer holds."""
    return not OUTDATED_TITLES.isdisjoint(list_words(text))


def is_marked_outdated(title: str) -> bool:
    """Whether a title says apart from its name that it no longer holds: "VPN (old)", "VPN – outdated", "OBSOLETE VPN".

    "Old town" and "Legacy API" are names, and "Migration: from the old VPN" says what it is about.
    """
    parts = _BETWEEN_PARTS.split(title)
    says_only = (part for part in parts if len(parts) > 1 and _says_only_outdated(part))
    written = (word.lower() for word in _LETTERS.findall(title) if word.isupper())
    return any(says_only) or not OUTDATED.isdisjoint(written)


def _says_only_outdated(part: str) -> bool:
    """Whether a part of a title has a word for what no longer holds, and besides only since when, or what to see."""
    words = list_words(_REFERRING.split(part)[0])
    others = (word for word in words if word not in OUTDATED_TITLES | _SINCE and word not in MONTHS)
    return has_outdated_word(" ".join(words)) and all(word.isdigit() for word in others)


def is_same_noun(name: str, other: str) -> bool:
    """Whether two words are the same, or singular and plural, or cases: "test" and "tests", "Land" and "Ländern"."""
    return other in _list_forms(name)


def has_same_noun(name: str, others: Collection[str]) -> bool:
    """Whether one of the words is the same noun as ``name``, see :func:`is_same_noun`."""
    return not _list_forms(name).isdisjoint(others)


def is_compound(name: str, others: Collection[str]) -> bool:
    """Whether a word consists of two of the others: "kundenverträge" of "kunde" and "vertrag"."""
    return any(
        has_same_noun(name[:at], others) and has_same_noun(name[at:], others)
        for at in range(_SHORTEST_STEM, len(name) - _SHORTEST_STEM + 1)
    )


def is_derived(name: str, other: str) -> bool:
    """Whether two words in lower case may be derived from one: "verifiability", "verification" and "verified"."""
    if name[:_SHORTEST_ROOT] != other[:_SHORTEST_ROOT]:  # most words, without counting
        return False
    shared = _count_shared(name, other)
    is_root = shared >= _SHORTEST_ROOT and name[shared:] in _DERIVED and other[shared:] in _DERIVED
    return is_root or name == other


def is_form(name: str, other: str) -> bool:
    """Whether two words in lower case are forms of one: "jobs" and "job", "tests" and "tested", "dropped", "drop"."""
    if is_same_noun(name, other):
        return True
    shared = _count_shared(name, other) if name[:_SHORTEST_STEM] == other[:_SHORTEST_STEM] else 0
    if shared < _SHORTEST_STEM:
        return False
    last = name[shared - 1]  # which a verb may double
    rests = (name[shared:], other[shared:])
    return all(rest in _OF_FORMS or (rest[0] == last and rest[1:] in _OF_FORMS) for rest in rests)


def is_related(name: str, other: str) -> bool:
    """Whether two words in lower case are forms of one, or derived from one."""
    return is_form(name, other) or is_derived(name, other)


def _count_shared(name: str, other: str) -> int:
    """Return the number of letters with which both words begin."""
    return next((at for at, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), min(len(name), len(other)))


@cache_texts(5_000)
def _list_forms(name: str) -> frozenset[str]:
    """Return the words that are the same noun as ``name``."""
    stems = [name.removesuffix(ending) for ending in ("", *_STRIPPED)]
    stems += [name.removesuffix(plural) + singular for singular, plural in _CHANGED if name.endswith(plural)]
    stems += [
        match[1] + match[2].translate(_PLAIN_VOWELS) + match[3] for stem in stems if (match := _UMLAUT.match(stem))
    ]
    singulars = (stem for stem in stems if name in _list_plurals(stem))
    return frozenset([name, *_list_plurals(name), *singulars])


@cache_texts(20_000)
def _list_plurals(name: str) -> frozenset[str]:
    """Return the plurals and cases that an English or German noun may have."""
    found = {name + ending for ending in _ENDINGS if len(name) >= _SHORTEST_STEM}
    if len(name) >= _SHORTEST_NOUN:
        found.add(f"{name}s")
        found |= {name + ending for ending in ("es", "se", "sen", "ses") if name.endswith(_SIBILANTS)}
        vowel = max(name.rfind(each) for each in "aou")
        vowel -= name[vowel - 1 : vowel + 1] == "au"
        umlaut = name[:vowel] + name[vowel : vowel + 1].translate(_UMLAUTS) + name[vowel + 1 :]
        if vowel >= 0:
            found |= {umlaut + ending for ending in ("e", "en", "er", "ern")}
            found |= {umlaut + ending for ending in ("", "n") if name.endswith(_WITH_UMLAUT_ONLY)}
    if len(name) >= _SHORTEST_STEM:
        found |= {name + ending for ending in ("er", "ern") if name.endswith(_WITH_ER)}
        found |= {f"{name}nen"} if name.endswith("in") else set()
    for singular, plural in _CHANGED:
        stem = name.removesuffix(singular)
        is_consonant_before = singular != "y" or stem[-1:] not in set("aeiou")
        if name.endswith(singular) and len(stem) != 1 and is_consonant_before:
            found.add(stem + plural)
    return frozenset(found)


def _fold(text: str) -> str:
    if _CAPITALS_PLURAL.fullmatch(text):
        return text[:-1].lower()
    word = text.lower()
    return _MONTH_NAMES[MONTHS[word]] if word in MONTHS else NUMBER_WORDS.get(word, word)


DENIALS = rf"(?:(?:can)?not|without|nicht|kein(?:e[rsnm]?)?|ohne|{NEGATED_AUXILIARY})"
"""Words by which a question denies what follows, as a regular expression."""


# -------------------------------------------------------------------------------------- empty words


_THERE = frozenset(
    """appear appears came concerned concerning contain contained contains exactly existing explain explained explains
    explicitly following gets got
    include included includes including involve involved keep keeps lie lies made mention mentions occur occurred
    occurs offer offers provide provided provides resulted specifically stand stands various
    auftreten auftritt aufgetreten beinhaltet bekam bekamen besitzen besitzt bezieht beziehen bieten bietet
    dabei derzeit enthalten enthält entsprechend erscheinen erscheint ergab ergaben erklären erklärt folgende folgenden
    führen führt führte führten gab gabs genau insbesondere jeweils liegen liegt schon spezifisch stehen steht traten
    trat besteht bestehen bekannt statt umfassen umfasst verfügt vorhanden vorkommen vorkommt""".split()
)
_DONE = frozenset(
    """added assigned built carried checked combined considered done evaluated executed experienced face faced found
    joined listed logged measured named noted observed performed present recorded registered reported run seen tested
    tried used written berücksichtigt betrachtet
    aufgeführt aufgelistet ausgeführt beobachtet berichtet bewertet durchgeführt eingesetzt eingetragen erfasst
    festgestellt gefunden geführt gelistet gemacht gemeldet gemessen genutzt geprüft gesehen getestet kombiniert notiert
    protokolliert registriert teilgenommen verteilt vermerkt verwendet verzeichnet zugeordnet
    zugewiesen überprüft""".split()
)
_RELATING = frozenset(
    """according accordingly already altogether around case cases context currently guys order per relation result still
    total whole within yet
    aktuell art bereits besonders bezug fall fälle fällen gemäß gesamt insgesamt kontext laut lautet lautete
    momentan momentane momentanen pro rahmen sowie zuge zusammenhang""".split()
)
_ANY_ROW = frozenset(
    """entries entry item items ones point points row rows
    eintrag einträge einträgen posten punkt punkte punkten zeile zeilen""".split()
)
EMPTY_WORDS = _THERE | _DONE | _RELATING | _ANY_ROW
"""Words, in lower case, that a table need not have: they say that something exists ("contains", "were tested").

If a table has such a word, it is bound like any other. A verdict needs every word, since "tested" may be the question.
"""

DISTINCT_WORDS = frozenset(
    """different differing distinct unique various verschiedene verschiedenen verschiedener unterschiedliche
    unterschiedlichen unterschiedlicher""".split()
)
"""Words before what is counted or listed that ask for values and not for rows: "how many different vendors"."""

PEOPLE_WORDS = frozenset(
    """people persons person members colleagues employees personen leute mitglieder teammitglieder kollegen
    mitarbeiter""".split()
)
"""Words for people who are counted."""

HAVE = frozenset("have has had with haben hat hatte hatten mit".split())
"""Words before what something has."""
PREPOSITIONS = frozenset("in for from of by at with im für von vom aus bei beim mit".split())
ARTICLES = frozenset("the a an our der die das dem den unser unsere unserem unseren".split())

END_VERBS = frozenset(
    """end ends ending expire expires expiring expired runs run läuft laufen endet enden ausläuft auslaufen abläuft
    ablaufen""".split()
)
END_HEADERS = frozenset(
    "to until till end ends expiry expires expiration bis ende ablauf frist due deadline fällig".split()
)
"""Verbs of what ends at a time, and words of the headers of such times."""

OWNERS = frozenset("owns owner owners owned gehört eigentümer eigentümerin besitzer besitzerin inhaber besitzt".split())
RESPONSIBLE = frozenset(
    "responsible maintains maintainer maintained verantwortlich zuständig pflegt betreut verantwortet".split()
)
IN_CHARGE = (
    OWNERS | RESPONSIBLE | frozenset("verantwortliche verantwortlicher zuständige zuständiger maintainers".split())
)
"""Words for owning and being responsible, in questions and headers of columns."""

LEADERS = frozenset(
    """lead leads leader leaders head heads chair chairs leitet leiten leiter leiterin leitung vorsitz vorsitzende
    vorsitzender teamlead teamleiter teamleiterin teamleitung""".split()
)
"""Words for leading, in questions and headers of columns."""

DEPUTIES = frozenset(
    """backup backups deputy deputies secondary standby substitute substitutes stellvertreter stellvertreterin
    stellvertretung vertreten vertreter vertreterin vertretung vertritt""".split()
)
"""Words for whoever stands in for somebody, in questions and headers."""

CHANGE_WORDS = frozenset(
    """lose loses lost gain gains gained grow grows grew grown fall falls fell fallen drop dropped rise rises rose risen
    increase increased decrease decreased improve improved worsen worsened
    verlor verloren gewann gewonnen wuchs gewachsen fiel gefallen sank gesunken stieg gestiegen gestiegenen zugelegt
    verbessert verschlechtert""".split()
)
"""Verbs that ask for a change of what a column measures, and not for the largest value in it."""

ONLY_WORDS = frozenset("only solely exclusively nur ausschließlich lediglich".split())
"""Words that say that a cell has no other value."""

PRICE = frozenset("price prices cost costs preis preise kosten kostet gekostet € $ £".split())
"""Words of headers and labels for what something costs."""

OUTDATED = frozenset(
    """old previous former obsolete deprecated outdated superseded archived legacy alte alten altes bisherige
    bisherigen frühere früheren veraltet veraltete veralteten ehemalige ehemaligen archiviert archivierte abgelöst
    obsolet""".split()
)
"""Words of headings and titles over what no longer holds."""
OUTDATED_TITLES = OUTDATED | {"alt"}
"""The same of titles. In English headings "alt" is short for "alternative"."""
_BETWEEN_PARTS = re.compile(r"[(\[)\]:|–—]| - ")  # of a title
_LETTERS = re.compile(r"[^\W\d_]+")
_REFERRING = re.compile(r"(?i)\b(?:see|siehe|replaced|superseded|use|now|jetzt|ersetzt)\b")
_SINCE = frozenset(
    "until since from before after valid not in out of use the bis seit ab vor nach gültig nicht mehr".split()
)

STATE_ADVERBS = frozenset(
    "already currently now still today yet bereits derzeit heute inzwischen jetzt mittlerweile noch schon".split()
)
"""Words beside a state that do not change it: "not done yet"."""
ATTENDEES = frozenset(
    "attendees attending participants present anwesend anwesende teilnehmer teilnehmende teilnehmerinnen".split()
)
"""Headings and labels over those who took part in something."""

CONTAINERS = frozenset(
    """chapter column columns confluence document list overview page section table wiki
    abschnitt dokument kapitel liste seite spalte tabelle testliste übersicht""".split()
)
"""Words for a table or what contains it. They are empty too, unless they are what is counted or listed."""

VERBS_OF_PRESENCE = _THERE | _DONE
"""Words that can follow what is counted: "how many actions came out of it"."""

SUCCESS_WORDS = frozenset(
    """pass passed passes work worked works succeed succeeded successful bestanden bestehen funktioniert geklappt
    klappt erfolgreich""".split()
)
FAILURE_WORDS = frozenset("fail failed fails fehlgeschlagen gescheitert durchgefallen".split())
STATES = (
    ("open", "closed"),
    ("offen", "geschlossen"),
    ("enabled", "disabled"),
    ("allowed", "forbidden"),
    ("erlaubt", "verboten"),
    ("supported", "unsupported"),
)
"""Pairs of words for opposite states, of which a cell has one."""
VERDICT_WORDS = SUCCESS_WORDS | FAILURE_WORDS | {state for pair in STATES for state in pair}
"""Words of verdicts and states."""

TIMES = frozenset(
    """day days hour hours minute minutes second seconds week weeks month months year years tag tage tagen stunde
    stunden minuten sekunden woche wochen monat monate monaten jahr jahre jahren""".split()
)
"""Units of time."""
_PERIODS = TIMES | frozenset(
    """quarter quarters weekend today yesterday recently lately quartals quartale wochenende heute gestern kürzlich
    neulich zuletzt tages""".split()
)
_ENDINGS_OF_PERIODS = ("jahr", "jahres", "jahren", "monat", "monats", "monaten", "woche", "wochen", "quartal")


def is_period(folded: str) -> bool:
    """Whether a word is a part of the time that a question is about: "last year", "im Vorjahr"."""
    return folded in _PERIODS or folded.endswith(_ENDINGS_OF_PERIODS)
