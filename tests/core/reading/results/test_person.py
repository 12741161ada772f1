"""The person in the cell that a question asks for."""

from __future__ import annotations

import pytest

from core.evidence.extract import extract
from core.model import Page, RankedEvidence
from tests.core.reading.tables import compute, evidences

NAMES = {"username:mara": "Mara Lind", "username:bo": "Bo Hall", "username:jan": "Jan de Wit", "username:gone": ""}


def who(name: str) -> str:
    return f'<ac:link><ri:user ri:username="{name}"/></ac:link>'


TEAM = f"""<table><tr><th>Role</th><th>Who</th></tr><tr><td>Team lead</td><td>{who("mara")}</td></tr>
<tr><td>Safety officer</td><td>{who("bo")}</td></tr><tr><td>Trainer</td><td>{who("bo")}, {who("jan")}</td></tr>
<tr><td>Porter</td><td>{who("gone")}</td></tr></table>"""
CUSTOMERS = f"""<table><tr><th>Customer</th><th>Manager</th><th>Engineer</th></tr>
<tr><td>Banco Sol</td><td>{who("mara")}</td><td>{who("jan")}</td></tr>
<tr><td>Aalto</td><td>{who("bo")}</td><td>{who("mara")}</td></tr></table>"""
SERVICES = f"""<table><tr><th>Service</th><th>Owner</th></tr><tr><td>Billing</td><td>{who("mara")}</td></tr>
<tr><td>Mail relay</td><td>{who("bo")} {who("jan")}</td></tr></table>"""
RESPONSIBLE = SERVICES.replace("Owner", "Responsible")
NAMED = """<table><tr><th>Service</th><th>Owner</th><th>Tier</th></tr>
<tr><td>Billing</td><td>Mara Lind</td><td>1</td></tr><tr><td>Mail relay</td><td>Bo Hall, Jan de Wit</td><td>2</td></tr>
<tr><td>Search</td><td>Platform team</td><td>1</td></tr>
<tr><td>Chat</td><td>TBD</td><td>3</td></tr><tr><td>Fax</td><td>not decided before 2027</td><td>3</td></tr></table>"""
GERMAN = """<table><tr><th>Thema</th><th>Verantwortlich</th></tr><tr><td>Fuhrpark</td><td>Paul von Ost</td></tr>
<tr><td>Urlaub</td><td>Jana Kern und Paul von Ost</td></tr></table>"""
BOTH = f"""<table><tr><th>Service</th><th>Owner</th><th>Maintainer</th></tr>
<tr><td>Billing</td><td>{who("mara")}</td><td>{who("bo")}</td></tr></table>"""
PROJECTS = f"""<table><tr><th>Title</th><th>Lead</th></tr>
<tr><td>Project Lark</td><td>{who("mara")}</td></tr></table>"""
TASKS = """<table><tr><th>Task</th><th>Owner</th><th>Due</th></tr>
<tr><td>Ask the tram company of Leiden about its timetable</td><td>Mara Lind</td><td>2026-06-02</td></tr>
<tr><td>Write the telephone text for Ghent</td><td>Bo Hall</td><td>2026-06-09</td></tr>
<tr><td>Order bells</td><td>Jan de Wit</td><td>2026-06-16</td></tr></table>"""
INVITATIONS = """<table><tr><th>Task</th><th>Owner</th></tr>
<tr><td>Ask Ben Roth about the keys</td><td>Mara Lind</td></tr>
<tr><td>Invite the mayor to the party</td><td>Bo Hall</td></tr>
<tr><td>Bürgermeister zum Fest einladen</td><td>Jan de Wit</td></tr></table>"""
GERMAN_TASKS = """<table><tr><th>Aufgabe</th><th>Zuständig</th></tr>
<tr><td>Fahrplan bei der Straßenbahn erfragen</td><td>Jana Kern</td></tr>
<tr><td>Prospekte drucken</td><td>Paul von Ost</td></tr></table>"""
TYPED = """<table><tr><th>Role</th><th>Tool</th></tr><tr><td>Team lead</td><td>Big Hammer</td></tr>
<tr><td>Safety officer</td><td>Mara Lind</td></tr></table>"""


def answer(question: str, *contents: str, title: str = "Harbour team") -> str:
    pages = [Page(str(number), "DOC", title, "", content) for number, content in enumerate(contents)]
    found = [evidence for page in pages for evidence in extract(page, names=NAMES).evidences]
    ranked = [RankedEvidence(evidence, at, 1 / at) for at, evidence in enumerate(found, start=1)]
    computed = compute(question, ranked)
    return computed.answer.text if computed else ""


