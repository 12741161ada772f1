"""Words of a question that no table has to account for.

They say that something is there ("contains", "were tested") or name the table itself ("the list", "column"). Where a
table has such a word, it is bound as any other. A verdict needs every word: whether it was tested may be the question.
"""

from __future__ import annotations

_THERE = frozenset(
    """appear appears came concerned concerning contain contained contains exactly existing explain explained explains
    explicitly following gets
    include included includes including involve involved keep keeps lie lies made mention mentions occur occurred
    occurs offer offers provide provided provides resulted specifically stand stands various
    auftreten auftritt aufgetreten beinhaltet besitzen besitzt bezieht beziehen bieten bietet dabei derzeit enthalten
    enthält entsprechend erscheinen erscheint ergab ergaben erklären erklärt folgende folgenden führen führt
    führte führten gab gabs genau insbesondere jeweils liegen liegt schon spezifisch stehen steht traten trat
    besteht bestehen umfassen umfasst verfügt vorhanden vorhandene vorhandenen vorkommen vorkommt""".split()  # noqa: SIM905
)
_DONE = frozenset(
    """added assigned built carried checked combined done evaluated executed experienced face faced found joined
    listed logged measured named noted observed performed present recorded registered reported run seen tested
    tried used written
    aufgeführt aufgelistet ausgeführt beobachtet berichtet bewertet durchgeführt eingesetzt eingetragen erfasst
    festgestellt gefunden geführt gelistet gemacht gemeldet gemessen genutzt geprüft gesehen getestet kombiniert notiert
    protokolliert registriert teilgenommen verteilt vermerkt verwendet verzeichnet überprüft""".split()  # noqa: SIM905
)
_RELATING = frozenset(
    """according accordingly already altogether around case cases context currently guys order per relation result still
    total whole within yet
    aktuell bereits besonders bezug fall fälle fällen gemäß gesamt insgesamt kontext laut momentan momentane momentanen
    pro rahmen sowie zuge zusammenhang""".split()  # noqa: SIM905
)
_ANY_ROW = frozenset(
    """entries entry item items point points row rows
    eintrag einträge einträgen posten punkt punkte punkten zeile zeilen""".split()  # noqa: SIM905
)
EMPTY_WORDS = _THERE | _DONE | _RELATING | _ANY_ROW
"""In small letters."""

CONTAINERS = frozenset(
    """chapter column columns confluence document list overview page section table wiki
    abschnitt dokument kapitel liste seite spalte tabelle testliste übersicht""".split()  # noqa: SIM905
)
"""Words for a table or what it stands in. They are empty too where they are not what is counted or listed."""

VERBS_OF_PRESENCE = _THERE | _DONE
"""Those that can follow what is counted: "how many actions came out of it"."""
