"""Which words of a question name one thing by their form, and which of these the evidences do not have."""

import pytest

from core.wording.identifiers import find_identifiers, find_unknown_identifiers, is_about_unknown
from tests.core.answering.examples import evidence, ranked

IDENTIFIERS = [
    ("what BIOS version does the T460 have?", ["BIOS", "T460"]),
    ("how do I use LDAP for RAPI-users", ["LDAP"]),
    ("which JIRA key does it have?", []),  # as in "OXT-607"
    ("how much RAM, and how many days of PTO?", []),  # "memory", "vacation"
    ("WHO IS ON CALL", []),
    ("who is NOT allowed, PLEASE help", []),
    ("which EU limit does IT set?", []),
    ("is it FREE on SUN?", []),
    ("git svn fetch: default of --log-window-size", ["--log-window-size"]),
    ("Welchen Default hat stash.maxEntries?", ["stash.maxEntries"]),
    ("does mod_wsgi start threads?", ["mod_wsgi"]),
    ("Wie lösche ich einen GitLab-Fork?", ["GitLab"]),
    ("was OXT-607 resolved?", ["OXT-607"]),
    ("what came with 4.0.0?", ["4.0.0"]),
    ("What was decided in the October 2018 call?", ["October 2018"]),
    ("Was wurde am 19. Mai 2026 beschlossen?", ["Mai 2026"]),
    ("how much does the Rook 5 cost", ["Rook 5"]),
    ("may I upload 10GB in Q3?", []),
    ("how do the MitarbeiterInnen find k8s v2?", []),
    ("Is it 3.5 mm, at 10:30, 50 % or 2,000?", []),
    ("who approves travel to Germany?", []),
    ("And in Germany? (Rook 4)", []),
]


@pytest.mark.parametrize(("question", "found"), IDENTIFIERS, ids=[question for question, _ in IDENTIFIERS])
def test_identifiers_are_recognised_by_their_form(question: str, found: list[str]) -> None:
    assert [identifier.text for identifier in find_identifiers(question)] == found


KNOWN = [
    ("T460", "The Lenovo T-460s is slow."),
    ("win11", "On Windows 11 it works."),
    ("utf8", "Files are in UTF-8."),
    ("CO2x", "The sensor CO₂X hangs."),
    ("sha256", "Use SHA-256."),
    ("GitLabs", "We host gitlab ourselves."),
    ("LDAP", "Openldap is used."),
    ("SAN", "Use a storage area network."),
    ("SAN", "Shared Storage-Area Networks are slow."),
    ("EHS", "Environment, health and safety"),
    ("PSA", "Die persönliche Schutzausrüstung, wie Helme"),
    ("BEM", "Das Betriebliche Eingliederungsmanagement"),
    ("http.maxRequests", "Section http: maxRequests is 5."),
    ("4.0.0", "Version 4.0 is old."),
    ("4.0", "Version 4.0.0 is old."),
    ("OpenXT 10.0", "OpenXT 9 is old. Version 10 is new."),
    ("OpenXT 4.0.0", "OpenXT 3 is old, v4 is new."),
    ("OpenXT 7.0", "OpenXT and OXT 7.0.0b1100 were tested."),
    ("Rook 5", "Rook 3, 4 and 5 are sold."),
    ("OpenXT 4.0.0", "OpenXT 9 is new. Main components in 4.0.0: Xen 4.3.4."),
    ("May 2016", "Presented on 17th May 2016."),
    ("Mai 2016", "Updated 2016-05-17."),
    ("October 2018", "Meeting of 10/4/2018."),
    ("August 2016", "Community Call - Auguest 18 2016"),
]


@pytest.mark.parametrize(("name", "text"), KNOWN, ids=[f"{name} in {text}" for name, text in KNOWN])
def test_an_identifier_may_be_written_in_other_ways(name: str, text: str) -> None:
    assert find_unknown_identifiers(f"what about {name}?", ranked(evidence(text))) == ()


UNKNOWN = [
    ("LDAP", "Users are in a file."),
    ("SAN", "Some thousand users."),
    ("SAN", "Storage areas are shared."),
    ("T460", "The Lenovo T450 is slow."),
    ("4.0.0", "Version 4.1.2 is old."),
    ("OpenXT 10.0", "OpenXT 9.0 runs 10 guests."),
    ("OpenXT 10.0", "OpenXT 9.0 is old. Fixed in 10.0.3."),
    ("9.0.2", "Version 9.0.0 follows 8.0.1."),
    ("Rook 5", "The Rook 4 costs 2,450."),
    ("October 2018", "2018-08-16 monthly call. Next call in October."),
]


@pytest.mark.parametrize(("name", "text"), UNKNOWN, ids=[f"{name} in {text}" for name, text in UNKNOWN])
def test_a_neighbour_is_something_else(name: str, text: str) -> None:
    assert find_unknown_identifiers(f"what about {name}?", ranked(evidence(text))) == (name,)


def test_a_name_with_a_number_is_unknown_only_beside_the_same_name_with_another() -> None:
    assert (
        find_unknown_identifiers("may I work abroad for max 20 days?", ranked(evidence("At most 5 days a year."))) == ()
    )
    assert find_unknown_identifiers("what is a Rook 5?", ranked(evidence("Rooks ring bells."))) == ()


@pytest.mark.parametrize(
    ("question", "text", "unknown"),
    [
        ("was kostet die containerentladung 2026", "Containerentladung 40 Fuß: Preis 2026 380 €", ()),
        ("price of an anchor 2027", "Anchor 12 is heavy. Prices of 2026", ()),
        ("who won the Regatta 2027?", "The Regatta 2026 was won by Bo.", ("Regatta 2027",)),
        ("what does the Rook 1800 cost?", "The Rook 4 costs 2,450.", ("Rook 1800",)),
    ],
)
def test_beside_a_year_only_another_year_tells_names_apart(question: str, text: str, unknown: tuple[str, ...]) -> None:
    assert find_unknown_identifiers(question, ranked(evidence(text))) == unknown


def test_a_month_may_stand_below_a_heading_with_its_year() -> None:
    plan = evidence("In October we move.", title="Plan 2018")
    assert find_unknown_identifiers("who moves in October 2018?", ranked(plan)) == ()


def test_one_of_two_that_are_compared_may_be_unknown() -> None:
    prices = ranked(evidence("The Rook 4 costs 2,450."))
    assert find_unknown_identifiers("is the Rook 5 dearer than the Rook 4?", prices) == ("Rook 5",)
    assert not is_about_unknown("is the Rook 5 dearer than the Rook 4?", prices)
    assert is_about_unknown("is the Rook 5 dearer than an AX12 of the Rook 4?", prices)
    assert is_about_unknown("is the Rook 5 dear?", prices)
