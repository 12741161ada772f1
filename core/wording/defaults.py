"""Questions for a default in other words: "if I don't configure anything", "out of the box", "ab Werk".

Pages say "default". The words in which people ask for one are on no page, or on pages about something else, so they are
replaced by that word.
"""

from __future__ import annotations

import re

from core.languages import LanguageCode, detect_language
from core.text_caches import cache_texts
from core.wording.content_words import select_content_words

_BY_DEFAULT: dict[LanguageCode, str] = {"en": "by default", "de": "standardmäßig"}
_SAYS_DEFAULT = re.compile(r"(?i)\bdefaults?\b|\bstandard(?:mäßig|wert|einstellung)|\bvoreingestellt|\bvoreinstellung")
_LEAST_LEFT = 2  # content words without the phrase: "What happens if nothing is set?" asks for the clause itself

# The parts of clauses. A group is what is said not to be set. A clause ends where its sentence or part does.
_END = r"(?![\w ]*\w)"
_IF = r"(?:if|when|as long as|while|provided)"
_WHO = r"(?:i|you|we|they|one|people|it|nobody|no[ -]one|somebody|someone|anybody|anyone|users?|admins?)"
_NOT = r"(?:(?:do|does|did|have|has|had|is|are|was|were)(?:n['’]?t| not| never)|never)"
_GIVE = r"(?:chang|configur|defin|giv|pass|set|specif|suppl|touch)\w*"
_SET = (
    r"(?:chang|choos|chose|configur|defin|giv|gave|overrid|overwrit|pass|pick|select|set|specif|suppl|touch|tun|tweak"
    r"|adjust|customi[sz]|enter|stat|tell|told|say|said|mention|switch|turn|enabl|activat|request|ask|provid)\w*"
)
_TOLD = r"(?:say|said|tell|told|stat|specif|configur|set|chang|chos|instruct|request|ask|overrid|defin)\w*"
_DONE = r"(?:given|set|specified|configured|passed|defined|supplied|stated|provided|chosen)"
_ANYTHING = (
    r"(?:(?: it| them| me| us| that| this)?"
    r"(?: anything| any| one| otherwise| else| something| differently| on| up){0,3})"
)
_WENN = r"(?:wenn|falls|sofern|solange)"
_WER = r"(?:ich|man|wir|du|ihr|sie|er|es)"
_NICHTS = r"(?:nichts|nix|niemand|keiner)(?: (?:anderes|weiteres|weiter|eigenes|extra))?"
_STELLT_EIN = (
    r"(?:(?:ein|um|ver|an|vor|fest|be|aus|ab|ge)(?:zu|ge)?)?"
    r"(?:stell|gib|geb|gab|leg|stimm|änder|konfigurier|setz|wähl|pass|sag|trag|träg|schalt|aktivier|mach|definier|tu"
    r"|nehm|nimm|nomm)\w*(?: (?:habe?n?|hab|hast|hat|hatte|ist|sind|wird|wurden?|worden)){0,2}"
)
_ANGEGEBEN = r"(?:angegeben|gesetzt|festgelegt|vorgegeben|konfiguriert|eingestellt|definiert|eingetragen|gesagt)"

