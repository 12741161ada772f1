"""The sample wiki is what the demo, the evaluation and other tests take it for."""

import asyncio
import json
import re
from collections import Counter
from functools import cache
from html.entities import name2codepoint
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import pytest
from lxml import etree

from adapters.files.reader import ProcessFileReader

SAMPLES = Path(__file__).parents[2] / "samples"
FILES = sorted((SAMPLES / "documents").glob("*.json"))
AC, RI = "http://atlassian.com/content", "http://atlassian.com/resource/identifier"
XML_OWN = {"lt", "gt", "amp", "quot", "apos"}
DOCTYPE = "".join(f'<!ENTITY {name} "&#{code};">' for name, code in name2codepoint.items() if name not in XML_OWN)

MACROS = [
    "anchor", "chart", "children", "code", "contributors", "details", "detailssummary", "excerpt", "excerpt-include",
    "expand", "info", "jira", "livesearch", "noformat", "note", "pagetree", "pagetreesearch", "panel",
    "recently-updated", "status", "tip", "toc", "view-file", "warning", "widget",
]  # fmt: skip
ELEMENTS = [
    "ac:adf-extension", "ac:emoticon", "ac:image", "ac:layout", "ac:layout-cell", "ac:layout-section", "ac:link",
    "ac:link-body", "ac:plain-text-link-body", "ac:task-list", "ri:attachment", "ri:page", "ri:url", "ri:user", "time",
]  # fmt: skip


def load(name: str) -> Any:
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"))


@cache
def parse(content: str) -> etree._Element:
    # resolve_entities: the entities are declared right here, in a document we wrote
    parser = etree.XMLParser(resolve_entities=True, no_network=True)
    wrapped = f'<!DOCTYPE page [{DOCTYPE}]><page xmlns:ac="{AC}" xmlns:ri="{RI}">{content}</page>'
    return etree.fromstring(wrapped, parser)


PAGES: list[dict[str, Any]] = [json.loads(path.read_text(encoding="utf-8")) for path in FILES]
TURNS: list[dict[str, Any]] = [turn for conversation in load("questions.json") for turn in conversation["turns"]]
KEYS = ["id", "title", "url", "content", "space", "date"]
PAGE_IDS = [path.stem for path in FILES]
URLS = {page["url"] for page in PAGES}


def roots() -> list[etree._Element]:
    return [parse(page["content"]) for page in PAGES]


def text_of(page: dict[str, Any]) -> str:
    return " ".join(" ".join(parse(page["content"]).itertext()).split())


def files_of(page: dict[str, Any]) -> str:
    """The text of its attached files."""
    paths = [SAMPLES / "documents" / attached["file"] for attached in page.get("attachments", ())]
    return "".join(asyncio.run(ProcessFileReader().read(path.name, path.read_bytes())).content for path in paths)


def test_there_are_enough_pages_in_three_spaces() -> None:
    per_space = Counter(page["space"] for page in PAGES)
    assert 22 <= len(PAGES) <= 26
    assert set(per_space) == {"ENG", "PEO", "BER"}
    assert min(per_space.values()) >= 4


@pytest.mark.parametrize("page", PAGES, ids=PAGE_IDS)
def test_a_page_is_well_formed_not_long_and_has_a_url_that_names_its_space_id_and_title(page: dict[str, Any]) -> None:
    assert len(parse(page["content"])) > 0
    assert 150 <= len(text_of(page).split()) <= 900
    assert list(page)[:6] == KEYS
    assert list(page)[6:] in ([], ["people"], ["labels"], ["comments", "attachments"], ["attachments"])
    assert re.fullmatch(r"\d{7}", page["id"])
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", page["date"])
    prefix, slug = page["url"].rsplit("/", 1)
    assert prefix == f"https://hollerbell.example/wiki/spaces/{page['space']}/pages/{page['id']}"
    assert unquote_plus(slug) == page["title"]


def test_ids_are_unique_and_one_title_occurs_in_two_spaces() -> None:
    assert len({page["id"] for page in PAGES}) == len(PAGES)
    spaces_of_twin = sorted(page["space"] for page in PAGES if page["title"] == "Getting started")
    assert spaces_of_twin == ["ENG", "PEO"]
    assert Counter(page["title"] for page in PAGES).most_common(2)[1][1] == 1


def test_every_macro_and_element_occurs() -> None:
    names = {AC: "ac", RI: "ri", None: ""}
    elements = {
        f"{names[name.namespace]}:{name.localname}".lstrip(":")
        for root in roots()
        for name in map(etree.QName, root.iter("*"))
    }
    macros = {root.get(f"{{{AC}}}name") for page in roots() for root in page.iter(f"{{{AC}}}structured-macro")}
    assert set(ELEMENTS) <= elements
    assert set(MACROS) <= macros


