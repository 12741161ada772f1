"""Identifiers in a question, and those of them that no evidence has.

An identifier names one thing by its form: a model ("T460"), a product ("GitLab"), an acronym ("LDAP"), an option
("--window-size"), a key ("OXT-607"), a version ("9.0.2"), a month of a year ("October 2018"), a name with a number
("Rook 5"). A text about a similar thing has all other words of the question, so it matches well by letters and by
meaning, and is still wrong. Words of ordinary form are left out, since a page may say the same in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

from core.dates import MONTH_NAMES, MONTHS
from core.model import Evidence, RankedEvidence
from core.text import is_stopword, split_subject, write_scripts_plainly
from core.text_caches import cache_texts


class IdentifierForm(Enum):
    """The form of an identifier, which decides how texts are searched for it."""

    CODE = auto()
    ACRONYM = auto()
    VERSION = auto()
    MONTH = auto()
    NAME_WITH_NUMBER = auto()


@dataclass(frozen=True, slots=True)
class Identifier:
    """``text``: as the question writes it; ``parts``: a name and its number, or the numbers of a month and its year."""

    text: str
    form: IdentifierForm
    parts: tuple[str, ...] = ()


# ---------------------------------------------------------------------------------------- in a question

_WRITTEN = re.compile(r"(?:--)?[^\W_](?:[\w.:/+-]*[\w+])?")
_BREAKS = re.compile(r"[-/:+]")
_KEY = re.compile(r"[A-Z]{2,}-\d+")
_JOINED = re.compile(r"[^\W\d_][^\W_]+(?:[._][^\W_]+)+")
_ACRONYM = re.compile(r"[A-Z]{3,6}")
_SHOUTED = re.compile(r"[A-ZÄÖÜ]{2,30} [A-ZÄÖÜ]{2}")
_EMPHASISED = frozenset(
    """AGAIN ALLE ALWAYS ANY BEST BITTE BOTH CHF DANKE DARF DONE DRINGEND EILT EVERY FIRST FREE FRI FULL
    GRATIS HALLO HELP HEUTE HILFE HUGE IMMER JETZT KEIN KEINE LAST LIVE MON MUSS MUST NEU NEVER NEW NEXT NICHT
    NOW OFFEN OHNE ONLY OPEN PAID PER PLEASE REAL REALLY SAME SAT SOFORT STOP SUN THANKS THU TODAY TUE URGENT
    VALID WED WHOLE WIRKLICH YES""".split()
)
"""Ordinary words that people write in capitals, and what looks like an acronym and names nothing."""
_SPELLED_OUT = frozenset(
    """AGB ASAP ATM BIC BYOD CEO CET CFO CIO COO CPU CSV CTO CVE DIY DOB DSGVO EDV EOD ETA EUR FAQ FYI GBP
    GDPR GPS HDD HTML HTTP HTTPS IBAN IMHO ISO JIRA JSON KFZ LAN LCD LED LKW MFA NDA OOO OTP PDF PIN PKW PPE
    PSA PTO QA RAM RDP ROI RTO SIM SLA SMS SSD SSL SSO TBA TBD TLS TODO UPS URL USA USB USD USV UTC VAT VIP
    VPN WFH WIFI WLAN WWW XLS XML ZIP""".split()
)
"""Acronyms that a page may well write as words: "memory" for RAM, "vacation" for PTO."""
_LETTERS_AND_DIGITS = re.compile(r"(?=[^\W_]*\d)(?=[^\W_]*[^\W\d_])[^\W_]{2,}")
_ABBREVIATED = re.compile(r"(?i)\d+[^\W\d_]{1,4}|[qhv]\d|[^\W\d_]\d+[^\W\d_]")
"""Quantities ("10GB", "2nd"), quarters ("Q3"), versions ("v2") and words shortened by a count ("k8s"), which pages may
write in full."""

_LETTERS = re.compile(r"[^\W\d_]{4,}")
_CAPITAL_WITHIN = re.compile(r"[a-zäöüß][A-ZÄÖÜ]")
_GENDER_ENDINGS = ("In", "Innen")
"""Endings of German words for people of all genders ("MitarbeiterInnen"), which are no identifiers."""
_VERSION = re.compile(r"\d+\.\d+\.\d{1,3}")
_NUMBER = r"\d+(?:\.\d+)*"
_NAME_WITH_NUMBER = re.compile(rf"(?<![\w.])([^\W\d_]{{2,}})[ -]({_NUMBER})(?![\w%]|[.,:/]\d)")
_YEAR = r"((?:19|20)\d\d)(?!\d)"
_MONTH_OF_YEAR = re.compile(rf"(?i)\b({MONTH_NAMES})\.?(?: \d\d?(?:st|nd|rd|th)?,?)? {_YEAR}")


@cache_texts(64)
def find_identifiers(question: str) -> tuple[Identifier, ...]:
    """Return the identifiers in a question's own words, each once, grouped by form."""
    own = split_subject(question)[0]
    found = [*_find_codes(own), *_find_months(own), *_find_names_with_number(own)]
    return tuple(dict.fromkeys(found))