_CLAUSES: dict[LanguageCode, tuple[str, ...]] = {
    "en": (
        r"(?:right )?out[ -]of[ -]the[ -]box",
        rf"unless otherwise {_TOLD}",
        rf"unless (?:(?:{_WHO}(?:['’]ve| have| has)?|it['’]s|it is) )?(?:explicitly )?{_TOLD}{_ANYTHING}{_END}",
        rf"{_IF} {_WHO} (?:explicitly )?{_NOT} (?:explicitly )?{_SET}{_ANYTHING}{_END}",
        rf"{_IF} {_WHO} {_SET} nothing(?: (?:else|there|here|about it))?{_END}",
        rf"{_IF} (?:nothing|none|nobody|no[ -]one)(?: (?:else|different|special))?"
        rf"(?: (?:is|was|has been|has|have))? {_SET}{_ANYTHING}{_END}",
        rf"{_IF} (?:nobody|no[ -]one|{_WHO} {_NOT}) (?:explicitly )?{_GIVE} (?:an?|any|the|my|its) ([\w-]+){_END}",
        rf"(?:{_IF}|and) (?:{_WHO} )?{_GIVE} no ([\w-]+){_END}",
        rf"(?:{_IF}|with) no ((?:[\w-]+ )?[\w-]+)(?: (?:is|was|are|has been))? {_DONE}",
        r"(?:without|with no) (?:any |further |extra |additional |explicit |special |my ){0,2}"
        r"(?:configur(?:ation|ing)|settings?|set-?up|tuning|tweaks?|adjustments?|changes)"
        r"(?: anything| it| of (?:my|our) own)?",
        r"without (?:setting|changing|configuring|touching|specifying|choosing) (?:anything|something)",
    ),
    "de": (
        r"von haus aus|ab werk|werksseitig|von werk aus|in der grundeinstellung|out[ -]of[ -]the[ -]box",
        rf"{_WENN} {_WER}(?: \w+){{0,2}}? {_NICHTS}(?: (?:dazu|daran|dran|dafür|hier|explizit))? {_STELLT_EIN}{_END}",
        rf"{_WENN} {_NICHTS}(?: \w+){{0,2}}? {_STELLT_EIN}{_END}",
        rf"{_WENN} {_WER} (?:es|ihn|sie|das|daran|dazu) (?:nicht|nie)(?: (?:anders|extra))? {_STELLT_EIN}{_END}",
        rf"{_WENN} {_WER} (?:de[nrms]|die|das|eine?[nmrs]?) ([\w-]+) nicht {_STELLT_EIN}{_END}",
        rf"{_WENN} {_WER} keine?[nrs]? ([\w-]+) {_STELLT_EIN}{_END}",
        rf"{_WENN} {_WER} ([\w<>=-]+) nicht {_STELLT_EIN}{_END}",
        rf"{_WENN} keine?[nrs]? ([\w-]+) {_ANGEGEBEN}(?: (?:ist|wird|wurde))?",
        rf"(?:{_WENN} )?nicht anders {_ANGEGEBEN}(?: (?:ist|wird|wurde))?",
        r"ohne (?:(?:weitere|eigene|besondere|explizite|zusätzliche|jede|irgendeine)[nrsm]? ){0,2}"
        r"(?:einstellung(?:en)?|konfiguration|angaben?|anpassung(?:en)?|vorgaben?|zutun)",
        r"ohne (?:etwas|was|irgendetwas) (?:ein|um|an|vor|fest)(?:zu)?(?:stell|geb|pass|änder|leg)\w*",
    ),
}
_PHRASES = {
    language: re.compile(rf"(?i),?[ ]?\(?\b(?:{'|'.join(clauses)})\)?(?!\w)") for language, clauses in _CLAUSES.items()
}


def asks_for_default(question: str) -> bool:
    """Whether a question, as :func:`write_default` returns it, asks for a default."""
    return bool(_SAYS_DEFAULT.search(question))


@cache_texts(256)
def write_default(question: str) -> str:
    """Return the question with "by default" or "standardmäßig" in place of other words for it; else unchanged.

    What is said not to be set stays: "if no port is given" becomes "by default port".
    """
    language = detect_language(question)
    phrase = _PHRASES.get(language)
    found = None if phrase is None or asks_for_default(question) else phrase.search(question)
    if not found:
        return question
    before, after = question[: found.start()].strip(), question[found.end() :]
    if len(select_content_words(f"{before} {after}")) < _LEAST_LEFT:
        return question
    things = [thing for thing in found.groups() if thing and select_content_words(thing)]
    said = " ".join((_BY_DEFAULT[language], *things))
    return f"{before} {said}{after}" if before else f"{said[0].upper()}{said[1:]}{after}"
