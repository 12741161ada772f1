"""Languages: their detection, and the stopwords of a question's language.

Detection is by py3langid (naive Bayes over byte n-grams), which needs no network.

Questions are too short for reliable statistics: five words and a product name. So English and German, the languages of
the bot, have a prior, and each word that only one of the two has adds to its score. docs/languages.md compares
detectors on short questions and shows the effect of the prior.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from functools import cache
from typing import Literal

from babel import Locale
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from core.text import ENGLISH_STOPWORDS, GERMAN_STOPWORDS, list_words, split_subject
from core.text_caches import cache_texts

Language = Literal["en", "de"]
"""A language of the bot's own texts."""

LanguageCode = str
"""The ISO 639-1 code of a language that people and pages use, such as "fr"."""

CATALOGUES: tuple[Language, ...] = ("en", "de")

DETECTED: tuple[LanguageCode, ...] = tuple(
    """ar bg cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sv th tr uk vi
    zh""".split()
)
"""The languages that can be detected. Each additional one makes the others less certain."""

NOT_LATIN = frozenset("ar bg el fa he hi ja ko ru th uk zh".split())
"""Those that do not use the Latin script."""

_EXPECTED: Mapping[Language, float] = {"en": 5.3, "de": 4.0}  # prior, added to the log-likelihood
_SIGNAL, _MOST_SIGNALS = 3.0, 3  # added per word that only this language has, up to three words
_PAGE_SIGNALS = 3  # words that only English or only German has, for the language of a page to be clear
_CLEAR = 10.0  # difference of log-likelihoods that names and quoted words do not cause
_CLEAR_CHARS = 20  # minimum length of a text whose language can be clear
_READ_CHARS = 600  # only the beginning of a text is examined
_GERMAN_LETTERS = frozenset("äöüß")
_LOADING = threading.Lock()
_KANA = re.compile(r"[\u3041-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")


def detect_language(text: str) -> LanguageCode:
    """Return the language of a text. A page title in brackets, which completion has added to a question, is ignored."""
    return _detect(text[:_READ_CHARS])


def detect_catalogue(text: str) -> Language:
    """Return the language of the bot's own texts for the author of this text."""
    return choose_catalogue(detect_language(text))


def choose_catalogue(language: LanguageCode) -> Language:
    """Return the language if the bot's own texts exist in it, else English."""
    return "de" if language == "de" else "en"


def name_language(language: LanguageCode, reader: LanguageCode = "en") -> str:
    """Return a language's name in the reader's language ("French", "Französisch"), or its code if it has no name."""
    return str(Locale.parse(reader).languages.get(language, language))


def is_clearly_not_in(text: str, wanted: LanguageCode, signals: int) -> bool:
    """Whether a text is certainly in another language than ``wanted``; ``signals`` as in :func:`is_language_clear`."""
    found = detect_language(text)
    if found == wanted:
        return False
    return is_language_clear(text, signals) or (wanted not in CATALOGUES and is_clear_by_letters(text))


def is_language_clear(text: str, signals: int) -> bool:
    """Whether the language of a text is certain.

    English and German need ``signals`` words that only one of them has; other languages need a clear difference in
    likelihood.
    """
    if detect_language(text) in CATALOGUES:
        return max(count_language_signals(text).values()) >= signals
    return is_clear_by_letters(text)


def is_clear_by_letters(text: str) -> bool:
    """Whether a text is long enough, and much more probable in one language than in any other."""
    best, second = sorted(_score(split_subject(text[:_READ_CHARS])[0]).values())[-1:-3:-1]
    return len(text) > _CLEAR_CHARS and best - second >= _CLEAR


def find_clear_language(text: str) -> LanguageCode:
    """Return the language of a page's text, or "" if it is unclear, such as for names and numbers only."""
    return detect_language(text) if is_language_clear(text, _PAGE_SIGNALS) else ""


def count_language_signals(text: str) -> dict[Language, int]:
    """Count the words that only English has, and those that only German has."""
    german = english = 0
    for word in list_words(text):
        german += (word in GERMAN_STOPWORDS and word not in ENGLISH_STOPWORDS) or not _GERMAN_LETTERS.isdisjoint(word)
        english += word in ENGLISH_STOPWORDS and word not in GERMAN_STOPWORDS
    return {"en": english, "de": german}


@cache_texts(4096)  # of each table and source that is compared with a question
def _detect(beginning: str) -> LanguageCode:
    text, _ = split_subject(beginning)
    if not any(character.isalpha() for character in text):
        return "en"
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    scores = _score(text)
    return max(scores, key=lambda code: scores[code])