def _find_codes(question: str) -> Iterator[Identifier]:
    is_shouted = bool(_SHOUTED.search(question))
    for match in _WRITTEN.finditer(question):
        word = match[0]
        if _VERSION.fullmatch(word):
            yield Identifier(word, IdentifierForm.VERSION)
        elif _ACRONYM.fullmatch(word):
            if word not in _SPELLED_OUT | _EMPHASISED and not is_stopword(word.lower()) and not is_shouted:
                yield Identifier(word, IdentifierForm.ACRONYM)
        elif word.startswith("--") or _KEY.fullmatch(word) or _JOINED.fullmatch(word):
            yield Identifier(word, IdentifierForm.CODE)
        else:
            yield from (Identifier(part, IdentifierForm.CODE) for part in _BREAKS.split(word) if _is_code(part))


def _is_code(word: str) -> bool:
    if _LETTERS_AND_DIGITS.fullmatch(word):
        return not _ABBREVIATED.fullmatch(word)
    # Two searches: one expression for both takes time quadratic in the length of the word.
    return bool(_LETTERS.fullmatch(word) and _CAPITAL_WITHIN.search(word)) and not word.endswith(_GENDER_ENDINGS)


def _find_months(question: str) -> Iterator[Identifier]:
    for match in _MONTH_OF_YEAR.finditer(question):
        yield Identifier(match[0], IdentifierForm.MONTH, (str(MONTHS[match[1].lower()]), match[2]))


def _find_names_with_number(question: str) -> Iterator[Identifier]:
    for match in _NAME_WITH_NUMBER.finditer(question):
        name = match[1].lower()
        if name not in MONTHS and not is_stopword(name) and not _KEY.fullmatch(match[0]):
            yield Identifier(match[0], IdentifierForm.NAME_WITH_NUMBER, (match[1], match[2]))


# -------------------------------------------------------------------------------------------- in texts


def find_unknown_identifiers(question: str, evidences: Sequence[RankedEvidence]) -> tuple[str, ...]:
    """Return the identifiers of a question that no evidence has, as the question writes them.

    A name with a number counts only if an evidence has the name with another number: "Rook 4", but no "Rook 5".
    """
    identifiers = find_identifiers(question)
    if not identifiers or not evidences:
        return ()
    texts = [SearchedText.of(ranked.evidence) for ranked in evidences]
    whole = SearchedText("", "\n".join(text.text for text in texts))
    return tuple(
        each.text
        for each in identifiers
        if not _is_known(each, texts, whole)
        and (each.form is not IdentifierForm.NAME_WITH_NUMBER or _has_other(each, whole))
    )


