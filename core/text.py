"""Words, stopwords, folding and character n-grams of texts; and texts as messages contain them.

Chinese and Japanese have no spaces between words. As in full-text engines without a dictionary, each pair of adjacent
Chinese characters is a word, each run of katakana (which writes foreign words) is a word, and each run of hiragana
(which writes endings and particles) is a stopword.

Chat platforms measure texts in UTF-16 code units.
"""

from __future__ import annotations

import html
import re
import string
import unicodedata
from collections.abc import Iterator
from typing import Literal

_WORD = re.compile(r"[^\W_]+")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe"})

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HIRAGANA, _KATAKANA = "\u3041-\u309f", "\u30a1-\u30fa\u30fc-\u30ff"
_UNSPACED = re.compile(f"[{_HAN}]+|[{_HIRAGANA}]+|[{_KATAKANA}]+")
_ONLY_HIRAGANA = re.compile(f"[{_HIRAGANA}]+")
_IS_HAN = re.compile(f"[{_HAN}]")
_WIDE = {wide: wide - 0xFEE0 for start, end in ("０９", "Ａｚ") for wide in range(ord(start), ord(end) + 1)}
"""Maps full-width letters and digits to ASCII."""

_SCRIPTS = {
    code: unicodedata.normalize("NFKC", chr(code))
    for code in (0xB2, 0xB3, 0xB9, *range(0x2070, 0x209D))
    if unicodedata.decomposition(chr(code))
}
"""Maps superscripts and subscripts to plain characters."""
_SCRIPT = re.compile(f"[{''.join(map(chr, _SCRIPTS))}]")
_RAISED = re.compile("[²³¹⁰ⁱ⁴-⁹⁺-ⁿ]+")
_LONGEST_UNIT = 2  # letters: "m²", "km²"

_VOICED = "\u3099\u309a"  # combining marks that form another Japanese letter

_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # bidirectional controls can make a text read differently
_NEVER_VISIBLE = frozenset({"Cc", "Cf", "Cs"})  # categories: controls, formats, surrogates
_UNUSABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")

_WITH_SUBJECT = re.compile(r"(?s)(?P<own>[^?？]{1,1000}[?？])\s{0,3}[(（](?P<subject>.{1,1000})[)）]\s{0,3}$")
_WITH_BRACKETS = re.compile(r"(?s)(?P<own>.{1,1000}?)\s{0,3}[(（](?P<subject>[^()（）]{0,1000})[)）]\s{0,3}$")

_MARKS_IN_A_ROW = 30  # limit of Unicode's stream-safe text (UAX #15), more than any language needs
_MANY_MARKS = re.compile(rf"(?:[^\x00-\x7f\w\s]){{{_MARKS_IN_A_ROW + 1}}}")
_ENDLESS_NUMBER = re.compile(r"&#[0-9]{100,}+;?+")

# A zero-width space separates the words of scripts of South-East Asia. Joiners are part of words of many scripts and of
# emoji, but not beside Latin letters and white space.
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_INVISIBLE = re.compile(
    f"[\u00ad\u2060\ufeff]|(?<![{_SPACELESS}])\u200b|\u200b(?![{_SPACELESS}])"
    "|(?<![^\x00-\u024f\u2000-\u200a])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\u024f\u2000-\u200a])"
)

ZERO_WIDTH = "\u200b"
"""A zero-width space. It breaks up what a chat client would read as markup or link."""

LATIN_LOOKALIKES = str.maketrans(
    "АВЕКМНОРСТХЅІЈаеорсухѕіјԁԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΥΧαοικνρ", "ABEKMHOPCTXSIJaeopcyxsijdqwhABEZHIKMNOPTYXaoiknp"
)
"""Maps Cyrillic and Greek letters to the Latin ones that they look like, for ``str.translate``."""

BOUNDARY = "_"
"""Marks the start and end of a word in its 4-grams. Tokenisers of indexes must accept it."""

