"""Questions for a default in other words: "if I don't configure anything", "out of the box", "ab Werk".

Pages say "default". The words in which people ask for one are on no page, or on pages about something else, so they are
replaced by that word. Only words for settings are read so: "if I don't pass the exam" is a real condition.
"""

from __future__ import annotations

import re

from core.languages import LanguageCode, detect_language
from core.text import split_subject
from core.text_caches import cache_texts
from core.wording.content_words import select_content_words

_BY_DEFAULT: dict[LanguageCode, str] = {"en": "by default", "de": "standardmäßig"}
_SAYS_DEFAULT = re.compile(
    r"(?i)\bdefaults?\b(?! on\b)|\bstandard(?:mäßig|wert|einstellung|konfiguration)|\bvoreingestellt|\bvoreinstellung"
    r"|\bvorgabewert|\bauslieferungszustand|\bwerkseinstellung"
)
_LEAST_LEFT = 2  # content words without the phrase: "What happens if nothing is set?" asks for the clause itself
_QUOTED = re.compile('["“”„»«]')  # a phrase in quotation marks is what is asked about
_TAKEN = re.compile(r"(?i)\b(?:come|came|get|got|lift|pull|put|tak(?:e|en)|took|think)\b")  # out of a real box
_SOLD = re.compile(r"(?i)fähr|kost|liefer|preis")  # ab Werk

# The parts of clauses. A group is what is said not to be set. A clause ends where its sentence or part does.
_END = r"(?! ?\w)"
_IF = r"(?:if|when|as long as|while)"
_WHO = r"(?:i|you|we|they|one|users|admins)"
_NOT = r"(?:(?:do|does|did|have|has|had)(?:n['’]?t| not| never)|never)"
_SET = r"(?:configur|customi[sz]|defin|overrid|set|specif|tun)\w*+"
_CHANGE = r"(?:adjust|chang|choos|chose|pick|select|touch|tweak)\w*+"
_DONE = r"(?:adjusted|changed|chosen|configured|customi[sz]ed|defined|overridden|selected|set|specified|tuned|touched)"
_ANYTHING = r"(?: anything| any| one| something)(?: else| different(?:ly)?| otherwise)?"
_THING = (
    r"(?:address|argument|branch|directory|encoding|file|flag|folder|format|host|key|language|level|limit|mode|name|number"
    r"|option|parameter|path|port|role|size|timeout|type|unit|value|version)s?"
)
_WENN = r"(?:wenn|falls|sofern|solange|soweit)"
_WER = r"(?:ich|man|wir|du|ihr|sie)"
_NICHTS = r"(?:nichts|nix)(?: (?:anderes|weiteres|weiter|eigenes|extra))?(?: (?:dazu|daran|dafür|hier|explizit))?"
_STELLT_EIN = (
    r"(?:(?:ein|um|ver)(?:ge)?stell|konfigurier|(?:fest|vor|an)?(?:ge)?setz|(?:an|vor)(?:ge)?g[ei]b|fest(?:ge)?leg|definier"
    r"|ein(?:ge)?tr[aä]g|(?:ge)?wähl|überschr[ie]{2}b)\w*+(?: (?:habe?n?|hat|ist|sind|wird|wurden?|worden)){0,2}"
)
_STELLT_UM = (
    rf"(?:{_STELLT_EIN}|(?:(?:ge)?änder|an(?:ge)?pass|(?:ge)?mach|(?:ge)?sag)\w*+(?: (?:habe?n?|hat|ist|wird|wurde))?)"
)
_ANGEGEBEN = r"(?:angegeben|gesetzt|festgelegt|vorgegeben|konfiguriert|eingestellt|definiert|eingetragen)"
_DING = (
    r"(?:adresse|argument|branch|datei|einheit|format|host|limit|modus|name|namen|option|ordner|parameter|pfad|port|rolle"
    r"|schlüssel|sprache|typ|version|verzeichnis|wert|zahl)"
)

