"""Stopwords of languages other than English and German, whose stopwords are in :mod:`core.text`.

They apply only to questions in their language: "pour" is a content word in English. The lists are Snowball's, reduced
to words that occur in questions, plus question words. Languages without a list need none: lexical retrieval gives
frequent words little weight, and titles are compared by all of their words.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.languages import detect_language

STOPWORDS_OF: Mapping[str, frozenset[str]] = {
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


def find_stopwords(question: str) -> frozenset[str]:
    """Return the additional stopwords of the question's language; empty for English, German and unlisted languages."""
    return STOPWORDS_OF.get(detect_language(question), frozenset())
