"""More follow-ups, written before the rules and never looked at while they were made: how well they carry over."""

from __future__ import annotations

from tests.core.chat.follow_ups import each

UNSEEN = (
    *each(
        "ask",
        """
        And if I travel by car
        what about Switzerland then?
        Okay and who signs it off?
        are interns included
        does this cover taxis too
        Is it per person or per room?
        what's the process for exceptions
        and per diem?
        how many nights are allowed
        can you summarise that in one sentence?
        could you give me the link to the form?
        What happens if I lose the receipt
        Until when do I have to hand it in?
        Sorry, I meant Hamburg. What is the limit there?
        Nice. Is there a page about trains as well?
        Und bei Flügen?
        Und wenn ich mit dem Auto fahre
        okay und wer unterschreibt das?
        Wie viele Nächte sind erlaubt
        was kostet ein Parkplatz
        gibt's dafür ein Formular?
        Zählt das Frühstück mit?
        Brauche ich dafür eine Quittung
        Bis wann muss ich das einreichen?
        Sorry, ich meinte Hamburg. Was gilt dort?
        Gibt es auch was zu Zügen?
        Kannst du das in einem Satz zusammenfassen?
        pro Person oder pro Zimmer?
        """,
    ),
    *each(
        "listen",
        """
        awesome, thank you!
        Oh nice, I didn't know that
        Makes sense
        hahaha
        🚀🚀
        Works for me
        would be good to have that in the handbook
        Was wondering the same
        I will do that on Monday
        let me check with Carla
        Carla, did you already book?
        @carla could you confirm?
        did you get my mail?
        Can we talk about this in the standup?
        anybody up for lunch?
        see you tomorrow
        Are you sure we want that?
        what a coincidence, I was just there
        :joy:
        no worries
        Cool, das wusste ich nicht
        Macht Sinn
        Klingt gut
        Wäre gut, wenn das im Handbuch steht
        Mache ich am Montag
        Carla, hast du schon gebucht?
        hast du meine Mail bekommen?
        Hat jemand Lust auf Mittagessen?
        Bis morgen
        Kein Problem
        """,
    ),
)