def test_tables_come_in_the_hard_shapes() -> None:
    tables = [table for root in roots() for table in root.iter("table")]
    assert any(table.findall(".//th[@rowspan]") and table.findall(".//th[@colspan]") for table in tables)
    assert any(table.findall(".//td[@rowspan]") and table.findall(".//td[@colspan]") for table in tables)
    assert any(not table.findall(".//th") for table in tables)
    assert any(
        all(row.find("th") is not None and row.find("td") is not None for row in table.iter("tr")) for table in tables
    )


def test_links_between_pages_lead_to_pages() -> None:
    titles = {(page["space"], page["title"]) for page in PAGES}
    for page, root in zip(PAGES, roots(), strict=True):
        for link in root.iter(f"{{{RI}}}page"):
            space = link.get(f"{{{RI}}}space-key", page["space"])
            assert (space, link.get(f"{{{RI}}}content-title")) in titles


def test_the_german_space_is_german_and_uses_entities() -> None:
    german = [page for page in PAGES if page["space"] == "BER"]
    for page in german:
        words = set(text_of(page).lower().split())
        assert {"der", "die", "und"} <= words
        assert "&uuml;" in page["content"]


def test_the_old_travel_policy_has_other_limits_than_the_new_one() -> None:
    limits = {
        year: next(" ".join(row.itertext()) for root, page in zip(roots(), PAGES, strict=True)
                   if page["title"].endswith(year) and "Travel" in page["title"]
                   for row in root.iter("tr") if "".join(row[0].itertext()) == "Germany")
        for year in ("2024", "2026")
    }  # fmt: skip
    assert limits == {"2024": "Germany €125 €40 €20 €55", "2026": "Germany €150 €46 €23 €65"}


def test_the_demo_conversation_has_six_or_seven_turns_in_two_languages_and_an_explain() -> None:
    demo = load("conversation.json")
    questions = [turn["question"] for turn in demo["turns"] if "question" in turn]
    assert [turn for turn in demo["turns"] if "question" not in turn] == [{"explain": True}]
    assert demo["title"]
    assert len(questions) in (6, 7)
    assert all(question.endswith("?") for question in questions)
    assert any(question.startswith("Wo ") for question in questions)


def test_questions_are_sixty_five_answered_and_ten_unanswered_in_conversations_of_their_own() -> None:
    conversations = load("questions.json")
    answered = [{bool(turn["a_url"]) for turn in conversation["turns"]} for conversation in conversations]
    assert all(len(kinds) == 1 for kinds in answered)
    assert Counter(bool(turn["a_url"]) for turn in TURNS) == {True: 65, False: 10}
    assert [conversation["conv_id"] for conversation in conversations] == [str(n + 1) for n in range(16)]


@pytest.mark.parametrize("turn", TURNS, ids=[turn["q_en"][:40] for turn in TURNS])
def test_a_question_has_every_key_and_an_existing_gold_page(turn: dict[str, Any]) -> None:
    keys = ["turn_id", "q_type", "q_en", "q_de", "completed_q_en", "completed_q_de", "a_url", "a_source", "a"]
    assert list(turn) == keys
    assert turn["q_type"] in ("simple", "complex")
    assert all(turn[key] for key in keys[:6])
    assert set(turn["a_url"]) <= URLS
    if turn["a_url"]:
        assert turn["a_source"] in ("passage", "list", "table")
        assert turn["a"]
    else:
        assert (turn["a_source"], turn["a"]) == ("", "")


@pytest.mark.parametrize(
    "turn", [turn for turn in TURNS if turn["a_url"]], ids=[turn["q_en"][:40] for turn in TURNS if turn["a_url"]]
)
def test_the_numbers_and_names_of_an_answer_stand_on_its_gold_page(turn: dict[str, Any]) -> None:
    page = " ".join(text_of(page) + files_of(page) for page in PAGES if page["url"] in turn["a_url"])
    names = re.findall(r"[A-Z][a-zé]+(?: van)? [A-Z][\w-]+", turn["a"]) if turn["a_url"][0].count("/BER/") == 0 else []
    for fact in [*re.findall(r"\d[\d.,:]*\d|\d", turn["a"]), *names]:
        assert fact in page


def test_whoever_is_mentioned_has_a_name() -> None:
    mentions = f"{{{RI}}}account-id"
    for page, root in zip(PAGES, roots(), strict=True):
        accounts = {found.get(mentions) for found in root.iter(f"{{{RI}}}user")}
        assert accounts == set(page.get("people", ()))
