"""What people write in a thread after an answer of the bot, and what a thoughtful colleague would do in its place.

The bot has just told what a night in a hotel may cost. None of these messages mentions it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class FollowUp:
    """``after``: what somebody else wrote since the answer. ``to_others``: whether it mentions them as Slack does."""

    text: str
    wanted: Literal["ask", "listen"]
    after: str = ""
    to_others: bool = False


def each(wanted: Literal["ask", "listen"], texts: str) -> tuple[FollowUp, ...]:
    return tuple(FollowUp(text.strip(), wanted) for text in texts.strip().split("\n"))


ASKED = each(
    "ask",
    """
    And in Berlin?
    and in Berlin
    and for interns
    Or abroad?
    What about weekends
    what about breakfast?
    How about trains
    And the train?
    Since when?
    why?
    Why is that
    Who approves that
    who has to sign it?
    Is breakfast included?
    is breakfast included
    is there a limit for trains
    Are dogs allowed
    do contractors get it too
    Does it apply to interns
    does that include tax
    can I book it myself
    Can we book first class
    Can you book first class with that?
    How do you apply for it?
    how long does it take
    how to book a train
    how much is it in Munich
    where do I find the form
    Where's the form?
    which form do I need
    What is the limit for a rental car
    what if it's more expensive
    When do I get the money back
    Thanks! And on weekends?
    thanks, and on weekends
    ok, who approves that
    Great, is there a form for it?
    hm, and if there is no room at that price?
    Actually, does this apply to trainees?
    Interesting, is that also true for the Vienna office?
    Tell me more
    explain that please
    please explain the second point
    Show me the form
    list all cities with a limit
    Can you explain that in more detail?
    could you list the exceptions?
    Do you know where the form is?
    Does anyone know if this applies to interns?
    Source?
    The same in Vienna?
    Even for managers?
    Only within Germany?
    I am travelling with my family. Can they stay in the same room?
    I have to go to Hamburg next week, what is the limit there?
    So I need an approval first?
    Und in Berlin?
    und in Berlin
    und für Praktikanten
    auch am Wochenende?
    Oder im Ausland?
    Was ist mit Zügen
    was ist mit dem Frühstück?
    Wie sieht es in Wien aus
    Seit wann?
    warum
    Wer genehmigt das
    wer muss das unterschreiben?
    Ist Frühstück dabei?
    gibt es eine Grenze für Züge
    Gilt das auch für Werkstudenten
    gilt das noch?
    kann ich das selbst buchen
    Darf man erste Klasse fahren
    Muss ich das vorher beantragen
    Bekomme ich das Geld zurück
    Wie lange dauert das
    wo finde ich das Formular
    welches Formular brauche ich
    Wie hoch ist die Grenze in München
    Danke! Und am Wochenende?
    danke, und am Wochenende
    ok, wer genehmigt das
    Verstehe, gilt das auch für Azubis?
    Zeig mir das Formular
    erkläre das bitte genauer
    Kannst du mir das genauer erklären?
    Kannst du die Ausnahmen auflisten?
    Weiß jemand, ob das auch für Praktikanten gilt?
    Quelle?
    Nur in Deutschland?
    Ich fahre nächste Woche nach Hamburg, was gilt dort?
    Also brauche ich erst eine Genehmigung?
    Was passiert, wenn es teurer ist
    """,
)

HEARD = each(
    "listen",
    """
    Thanks!
    thank you so much
    thx :pray:
    Great, that helps
    Perfect, thanks a lot!
    ok
    Got it
    +1
    👍
    :tada: :tada:
    🙈😂
    ...
    hm
    Hmm, ok
    lol
    Good to know
    Interesting
    That is wrong
    I don't think that's right
    That was changed in May
    It's the same for me
    I'll ask HR
    We did that last year
    Will do
    Can confirm
    can confirm, same for me
    Has worked for me
    Is fine by me
    Should be fine
    Must have missed that
    Does not work for me
    What a mess
    What I meant was the train
    When I was there it was different
    When we asked HR, they said no
    How nice
    Who knows
    Have a nice weekend everyone
    Good morning
    hi all
    Hello everybody!
    @Ben can you check?
    @ben is that still right?
    Ben, can you check that?
    Ben, is that still right?
    What do you think Ben?
    What do you think?
    Is that still right, Ben?
    Can you check that with HR?
    could you take a look please?
    Have you tried it?
    Did you see that?
    Are you coming to the meeting?
    Do you agree?
    Should we change that?
    shall we book it now?
    Has anyone tried this?
    Really?
    seriously?
    oh really??
    https://example.org/search?q=hotel
    see https://wiki.example/page?id=7
    https://example.org/a?b=c thanks
    and then Ben fixed it
    and I told him already
    And thanks for the link
    Let's discuss that tomorrow
    I asked in Berlin
    booked it
    I updated the page
    Tell Ben about it
    Danke!
    vielen Dank
    Danke dir, das hilft
    super, danke euch
    alles klar
    passt
    Genau
    Gut zu wissen
    Interessant
    Das stimmt nicht
    Das wurde im Mai geändert
    Ich frage mal HR
    Bei mir ist das auch so
    Ist gut
    Wird gemacht
    Hat geklappt
    Muss los
    War gestern auch so
    Gilt seit Mai
    Was für ein Chaos
    Was ich meinte, war der Zug
    Wie gesagt
    Wie schön
    Wer weiß
    Guten Morgen
    Moin
    hallo zusammen
    Schönes Wochenende euch allen
    @Ben kannst du das prüfen?
    Ben, kannst du das prüfen?
    Ben, stimmt das noch?
    Stimmt das noch, Ben?
    Was meinst du?
    Was denkt ihr?
    Was hältst du davon?
    Kannst du HR fragen?
    Hast du das schon gemacht?
    Kommst du zum Meeting?
    Habt ihr das gesehen?
    Sollen wir das ändern?
    wollen wir das jetzt buchen?
    Hat das schon jemand probiert?
    Echt?
    wirklich?
    und dann hat Ben das repariert
    und ich habe es ihm schon gesagt
    Ich hab es gebucht
    Lasst uns das morgen besprechen
    Sag Ben Bescheid
    """,
)

AMONG_OTHERS = (
    FollowUp("And in Berlin?", "listen", after="I think that was changed in May"),
    FollowUp("When was that?", "listen", after="We discussed that with HR"),
    FollowUp("Wann war das?", "listen", after="Das haben wir mit HR besprochen"),
    FollowUp("Which one?", "listen", after="@Ada can you send me the form?"),
    FollowUp("And in Berlin?", "ask", after="thanks!"),
    FollowUp("And in Berlin?", "ask", after="good to know"),
    FollowUp("Und in Berlin?", "ask", after="👍"),
    FollowUp("Und in Berlin?", "ask", after="gut zu wissen, danke"),
    FollowUp("ok", "listen", after="thanks!"),
    FollowUp("can you check?", "listen", to_others=True),
    FollowUp("What is the limit in Berlin?", "listen", to_others=True),
    FollowUp("gilt das noch?", "listen", to_others=True),
)

FOLLOW_UPS = (*ASKED, *HEARD, *AMONG_OTHERS)