ENGLISH_STOPWORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both but
    by can cannot could did do does doing down during each few for from further had has have having he her here hers him
    his how i if in into is it its itself just me more most my myself no nor not now of off on once only or other our
    ours out over own same shall she should so some such than that the their theirs them then there these they this
    those through to too under until up us very was we were what when where which while who whom whose why will with
    would you your yours please tell""".split()
)
GERMAN_STOPWORDS = frozenset(
    """ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist bitte da
    dabei dafür damit dann daran darauf daraus darf das dass dein deine dem den denen denn der deren des dessen dich die
    dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwa euch euer
    für gegen gibt hab habe haben hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist
    ja jede jedem jeden jeder jedes jetzt kann kannst kein keine keinem keinen keiner können könnte man mehr mein meine
    meinem meinen meiner mich mir mit muss müssen nach nicht noch nun nur ob oder ohne sehr sein seine seinem seinen
    seiner seit sich sie sind so soll sollen sollte sollten sondern sowie über um und uns unser unsere unter vom von vor
    wann war waren warum was weil welche welchem welchen welcher welches wenn wer werden wem wen wessen wie wieder wir
    wird wo wofür woher wohin womit worden wurde wurden während zu zum zur zwischen""".split()
)
STOPWORDS = ENGLISH_STOPWORDS | GERMAN_STOPWORDS

QUESTION_WORDS = frozenset(
    """who whom whose what where when why which how wer wen wem wessen was wann wo woher wohin warum wieso weshalb wozu
    womit wofür wodurch wie welche welcher welches welchen welchem""".split()
)
"""English and German words that ask for something, in lower case. Most questions without a verb first begin so."""


def remove_unencodable(text: str) -> str:
    """Remove control characters (NUL ends a string in C) and unpaired surrogates."""
    return _UNUSABLE.sub("", text)


def remove_invisible(text: str) -> str:
    """Remove characters that nobody sees: soft hyphens, byte order marks, zero-width spaces and joiners."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def unescape_html(text: str) -> str:
    """Resolve HTML character references. Numbers with hundreds of digits, which Python rejects, become ``\ufffd``."""
    return html.unescape(_ENDLESS_NUMBER.sub("\ufffd", text))