def _score(text: str) -> Mapping[LanguageCode, float]:
    """Return the log-likelihood of each language, with the priors added."""
    scores: dict[LanguageCode, float] = dict(_make_identifier().rank(text))
    for code, signals in count_language_signals(text).items():
        scores[code] += _EXPECTED[code] + _SIGNAL * min(signals, _MOST_SIGNALS)
    return scores


def load_detector() -> None:
    """Load the model, so that the first call of :func:`detect_language` does not take half a second longer."""
    _make_identifier()


def _make_identifier() -> LanguageIdentifier:
    with _LOADING:  # several threads may need it first
        return _load_identifier()


@cache
def _load_identifier() -> LanguageIdentifier:
    """Load the model (80 MB)."""
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(DETECTED)
    return identifier


STOPWORDS_OF: Mapping[LanguageCode, frozenset[str]] = {
    language: frozenset(listed.split())
    for language, listed in {
        "fr": """à a ai as au aux avec avez avoir avons c ce ceci cela celle celles celui ces cet cette ceux ci combien
            comment d dans de depuis des dois doit donc du elle elles en es est et étaient était été être eu eux fait
            faire faut font il ils j je jusqu jusque l la là le les leur leurs lors lui m ma mais me même mes moi mon n
            ne ni nos notre nous on ont or ou où par pas peut peuvent peux plus pour pourquoi puis qu quand que quel
            quelle quelles quels qui quoi s sa sans se sera ses si soit son sont sous suis sur t ta te tes toi ton tous
            tout toute toutes très tu un une va vers vos votre vous y ça""",
        "es": """a al algo algún alguna alguno ante antes aquel aquella así aún cada como cómo con cual cuál cuáles
            cuándo cuando cuánta cuántas cuánto cuántos de debe debo del desde donde dónde dos durante e el él ella
            ellas ellos en entre era es esa ese eso esta está están estas este esto estos fue ha había han has hasta hay
            haya he hemos la las le les lo los más me mi mis mucho muy nada ni no nos nosotros nuestra nuestro o os
            otra otro para pero poco por porque pueda puede pueden puedo que qué quién quiénes quien se sea ser si sí
            sido sin sobre son soy su sus también te tener tengo ti tiene tienen todo todos tu tus un una uno unos va
            ver voy y ya yo""",
        "it": """a abbiamo ad agli ai al alla alle allo anche avere c che chi ci come con cosa cui da dagli dai dal
            dalla de degli dei del della delle dello deve devo di dove e è ed era essere fa fare fino fra gli ha hai
            hanno ho i il in io l la le lei li lo loro lui ma mi mia mio ne nei nel nella nelle noi non nostra nostro o
            ogni per perché più può posso qual quale quali quando quanta quante quanti quanto quella quello questa
            queste questi questo se sei si sia sono sta su sua sui sul sulla suo te ti tra tu tua tuo tutti tutto un una
            uno vi voi""",
        "pt": """a à ao aos as às até com como da das de dela dele deles depois deve devo do dos e é ela elas ele eles
            em entre era essa esse esta está estão este estou eu faço fazer foi há isso isto já lhe mais mas me meu
            minha muito na não nas nem no nos nós nossa nosso num o onde os ou para pela pelo pode podem por porque por
            posso qual quais quando quanta quantas quanto quantos que quem se sem ser seu seus só sua suas também te tem
            têm tenho ter um uma vai você vocês vou""",
        "nl": """aan al als bij dan dat de deze die dit doe doen door een en er gaat geen had heb hebben heeft hem het
            hij hoe hoeveel hun ik in is ja je jij jullie kan kun kunnen maar mag me meer met mij mijn moet moeten na
            naar niet nog nu of om onder ons onze ook op over te tot uit uw van vanaf veel voor waar waarom wanneer was
            wat we welk welke werd wie wij worden wordt zal ze zich zij zijn zo zonder zou""",
    }.items()
}
"""Stopwords of languages other than English and German, whose stopwords are in :mod:`core.text`.

They apply only to questions in their language: "pour" is a content word in English. The lists are Snowball's, reduced
to words that occur in questions, plus question words. Languages without a list need none: lexical retrieval gives
frequent words little weight, and titles are compared by all of their words.
"""


def find_stopwords(question: str) -> frozenset[str]:
    """Return the additional stopwords of the question's language; empty for English, German and unlisted languages."""
    return STOPWORDS_OF.get(detect_language(question), frozenset())