def is_about_unknown(question: str, evidences: Sequence[RankedEvidence]) -> bool:
    """Whether a question has an unknown identifier, and not beside a known one of the same shape.

    "Rook 4 and Rook 5".
    """
    unknown = find_unknown_identifiers(question, evidences)
    known = {_get_shape(each) for each in find_identifiers(question) if each.text not in unknown}
    return any(_get_shape(each) not in known for each in find_identifiers(question) if each.text in unknown)


def _get_shape(identifier: Identifier) -> tuple[IdentifierForm, str]:
    if identifier.form is IdentifierForm.MONTH:
        return identifier.form, ""
    return identifier.form, re.sub(r"\d+", "0", identifier.text.lower())


def _is_known(identifier: Identifier, texts: Sequence[SearchedText], whole: SearchedText) -> bool:
    if identifier.form is IdentifierForm.MONTH:
        return any(text.has(identifier) for text in texts)
    return whole.has(identifier)


@dataclass(frozen=True)
class SearchedText:
    """A text that is searched for identifiers. ``heading``: the title and headings in it."""

    heading: str
    text: str

    @staticmethod
    def of(evidence: Evidence, quoted: str = "") -> SearchedText:
        """Return an evidence with its context; or only the text ``quoted`` from it, with its title and headings."""
        context = evidence.context
        heading = " ".join((context.title, *context.heading_path))
        texts = (quoted,) if quoted else (context.before, evidence.text, context.after)
        return SearchedText(heading, write_scripts_plainly("\n".join((heading, *texts))))

    def has(self, identifier: Identifier) -> bool:
        """Whether the text has it, also with other characters between letters and digits, or in another date format."""
        match identifier.form:
            case IdentifierForm.CODE:
                return self._has_code(identifier.text)
            case IdentifierForm.ACRONYM:
                return self._has_acronym(identifier.text)
            case IdentifierForm.VERSION:
                return _has_number(self.text, identifier.text) or _squeeze(identifier.text) in self._squeezed
            case IdentifierForm.MONTH:
                return self._has_month(*identifier.parts)
            case IdentifierForm.NAME_WITH_NUMBER:
                return self._has_name_with_number(*identifier.parts)

    @cached_property
    def _lower(self) -> str:
        return self.text.lower()

    @cached_property
    def _squeezed(self) -> str:
        return _squeeze(self.text)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(map(_squeeze, frozenset(self.text.split())))

    def _has_code(self, code: str) -> bool:
        last = code if "_" in code else code.rpartition(".")[2]  # "http.maxRequests" may stand in a section "http"
        wanted = _squeeze(last).removesuffix("s")
        if wanted in self._lower:  # then it is in the squeezed text and in one of its words, which take longer to make
            return True
        is_long = len(wanted) >= _LONG_CODE
        is_here = wanted in self._squeezed if is_long else any(wanted in word for word in self._words)
        return is_here or self._has_letters_with_digits(last)

    def _has_acronym(self, acronym: str) -> bool:
        """Whether a word begins with an acronym in any case, has it in capitals, or is it in full."""
        is_within = len(acronym) >= _LONG_ACRONYM and acronym.lower() in self._lower
        is_here = is_within or acronym in self.text or bool(re.search(rf"(?i)\b{acronym}", self.text))
        return is_here or self._has_initials(acronym)

    def _has_initials(self, acronym: str) -> bool:
        """Whether consecutive words, or parts of a German compound, begin with the letters of an acronym.

        "Storage area network" is "SAN", "Environment, health and safety" "EHS", "Personenkraftwagen" "PKW".
        """
        words = _BETWEEN_INITIALS.join(acronym)
        if re.search(rf"(?i)\b{words}", self.text):
            return True
        between = rf"(?:[a-zäöüß]{{3,30}}|{_BETWEEN_INITIALS})"
        parts = "".join(f"{between}(?i:{letter})(?=[a-zäöüß]{{3}})" for letter in acronym[1:])
        return bool(re.search(rf"\b{acronym[0]}{parts}", self.text))

    def _has_letters_with_digits(self, code: str) -> bool:
        """Whether the text has "win11" as "Windows 11"."""
        parts = _LETTERS_THEN_DIGITS.fullmatch(code)
        return bool(parts and re.search(rf"(?i)\b{parts[1]}\w*[ -]?{parts[2]}(?!\d)", self.text))

    def _has_name_with_number(self, name: str, number: str) -> bool:
        """Whether the number follows the name, also in a list: "Rook 3, 4 and 5".

        A version may stand without the name, but "10" alone is not version "10.0".
        """
        if "." in number and _has_number(self.text, number, is_alone=True):
            return True
        names = re.finditer(rf"(?i)(?<!\w)(?:(?:{re.escape(name)}|version|release)(?!\w)|v(?=\d))", self.text)
        after = (self.text[match.end() : match.end() + _AFTER_NAME] for match in names)
        numbers = " ".join(found[1] for text in after if (found := _NUMBERS.match(text)))
        return _has_number(numbers, number)

    def _has_month(self, month: str, year: str) -> bool:
        # By three letters, which also match other languages, cases and misspellings such as "Auguest".
        name = rf"(?:{'|'.join(sorted({name[:3] for name, number in MONTHS.items() if str(number) == month}))})"
        patterns = (
            rf"(?i)\b{name}\w*\W{{1,3}}(?:\d\d?\w*\W{{1,3}})?{year}(?!\d)",
            rf"(?<!\d){year}(?P<sign>[-/.]?)0?{month}(?:(?P=sign)\d\d?)?(?!\d)",
            rf"(?<!\d)(?:\d\d?[./] ?)?0?{month}[./] ?{year}(?!\d)",
            rf"(?<!\d)0?{month}/\d\d?/{year}(?!\d)",
        )
        if any(re.search(pattern, self.text) for pattern in patterns):
            return True
        is_of_year = year in self.heading and not re.search(rf"(?i)\b(?:{MONTH_NAMES})\b|{year}-\d", self.heading)
        return is_of_year and bool(re.search(rf"(?i)\b{name}", self.text))