_CLAUSES: dict[LanguageCode, tuple[str, ...]] = {
    "en": (
        r"(?:right )?out[ -]of[ -]the[ -]box(?=\W*$|[,.;?)]| (?:and|or|but|when|if|in|on|with)\b)",
        r"unless otherwise (?:configured|defined|instructed|set|specified|stated|told)",
        r"unless (?:(?:i|we|you|they|it is|it['’]s|someone|somebody) )?(?:configured?|instruct(?:ed)?|said|say|set"
        r"|specif(?:y|ied)|stated?|tell it|told)(?: (?:it|me|us))? (?:otherwise|differently|something else)",
        r"unless (?:(?:i|we|you|they|it is|it['’]s|someone|somebody)(?: has| have)? )?(?:explicitly )?"
        rf"(?:changed?|changes|configured?|overridd?en?)(?: it)?{_END}",
        rf"{_IF} {_WHO} (?:explicitly )?{_NOT} (?:explicitly )?"
        rf"(?:{_SET}(?:{_ANYTHING}| it| them)?|{_CHANGE}{_ANYTHING})(?: at all)?{_END}",
        rf"{_IF} {_WHO} (?:{_SET}|{_CHANGE}|say) nothing(?: (?:else|about it))?{_END}",
        rf"{_IF} (?:nothing|none)(?: (?:else|different|special))?(?: (?:is|was|has been)|['’]s)? {_DONE}{_END}",
        rf"{_IF} (?:nobody|no[ -]one)(?: has)? (?:{_SET}|{_CHANGE})(?: it|{_ANYTHING})?{_END}",
        rf"{_IF} (?:nobody|no[ -]one|{_WHO} {_NOT}) (?:explicitly )?(?:{_SET}|(?:chang|touch)\w*+) (?:an?|any|the|its) "
        rf"([\w-]+){_END}",
        rf"{_IF} (?:(?:the |an? )?([\w-]+) (?:is|are|was))?(?:n['’]?t| ?not) "
        r"(?:set|specified|configured|defined|overridden)",
        rf"(?:{_IF}|and) (?:{_WHO} )?(?:giv|pass|specif|suppl|provid)\w*+ no ({_THING}){_END}",
        rf"(?:{_IF}|with) no ({_THING})(?: (?:is|are|was))? (?:given|passed|provided|supplied|stated)",
        rf"(?:{_IF}|with) no ([\w-]+)(?: (?:is|are|was))? (?:set|specified|configured|defined|selected|chosen)",
        r"(?:without|with no) (?:any |further |extra |additional |explicit |special |my ){0,2}"
        r"(?:configuration|settings?|tuning)(?: of (?:my|our) own)?(?! (?:of|for|file))",
    ),
    "de": (
        r"von haus aus|ab werk(?! (?-i:[A-ZÄÖÜ]))|werksseitig|in der grundeinstellung|out[ -]of[ -]the[ -]box",
        rf"{_WENN} {_WER}(?: \w+){{0,2}}? {_NICHTS} {_STELLT_UM}{_END}",
        rf"{_WENN} {_NICHTS}(?: \w+)? {_STELLT_UM}{_END}",
        rf"{_WENN} (?:niemand|keiner) (?:etwas |was |daran etwas )?{_STELLT_UM}{_END}",
        rf"{_WENN} {_WER} (?:es|ihn|sie|das|daran) nicht {_STELLT_EIN}{_END}",
        rf"{_WENN} {_WER} (?:de[nrms]|die|das|eine?[nmrs]?) ([\w-]+) nicht {_STELLT_EIN}{_END}",
        rf"{_WENN} {_WER} keine?[nrs]?(?: ({_DING}))? {_STELLT_EIN}{_END}",
        rf"{_WENN} {_WER} ([\w<>=-]+) nicht {_STELLT_EIN}{_END}",
        rf"{_WENN} keine?[nrs]?(?: ({_DING}))? {_ANGEGEBEN}(?: (?:ist|wird|wurde))?",
        rf"{_WENN} (?:(?:de[nrms]|die|das) )?(?:([\w-]+) )?nicht {_ANGEGEBEN}(?: (?:ist|wird|wurde))?",
        rf"(?:{_WENN} )?nicht anders (?:{_ANGEGEBEN}|gesagt)(?: (?:ist|wird|wurde))?",
        r"ohne (?:(?:weitere|eigene|besondere|explizite|zusätzliche|jede|irgendeine)[nrsm]? ){0,2}"
        r"(?:einstellung(?:en)?|konfiguration|angaben?|anpassung(?:en)?|vorgaben?)"
        r"(?! (?:von|zu|der|des|de[nm]|eine[rs]?)\b)",
    ),
}
_PHRASES = {
    language: re.compile(rf"(?i),?[ ]?\(?\b(?:{'|'.join(clauses)})\)?(?!\w)") for language, clauses in _CLAUSES.items()
}


def asks_for_default(question: str) -> bool:
    """Whether a question, as :func:`write_default` returns it, asks for a default."""
    return bool(_SAYS_DEFAULT.search(split_subject(question)[0]))


@cache_texts(256)
def write_default(question: str) -> str:
    """Return the question with "by default" or "standardmäßig" in place of other words for it; else unchanged.

    What is said not to be set stays: "if no port is given" becomes "by default port".
    """
    language = detect_language(question)
    phrase = _PHRASES.get(language)
    found = None if phrase is None or asks_for_default(question) else phrase.search(question)
    if not found or _QUOTED.search(question):
        return question
    before, after = question[: found.start()].strip(), question[found.end() :]
    matched = found[0].lower()
    if ("box" in matched and _TAKEN.search(before)) or ("ab werk" in matched and _SOLD.search(question)):
        return question
    if len(select_content_words(f"{before} {after}")) < _LEAST_LEFT:
        return question
    things = [thing for thing in found.groups() if thing and select_content_words(thing)]
    said = " ".join((_BY_DEFAULT[language], *things))
    return f"{before} {said}{after}" if before else f"{said[0].upper()}{said[1:]}{after}"