def normalize_unicode(text: str, form: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> str:
    """Normalise a text with at most 30 combining marks in a row, because sorting n marks takes time n²."""
    if text.isascii():
        return text
    if _MANY_MARKS.search(text):
        text = _limit_marks(text)
    return unicodedata.normalize(form, text)


def _limit_marks(text: str) -> str:
    kept: list[str] = []
    in_a_row = 0
    for character in text:
        in_a_row = in_a_row + 1 if unicodedata.combining(character) else 0
        if in_a_row <= _MARKS_IN_A_ROW:
            kept.append(character)
    return "".join(kept)


def write_scripts_plainly(text: str) -> str:
    """Write subscripts ("CO₂") and squares and cubes of units ("km²") as people type them, to compare texts.

    Other superscripts, which are exponents and numbers of notes, become words of their own: "10⁶", "word¹".
    """
    if text.isascii() or not _SCRIPT.search(text):
        return text
    return _RAISED.sub(_separate_script, text).translate(_SCRIPTS)


def _separate_script(found: re.Match[str]) -> str:
    before = found.string[max(found.start() - _LONGEST_UNIT - 1, 0) : found.start()]
    letters = len(before) - len(before.rstrip(string.ascii_letters))
    return found[0] if 0 < letters <= _LONGEST_UNIT else f" {found[0]}"


def separate_words(text: str) -> str:
    """Put spaces between the words of Chinese and Japanese; other text stays unchanged."""
    if text.isascii() or not _UNSPACED.search(text):
        return text
    return _UNSPACED.sub(lambda run: f" {' '.join(_split_run(run[0]))} ", text.translate(_WIDE))


def _split_run(run: str) -> list[str]:
    if len(run) <= 2 or not _IS_HAN.match(run):
        return [run]
    return [run[start : start + 2] for start in range(len(run) - 1)]


def count_words(text: str) -> int:
    """Estimate the number of words for a reader. Two Chinese or Japanese characters count as one word."""
    if text.isascii():
        return len(text.split())
    unspaced = sum(len(run) for run in _UNSPACED.findall(text))
    return len(_UNSPACED.sub(" ", text).split()) + (unspaced + 1) // 2


def is_stopword(word: str, stopwords: frozenset[str] = frozenset()) -> bool:
    """Whether a lower-cased word is a stopword of English, German or Japanese, or one of ``stopwords``."""
    return word in STOPWORDS or word in stopwords or bool(_ONLY_HIRAGANA.fullmatch(word))


def split_subject(question: str) -> tuple[str, str]:
    """Split a question into its own words and the subject in brackets that completion added, "" if there is none."""
    found = _WITH_SUBJECT.match(question) or _WITH_BRACKETS.match(question)
    return (found["own"], found["subject"]) if found and any(map(str.isalpha, found["own"])) else (question, "")


def split_set(text: str) -> frozenset[str]:
    """Return the words of a list of words, which white space separates."""
    return frozenset(text.split())


def list_words(text: str) -> list[str]:
    """Return the words of a text in lower case, in order: runs of letters and digits of any script."""
    return _WORD.findall(separate_words(write_scripts_plainly(normalize_unicode(text, "NFC").lower())))


def list_content_words(text: str, stopwords: frozenset[str] = frozenset()) -> list[str]:
    """Return the distinct words that are not stopwords, in order, or all distinct words if all are stopwords.

    ``stopwords`` are added to the stopwords of English and German.
    """
    distinct = list(dict.fromkeys(list_words(text)))
    return [word for word in distinct if not is_stopword(word, stopwords)] or distinct


def fold(text: str) -> str:
    """Return a text in lower case, with umlauts as two letters (``ä`` -> ``ae``) and without other diacritics."""
    composed = normalize_unicode(text, "NFC").lower()
    decomposed = normalize_unicode(composed.translate(_UMLAUTS), "NFD")
    return normalize_unicode(
        "".join(mark for mark in decomposed if not unicodedata.combining(mark) or mark in _VOICED), "NFC"
    )


_GRAM = 4  # characters


def list_grams(text: str) -> list[str]:
    """Return the character 4-grams of each folded word with boundary marks. Words of up to 4 characters stay whole."""
    return [gram for word in list_words(fold(text)) for gram in _iterate_grams(word)]


def _iterate_grams(word: str) -> Iterator[str]:
    if len(word) <= _GRAM:
        yield word
        return
    padded = f"{BOUNDARY}{word}{BOUNDARY}"
    for start in range(len(padded) - _GRAM + 1):
        yield padded[start : start + _GRAM]


# -------------------------------------------------------------------------------------- in messages


def clean(text: str) -> str:
    """Remove characters that no message can contain or that reorder text, and normalise line ends to newlines."""
    return _BREAKS.sub("\n", _REORDERING.sub("", remove_unencodable(text)))


_BIDIRECTIONAL = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = (*range(32), *range(127, 160), 0x2028, 0x2029, *_BIDIRECTIONAL, *range(0xD800, 0xE000))
"""What a terminal would execute, what begins a line or reorders it, and what UTF-8 cannot encode."""

_REMOVED = {code: "\n" if code in {0x2028, 0x2029} else "" for code in _CONTROLS if chr(code) not in "\n\t"}
_ESCAPED = {code: f"\\u{code:04x}" for code in _CONTROLS}


def remove_controls(text: str) -> str:
    """Return text of others for a terminal: without control characters, except newlines and tabs."""
    return text.translate(_REMOVED)


def escape_controls(text: str) -> str:
    """Return text with control characters as escapes, as JSON writes them."""
    return text.translate(_ESCAPED)


def collapse_spaces(text: str) -> str:
    """Clean a text and collapse its white space to single spaces."""
    return " ".join(clean(text).split())


def count_units(text: str) -> int:
    """Return the length as platforms count it, in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def shorten(text: str, limit: int) -> str:
    """Cut a text to ``limit`` UTF-16 units, with "…" at its end if it was cut."""
    if len(text) <= limit and count_units(text) <= limit:
        return text
    wide = text[: limit - 1].encode("utf-16-le", "surrogatepass")
    return wide[: 2 * (limit - 1)].decode("utf-16-le", "ignore").rstrip() + "…"


def make_caption(text: str, limit: int) -> str:
    """Return a text as a title or the label of a button: one line of at most ``limit`` UTF-16 units, never empty."""
    return shorten(collapse_spaces(text), limit) or "…"


def surround(text: str, mark: str) -> str:
    """Put marks around a text on one line, inside of its surrounding white space; none around an empty text."""
    inner = text.strip()
    if not inner:
        return text
    before, _, after = text.partition(inner)
    return f"{before}{mark}{inner}{mark}{after}"


def is_visible(text: str) -> bool:
    """Whether a text contains visible characters."""
    return any(not each.isspace() and unicodedata.category(each) not in _NEVER_VISIBLE for each in set(text))


def has_digit(text: str) -> bool:
    """Whether a text has a digit."""
    return any(map(str.isdigit, text))