def test_words_of_the_title_that_completion_adds_deny_nothing() -> None:
    title = "No more than a harbour team"
    assert answer(f"Who is the safety officer? ({title})", TEAM, title=title).startswith("Bo Hall")


@pytest.mark.parametrize(
    ("question", "content", "person"),
    [
        ("Who is the safety officer?", TEAM, "Bo Hall"),
        ("Who is the team lead of the harbour team?", TEAM, "Mara Lind"),
        ("Who is the trainer?", TEAM, "Bo Hall, Jan de Wit"),
        ("Who is the porter?", TEAM, "former user"),
        ("Who is the engineer for Banco Sol?", CUSTOMERS, "Jan de Wit"),
        ("Wer ist Manager von Aalto?", CUSTOMERS, "Bo Hall"),
        ("Who owns Billing?", SERVICES, "Mara Lind"),
        ("Who is responsible for Billing?", SERVICES, "Mara Lind"),
        ("Who is responsible for the billing service?", SERVICES, "Mara Lind"),
        ("Wer ist für Billing verantwortlich?", SERVICES, "Mara Lind"),
        ("Who is responsible for Billing?", RESPONSIBLE, "Mara Lind"),
        ("Who owns Billing?", RESPONSIBLE, "Mara Lind"),
        ("Who owns Billing?", BOTH, "Mara Lind"),
        ("Who maintains Billing?", BOTH, "Bo Hall"),
        ("Who owns the mail relay?", SERVICES, "Bo Hall, Jan de Wit"),
        ("Who manages Aalto?", CUSTOMERS, "Bo Hall"),  # and not the engineer
        ("Who leads Project Lark?", PROJECTS, "Mara Lind"),
        ("Who owns Billing?", NAMED, "Mara Lind"),
        ("Who is the owner of Billing?", NAMED, "Mara Lind"),
        ("Who is responsible for Search?", NAMED, "Platform team"),
        ("Who owns the mail relay?", NAMED, "Bo Hall, Jan de Wit"),
        ("Wem gehört Billing?", NAMED, "Mara Lind"),
        ("Wer ist für den Fuhrpark zuständig?", GERMAN, "Paul von Ost"),
        ("Wer ist für Urlaub verantwortlich?", GERMAN, "Jana Kern, Paul von Ost"),
        ("Who asks the tram company of Leiden about its timetable?", TASKS, "Mara Lind"),
        ("who asks the tram company", TASKS, "Mara Lind"),
        ("Who has to write the telephone text?", TASKS, "Bo Hall"),
        ("Who should write the telephone text?", TASKS, "Bo Hall"),
        ("Who will order bells?", TASKS, "Jan de Wit"),
        ("Wer erfragt den Fahrplan?", GERMAN_TASKS, "Jana Kern"),
        ("wer druckt die prospekte", GERMAN_TASKS, "Paul von Ost"),
    ],
)
def test_who_is_answered_by_the_person_in_the_cell_with_the_row(question: str, content: str, person: str) -> None:
    first, row = answer(question, content).split("\n")
    assert first == person
    assert all(name in row for name in person.split(", "))
    assert row.endswith("[1]")