_LONG_CODE = 5  # characters: a shorter code is found by chance in longer words and across words
_AFTER_NAME = 40  # characters
_NUMBERS = re.compile(r"[^\d\n]*((?:[\w.]*\d[\w.]*|[\s,/&–-]|and|und|or|oder|to|bis)*)")
_LETTERS_THEN_DIGITS = re.compile(r"([^\W\d_]+)(\d+)")


_LONG_ACRONYM = 4  # letters: a shorter one is found by chance within words, such as "san" in "thousand"
_BETWEEN_INITIALS = r"\w{0,30}[ ,/&-]{1,3}(?:(?:and|of|for|und|der|für) )?"


_SIGNS = re.compile(r"[\W_]+")


def _squeeze(text: str) -> str:
    lower = text.lower()
    return lower if lower.isalnum() else _SIGNS.sub("", lower)


def _has_number(text: str, number: str, is_alone: bool = False) -> bool:
    """Whether a text has a number; "4.0.0" also as "4.0" or, unless ``is_alone``, as "4"."""
    short = re.sub(r"(?:\.0)+$", "", number)
    is_major = "." not in short
    if is_alone and is_major:
        short += ".0"
    end = r"(?!\.?\d)" if is_major else r"(?!\d)"
    return bool(re.search(rf"(?<![\d.]){re.escape(short)}(?:\.0)*{end}", text))


def _has_other(identifier: Identifier, text: SearchedText) -> bool:
    """Whether a text has the name, capitalised, with another number; of a year, with another year.

    "Bolt 40 mm" is no other than the bolt that is asked for in "the price of a bolt 2026".
    """
    name, number = identifier.parts
    other = _YEAR if re.fullmatch(_YEAR, number) else _NUMBER
    found = re.finditer(rf"(?i)(?<!\w)({re.escape(name)}) {other}", text.text)
    return any(match[1][0].isupper() for match in found)
