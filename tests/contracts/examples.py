"""Small whole examples of the data model, for the contract suites."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np

from core.indexing.index_entries import make_access_id
from core.model import (
    Answer,
    Citation,
    ClosestUnit,
    Context,
    Evidence,
    EvidenceKind,
    Failure,
    IndexedEvidence,
    IndexEntry,
    ModelCall,
    NoticeKind,
    Page,
    PagePart,
    Prompt,
    PromptMessage,
    ProposedCompletion,
    Provenance,
    Question,
    RankedEvidence,
    Ranking,
    ReadRestrictions,
    Rejection,
    Scope,
    Structure,
    Trace,
    TracedPlan,
    TraceNotice,
    Turn,
    Usage,
)
from core.ports.models import Vectors
from core.ports.pages import IndexedPage

EVERYTHING = Scope()


def entry(
    key: str,
    text: str = "text",
    space: str = "DOC",
    access: str = "",
    title: str = "",
    heading: str = "",
    surroundings: str = "",
) -> IndexEntry:
    return IndexEntry(key, space, access, title, heading, text, surroundings)


def indexed_page(
    page_id: str = "1",
    texts: tuple[str, ...] = ("The first passage.", "The second passage."),
    space: str = "DOC",
    read_restrictions: ReadRestrictions = (),
    kind: EvidenceKind = "passage",
) -> IndexedPage:
    content = "".join(f"<p>{text}</p>" for text in texts)
    page = Page(
        page_id, space, f"Title of {page_id}", f"https://wiki/{page_id}", content, "2024-05-01", read_restrictions
    )
    evidences = tuple(_indexed_evidence(page, at, text, kind) for at, text in enumerate(texts))
    return IndexedPage(page, hashlib.sha256(content.encode()).hexdigest(), evidences)


def _indexed_evidence(page: Page, ordinal: int, text: str, kind: EvidenceKind) -> IndexedEvidence:
    context = Context(page.title, ("Chapter", "Section"), f"Before {text}", f"After {text}", (7,), (2, 6))
    evidence = Evidence(
        evidence_id=f"{page.page_id}-{ordinal}",
        page_id=page.page_id,
        space=page.space,
        kind=kind,
        ordinal=ordinal,
        text=text,
        context=context,
        url=f"{page.url}#section",
        parts=(text,),
        rows=((("Header", text),),) if kind == "table_row" else (),
        structure=None if kind == "passage" else Structure(1, 9, (ordinal + 1,), (0,), ("-",), "A caption"),
    )
    access = make_access_id(page.read_restrictions)
    key = hashlib.sha256(f"{page.space}|{access}|{evidence.evidence_id}|{text}".encode()).hexdigest()[:16]
    fields = IndexEntry(key, page.space, access, page.title, "Section", text, f"{context.before} {context.after}")
    return IndexedEvidence(evidence, fields, hashlib.sha256(text.encode()).hexdigest())


def keys_of(page: IndexedPage) -> set[str]:
    return {evidence.entry.key for evidence in page.evidences}


def turn(
    turn_id: str = "t1",
    conversation_id: str = "c1",
    asked_at: str = "2024-05-01T10:00:00Z",
    used: tuple[IndexedPage, ...] = (),
    cited: tuple[IndexedPage, ...] = (),
    answer: str = "An answer.",
    scope: Scope = EVERYTHING,
) -> Turn:
    evidences = [indexed.evidence for page in used for indexed in page.evidences]
    citations = tuple(
        Citation(
            at,
            page.evidences[0].evidence.evidence_id,
            page.page.page_id,
            page.page.title,
            "Section",
            page.page.url,
            page.evidences[0].evidence.kind,
            page.evidences[0].evidence.text,
        )
        for at, page in enumerate(cited, start=1)
    )
    ranked = tuple(
        RankedEvidence(evidence, rank, 1 / rank, lexical=Ranking(rank, 0.5), fused=Ranking(rank, 0.25))
        for rank, evidence in enumerate(evidences, start=1)
    )
    return Turn(
        turn_id,
        conversation_id,
        asked_at,
        Question("And then?", "What then?"),
        ranked,
        Answer(answer, True, citations),
        scope,
        {"fusion": "minmax", "limit": 10, "weight": 0.5, "rerank": False},
        {"total": 12.5},
        Usage(1, 20, 3),
    )


def add_provenance(made: Turn, history: tuple[str, ...] = (), suggestion: tuple[str, ...] = ()) -> Turn:
    """Return the turn with these pages as the provenance of its question."""
    provenance = Provenance(frozenset(map(PagePart, suggestion)), frozenset(map(PagePart, history)))
    return replace(made, question=replace(made.question, provenance=provenance))


def trace(words: str = "words of a page") -> Trace:
    """A trace with these words everywhere that words can be."""
    prompt = Prompt("answer", (PromptMessage("system", f"Answer from {words}."), PromptMessage("user", f"So? {words}")))
    return Trace(
        proposed_completions=(
            ProposedCompletion("What then?"),
            ProposedCompletion(f"What of {words}?", Rejection.INVENTS_WORDS, (words,)),
        ),
        calls=(
            ModelCall(prompt, f"It is {words}.", Usage(1, 20, 3), 1234.5),
            ModelCall(Prompt("complete", ()), "", Usage(1), 10.0, False, f"It refused: {words}", Failure.REJECTED),
        ),
        notices=(TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=2, total=10),),
        plans=(TracedPlan("count", words, (f"Word: {words}",), (words,), 3, f"SELECT COUNT(*) FROM {words}"),),
        closest=(ClosestUnit("1-0", 1),),
    )


def unit_vectors(count: int, dimension: int = 8, seed: int = 0) -> Vectors:
    drawn = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)