@pytest.mark.parametrize(
    ("question", "contents"),
    [
        ("Who is the team lead?", (TYPED,)),  # a column of things, though one is called as a person
        ("Who is for Banco Sol?", (CUSTOMERS,)),  # two columns of people
        ("Who is the captain?", (TEAM,)),
        ("Who leads Project Heron?", (PROJECTS,)),  # of which the asker may not see the row
        ("Who repairs Billing?", (SERVICES,)),
        ("Who is responsible for Payroll?", (SERVICES,)),
        ("who is responsible for project heron?", (PROJECTS.replace("Lead", "Owner"),)),
        ("Who is responsible for Billing?", (BOTH,)),  # owner or maintainer
        ("Who is not the team lead?", (TEAM,)),
        ("What is the team lead?", (TEAM,)),
        ("Who is the team lead?", (TEAM, TEAM.replace("mara", "bo"))),
        ("Who is billing?", (NAMED,)),  # nothing says that the owner is asked for
        ("Who asks Ghent?", (TASKS,)),  # words of two tasks
        ("Who do I ask about the keys?", (INVITATIONS,)),  # and not who asks
        ("Whom should I ask about the keys?", (INVITATIONS,)),
        ("Who should we ask about the keys?", (INVITATIONS,)),
        ("Who is invited to the party?", (INVITATIONS,)),
        ("Who was to be asked about the keys?", (INVITATIONS,)),
        ("Wen laden wir zum Fest ein?", (INVITATIONS,)),
        ("Wer wird zum Fest eingeladen?", (INVITATIONS,)),
        ("Who repairs the tram?", (TASKS,)),
        ("Who fired the tram company?", (TASKS,)),
        ("Wer kennt den Fahrplan?", (GERMAN_TASKS,)),
        ("Who owns Billing?", (NAMED, NAMED.replace("Mara Lind", "Bo Hall"))),
        (
            "Who is responsible for project heron?",
            (PROJECTS.replace("Lead", "Owner").replace(who("mara"), "Mara Lind"),),
        ),
    ],
)
def test_nobody_is_named_where_it_is_not_clear_who(question: str, contents: tuple[str, ...]) -> None:
    first = answer(question, *contents).split("\n")[0]
    assert first not in {"Mara Lind", "Bo Hall", "Jan de Wit"}


@pytest.mark.parametrize("service", ["Chat", "Fax"])
def test_a_cell_that_is_written_like_no_name_is_nobody(service: str) -> None:
    assert answer(f"Who owns {service}?", NAMED).split("\n")[0] not in {"TBD", "not decided before 2027"}


@pytest.mark.parametrize(
    "question",
    ["wer vertritt die it-leitung", "wer ist stellvertreter von dana voss", "wer ist vertretung der it-leitung?"],
)
def test_whoever_stands_in_is_in_the_column_of_deputies(question: str) -> None:
    header = "<tr><th>Funktion</th><th>Verantwortlich</th><th>Stellvertretung</th></tr>"
    rows = "<tr><td>IT-Leitung</td><td>Dana Voss</td><td>Olaf Petri</td></tr>"
    rows += "<tr><td>Einkauf</td><td>Nina Kraus</td><td></td></tr>"
    found = compute(question, evidences(f"<table>{header}{rows}</table>", "Vertretungsregelung"))
    assert found is not None
    assert found.answer.text.startswith("Olaf Petri\n")


@pytest.mark.parametrize("question", ["wer leitet b1", "Wer leitet das Lager B1?"])
def test_a_noun_for_the_task_names_who_does_it(question: str) -> None:
    header = "<tr><th>Kürzel</th><th>Ort</th><th>Leitung</th></tr>"
    rows = "<tr><td>K1</td><td>Kassel</td><td>Uwe Thal</td></tr><tr><td>B1</td><td>Bremen</td><td>Jan Olde</td></tr>"
    found = compute(question, evidences(f"<h2>Lager</h2><table>{header}{rows}</table>", "Standorte"))
    assert found is not None
    assert found.answer.text.startswith("Jan Olde\n")


@pytest.mark.parametrize("question", ["who leads Finance?", "Wer leitet Finance?", "who heads finance"])
def test_whoever_leads_stands_below_a_word_for_leading(question: str) -> None:
    teams = """<table><tr><th>Team</th><th>Lead</th><th>Head count</th></tr>
        <tr><td>Finance</td><td>Marcus Adeyemi</td><td>6</td></tr>
        <tr><td>Quality</td><td>Yasmin Kaya</td><td>5</td></tr></table>"""
    assert answer(question, teams).startswith("Marcus Adeyemi")


@pytest.mark.parametrize(
    ("question", "header", "cell"),
    [
        ("who heads Finance", "Head office", "New York"),
        ("wer ist der Leiter von Finance", "Leitung", "Kupfer"),
        ("who is the deputy lead of Finance", "Lead", "Marcus Adeyemi"),
        ("who was the first lead of Finance", "Lead", "Marcus Adeyemi"),
    ],
)
def test_an_office_a_pipe_or_a_deputy_does_not_lead(question: str, header: str, cell: str) -> None:
    teams = f"<table><tr><th>Team</th><th>{header}</th><th>Contact</th></tr><tr><td>Finance</td><td>{cell}</td>"
    teams += "<td>x1</td></tr><tr><td>Quality</td><td>Yasmin Kaya</td><td>x2</td></tr></table>"
    assert not answer(question, teams).startswith(cell)
