"""What the bot says in German."""

from __future__ import annotations

from core.views.words import AdminWords, HelpWords, ModalWords, Words

GERMAN = Words(
    not_found="Das konnte ich im Wiki nicht finden.",
    answer_erased="Die Quelle dieser Antwort wurde aus dem Wiki entfernt.",
    question_erased="(eine vorgeschlagene Frage, mit ihrer Seite entfernt)",
    unsupported_means="[?] Keine Quelle stützt diese Aussage.",
    understood_as="Verstanden als:",
    closest="Diese Seiten kommen am nächsten:",
    whom_to_ask="Wen Sie fragen können:",
    also_ask="Das könnten Sie auch fragen:",
    goes_on="… die Antwort geht noch weiter",
    more="und {count} weitere",
    more_rows="… {count} weitere Zeilen",
    more_lines="… {count} weitere Zeilen",
    kinds={"passage": "Absatz", "list": "Liste", "table": "Tabelle", "table_row": "Tabellenzeile"},
    explain="Erklären",
    sources="Quellen",
    not_meant="So nicht gemeint",
    good="Hilfreich",
    bad="Nicht hilfreich",
    close="Schließen",
    rank="Rang {rank}",
    cited_as="zitiert als [{number}]",
    no_sources="Zu dieser Frage wurde nichts gefunden.",
    hidden_one="Eine Quelle fehlt hier: Ihre Seite gibt es nicht mehr, oder nicht alle hier dürfen sie lesen.",
    hidden="{count} Quellen fehlen hier: Ihre Seiten gibt es nicht mehr, oder nicht alle hier dürfen sie lesen.",
    reading="Ich lese im Wiki …",
    taking_away="Ich lasse Quellen weg, um zu sehen, auf welche es ankommt …",
    taking_away_progress="Ich lasse Quellen weg: {done} von {total} …",
    syncing="{space} wird eingelesen …",
    syncing_progress="{space} wird eingelesen: {done} von {total} Seiten …",
    whole="Ganz anzeigen",
    part="Teil {number} von {total}",
    next_part="Nächster Teil",
    back="Zurück zur Antwort",
    empty_question="Da ist keine Frage. Fragen Sie in Worten, zum Beispiel: Wer genehmigt Reisen?",
    too_long="Die Frage hat {characters} Zeichen; höchstens {limit} sind möglich. Fragen Sie in wenigen Sätzen.",
    too_many_by_person="Sie haben in kurzer Zeit viele Fragen gestellt. Fragen Sie in {wait} wieder.",
    too_many_in_channel="In diesem Channel kamen in kurzer Zeit viele Fragen. Fragen Sie in {wait} wieder.",
    budget_spent="Das Budget für das Sprachmodell ist heute verbraucht. Fragen Sie morgen wieder, oder einen Admin.",
    no_space_here="In diesem Channel ist kein Bereich des Wikis freigegeben. Ein Admin kann einen freigeben.",
    guest_in_direct="Gäste können mich nur in Channels fragen. Fragen Sie in einem, den Sie mit dem Team teilen.",
    outside_scope="Diese Antwort beruht vielleicht auf Seiten, die Sie hier nicht lesen dürfen. "
    "Darum wird sie nur dort gezeigt, wo gefragt wurde.",
    unknown_audience="Ich kann gerade nicht feststellen, ob hier Leute aus anderen Organisationen mitlesen, und zeige "
    "darum nichts. Fragen Sie in einer Minute noch einmal; bleibt es so, sagen Sie es einem Admin.",
    changed="Während ich die Antwort geschrieben habe, hat sich geändert, worauf sie beruht; darum zeige ich sie "
    "nicht. Fragen Sie bitte noch einmal.",
    not_explainable="Diese Antwort lässt sich nicht mehr erklären: Ihre Quellen haben sich geändert, oder das "
    "Sprachmodell, das sie geschrieben hat, ist nicht mehr eingerichtet. Stellen Sie die Frage noch einmal, und lassen "
    "Sie dann jene Antwort erklären.",
    turn_gone="Diese Antwort ist nicht mehr da. Stellen Sie die Frage noch einmal.",
    nothing_to_explain="Das Wiki hat diese Frage nicht beantwortet, darum gibt es nichts zu erklären.",
    explained_already="Diese Antwort wurde schon erklärt:",
    explaining_already="Diese Antwort wird gerade erklärt; das Ergebnis erscheint darunter.",
    the_explanation="die Erklärung",
    reasons={
        "unmapped": "Ich weiß nicht, welches Confluence-Konto Ihres ist, und habe nur gesucht, was hier alle "
        "lesen dürfen.",
        "hidden": "Confluence sagt mir nicht, welches Konto Ihres ist; ich habe nur gesucht, was hier alle "
        "lesen dürfen. "
        "Bitten Sie die Administration von WikiWhy, es in die Datei der Konten einzutragen.",
        "ambiguous": "Mehr als ein Confluence-Konto könnte Ihres sein; ich habe nur gesucht, was hier alle lesen "
        "dürfen. "
        "Bitten Sie die Administration von WikiWhy, eines für Sie in die Datei der Konten einzutragen.",
        "missing": "Das Confluence-Konto, das ich als Ihres kenne, gibt es nicht; ich habe nur gesucht, was hier alle "
        "lesen dürfen. Bitten Sie die Administration von WikiWhy, es in der Datei der Konten zu berichtigen.",
        "deactivated": "Ihr Confluence-Konto ist deaktiviert; ich habe nur gesucht, was hier alle lesen dürfen.",
        "unavailable": "Was Sie in Confluence lesen dürfen, lässt sich gerade nicht sagen; ich habe nur gesucht, "
        "was hier "
        "alle lesen dürfen. Versuchen Sie es in ein paar Minuten noch einmal.",
    },
    thanks="Danke, das hilft, Antworten besser zu machen.",
    thanks_for_reason="Danke, Ihr Grund ist notiert für die, die sich um das Wiki kümmern.",
    model_unavailable="Das Sprachmodell antwortet gerade nicht. Ihre Frage ist notiert: "
    "Fragen Sie in ein paar Minuten noch einmal.",
    model_rejected="Das Sprachmodell lehnt seine Einstellungen ab. Ein Admin muss sie ändern; "
    "`wikiwhy doctor` sagt, welche.",
    failed="Etwas ging schief, und es gibt keine Antwort. Fragen Sie noch einmal; "
    "geht es wieder schief, sagen Sie es einem Admin.",
    explaining_failed="Diese Antwort ließ sich nicht erklären. Klicken Sie in ein paar Minuten wieder auf Erklären.",
    correction=ModalWords(
        title="Wie war es gemeint?",
        label="Ihre ganze Frage",
        placeholder="So, wie Sie jemanden fragen, der diesen Thread nicht kennt",
        submit="Neu fragen",
        cancel="Abbrechen",
    ),
    reason=ModalWords(
        title="Was war falsch?",
        label="Was wäre richtig gewesen, oder wo steht es? (freiwillig)",
        placeholder="Zum Beispiel: Die Grenze gilt seit Mai nicht mehr, siehe Seite Reisen",
        submit="Senden",
        cancel="Abbrechen",
    ),
    help=HelpWords(
        heading="So fragen Sie",
        in_channel="Erwähnen Sie {bot} mit einer Frage: {bot} Wer genehmigt Reisen?",
        in_direct="Schreiben Sie mir eine Frage, zum Beispiel: Wer genehmigt Reisen?",
        follow_up="Fragen Sie dort weiter, wo ich geantwortet habe; ich weiß, was dort gesagt wurde.",
        follow_up_by_mention="Fragen Sie dort weiter, wo ich geantwortet habe, und erwähnen Sie mich; "
        "ich weiß, was dort gesagt wurde.",
        buttons="Erklären zeigt, auf welchen Quellen eine Antwort wirklich beruht, Quellen alles Gefundene.",
        searched="Hier durchsuche ich diese Bereiche des Wikis: {spaces}.",
        searched_nothing="Hier ist kein Bereich des Wikis freigegeben. Ein Admin kann einen freigeben.",
        searched_yours="Hier durchsuche ich auch die Seiten, die Ihr eigenes Konto lesen darf.",
        admin="Für Admins:",
        commands=(
            "/wiki spaces – welche Bereiche es gibt, und wann sie eingelesen wurden",
            "/wiki sync KEY – einen Bereich neu einlesen",
            "/wiki forget KEY – einen Bereich entfernen, mit allem, was davon aufbewahrt ist",
        ),
    ),
    admin=AdminWords(
        only_admins="Das dürfen nur Admins. Fragen Sie einen von ihnen.",
        unknown_command="Diesen Befehl gibt es nicht. /wiki help zeigt, welche es gibt.",
        unknown_space="Einen Bereich {space} gibt es hier nicht. /wiki spaces zeigt die, die es gibt.",
        key_missing="Sagen Sie, welchen Bereich, zum Beispiel: /wiki sync DOC",
        sync_started="{space} wird jetzt eingelesen.",
        forgotten="{space} wurde entfernt, mit allem, was davon aufbewahrt war.",
        not_forgotten="{space} konnte nicht entfernt werden. Die Ursache steht im Protokoll des Servers.",
        no_spaces="Es gibt noch keine Bereiche. /wiki sync KEY liest einen ein.",
    ),
    percent="{percent} Prozent",
    below_percent="weniger als {percent} Prozent",
)
