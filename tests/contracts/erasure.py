"""The contract of erasing pages: what stays and what is removed (see :mod:`tests.contracts.stores`)."""

from __future__ import annotations

from dataclasses import replace

from core.evidence.comments import find_thread_ids
from core.indexing.index_entries import make_joint_access_id
from core.model import (
    AttachedFile,
    Author,
    Citation,
    Comment,
    PagePart,
    Provenance,
    Question,
    Scope,
    Suggestion,
    Turn,
)
from core.ports.files import FileText, KnownFile
from core.ports.pages import IndexedPage, NarrowedPage, Origin
from core.ports.wiki import KnownComment
from tests.contracts.examples import add_provenance, indexed_page, keys_of, trace, turn, unit_vectors
from tests.contracts.stores import ONLY_ANN, Stores


def by_model(made: Turn) -> Turn:
    """Return the turn with an answer by a model, and its trace."""
    return replace(made, answer=replace(made.answer, author=Author.MODEL, model="qwen"), trace=trace())


def commented_page(*comments: Comment) -> IndexedPage:
    """Return a page with one passage and an evidence of each comment."""
    indexed = indexed_page("1", ("The page.", *(f"{each.content} evidence" for each in comments)))
    threads = find_thread_ids({each.comment_id: each.parent_id for each in comments})
    of_comments = [
        replace(each, evidence=replace(each.evidence, thread=threads[comment.comment_id]))
        for each, comment in zip(indexed.evidences[1:], comments, strict=True)
    ]
    return replace(
        indexed, page=replace(indexed.page, comments=comments), evidences=(indexed.evidences[0], *of_comments)
    )


def page_with_files(*files: AttachedFile) -> IndexedPage:
    """Return a page with one passage and an evidence of each attached file."""
    indexed = indexed_page("1", ("The page.", *(f"{each.name} evidence" for each in files)))
    of_files = [
        replace(each, evidence=replace(each.evidence, thread=file.file_id))
        for each, file in zip(indexed.evidences[1:], files, strict=True)
    ]
    return replace(indexed, page=replace(indexed.page, files=files), evidences=(indexed.evidences[0], *of_files))


def cite_all(made: Turn) -> Turn:
    """Return the turn with a citation of each of its evidences."""
    citations = tuple(
        Citation(
            *(ranked.rank, ranked.evidence.evidence_id, "1", "Title of 1", "Section", ranked.evidence.url),
            *(ranked.evidence.kind, ranked.evidence.text),
        )
        for ranked in made.evidences
    )
    return replace(made, answer=replace(made.answer, citations=citations))


def include(page: IndexedPage, origin: IndexedPage) -> IndexedPage:
    """Return a page whose last evidence is from another page."""
    origins = {origin.page.page_id: Origin(origin.digest, make_joint_access_id(page.page, origin.page))}
    *own, last = page.evidences
    last = replace(
        last,
        evidence=replace(last.evidence, origin=origin.page.page_id),
        entry=replace(last.entry, access=origins[origin.page.page_id].access),
    )
    return replace(page, evidences=(*own, last), origins=origins)


class ErasureContract:
    async def test_turns_keep_that_a_page_was_used_but_none_of_its_words(self, stores: Stores) -> None:
        gone, stays = indexed_page("1", ("secret words",), kind="table_row"), indexed_page("2", ("public words",))
        before = turn(used=(gone, stays), cited=(gone, stays), answer="It says secret words.")
        await stores.turns.add(before)
        await stores.pages.replace([gone, stays])
        await stores.pages.remove(["1"])
        after = await stores.turns.load_turn("t1")
        assert after is not None
        erased, kept = after.evidences
        assert "secret" not in repr(after)
        assert gone.page.title not in repr(after)
        assert (erased.evidence.evidence_id, erased.evidence.page_id, erased.evidence.kind, erased.rank) == (
            "1-0", "1", "table_row", 1)  # fmt: skip
        assert erased.lexical == before.evidences[0].lexical
        assert kept == before.evidences[1]
        assert [citation.number for citation in after.answer.citations] == [1, 2]
        assert after.answer.citations[1] == before.answer.citations[1]
        assert (after.answer.text, after.answer.erased) == ("", True)

    async def test_turns_lose_the_text_of_a_page_that_others_may_no_longer_read(self, stores: Stores) -> None:
        open_page = indexed_page("1", ("secret words",))
        await stores.pages.replace([open_page])
        await stores.turns.add(turn(used=(open_page,), cited=(open_page,), answer="It says secret words."))
        await stores.pages.replace([indexed_page("1", ("secret words",), read_restrictions=ONLY_ANN)])
        after = await stores.turns.load_turn("t1")
        assert after is not None
        assert "secret" not in repr(after)

    async def test_turns_lose_what_they_had_from_a_thread_in_which_a_comment_was_deleted(self, stores: Stores) -> None:
        first, reply = Comment("c1", "<p>First.</p>"), Comment("c2", "<p>Secret reply.</p>", parent_id="c1")
        other = Comment("c3", "<p>Other thread.</p>")
        page = commented_page(first, reply, other)
        await stores.pages.replace([page])
        await stores.turns.add(cite_all(turn("t1", used=(page,), answer="It says First.")))
        assert await stores.pages.load_comments("DOC") == {
            each.comment_id: KnownComment("1", each.version) for each in (first, reply, other)
        }
        await stores.pages.replace([commented_page(first, other)])
        after = await stores.turns.load_turn("t1")
        assert after is not None
        assert "Secret" not in repr(after)
        kept = [ranked.evidence.thread for ranked in after.evidences if ranked.evidence.text]
        assert kept == ["", "c3"]
        assert [bool(citation.quote) for citation in after.answer.citations] == [True, False, False, True]
        assert (after.answer.text, after.answer.erased) == ("", True)

    async def test_turns_lose_what_they_had_from_a_file_that_was_removed(self, stores: Stores) -> None:
        kept, gone = (AttachedFile(f"att{n}", f"{n}.txt", "1", content=f"<p>File {n}.</p>") for n in (1, 2))
        page = page_with_files(kept, gone)
        await stores.pages.replace([page])
        await stores.turns.add(cite_all(turn(used=(page,))))
        assert await stores.pages.load_files("DOC") == {KnownFile(each.file_id, "1", "1") for each in (kept, gone)}
        assert await stores.pages.load_file_text("1", "att2", "1") == FileText(gone.content)
        await stores.pages.replace([page_with_files(kept)])
        assert await stores.pages.load_file_text("1", "att2", "1") is None
        stored = await stores.turns.load_turn("t1")
        assert stored is not None
        assert [ranked.evidence.text for ranked in stored.evidences] == ["The page.", "1.txt evidence", ""]
        assert [citation.quote for citation in stored.answer.citations] == ["The page.", "1.txt evidence", ""]

    async def test_a_turn_that_is_kept_after_a_comment_was_deleted_has_none_of_it(self, stores: Stores) -> None:
        page = commented_page(Comment("c1", "<p>Secret.</p>"))
        made = cite_all(turn("t1", used=(page,), answer="It says Secret."))
        await stores.pages.replace([commented_page()])
        await stores.turns.save(made)
        after = await stores.turns.load_turn("t1")
        assert after is not None
        assert "Secret" not in repr(after)

    async def test_what_a_page_shows_of_another_goes_with_each_version_of_that(self, stores: Stores) -> None:
        other = indexed_page("2", ("Secret words.",))
        page = include(indexed_page("1", ("Own words.", "Secret words.")), other)
        everybody = Scope()
        for changed in (
            replace(other, digest="new"),
            indexed_page("2", ("Secret words.",), read_restrictions=ONLY_ANN),
        ):
            await stores.pages.replace([other])
            await stores.pages.replace([page])
            own, shown = page.evidences
            assert (await stores.evidences.load_evidences(keys_of(page), everybody)).keys() == keys_of(page)
            assert {each.entry for each in await stores.pages.load_evidences("DOC")} >= {own.entry, shown.entry}
            stale = await stores.pages.replace([replace(changed, digest=changed.digest + "2")])
            assert shown.entry.key in {entry.key for entry in stale}
            assert (await stores.evidences.load_evidences(keys_of(page), everybody)).keys() == {own.entry.key}
            assert {each.evidences["passage"] for each in await stores.spaces.load_summaries()} == {2}
            assert await stores.pages.find_outdated_inclusions("", "DOC") == ["1"]
        await stores.pages.replace([page])  # made from the previous version
        assert (await stores.evidences.load_evidences(keys_of(page), everybody)).keys() == {own.entry.key}

    async def test_what_a_page_shows_of_another_is_seen_by_the_readers_of_both(self, stores: Stores) -> None:
        other = indexed_page("2", ("Secret words.",), space="OPS", read_restrictions=ONLY_ANN)
        page = include(indexed_page("1", ("Own words.", "Secret words.")), other)
        await stores.pages.replace([other, page])
        own, shown = page.evidences
        ann, everywhere = Scope(principals=frozenset({"user:ann"})), Scope()
        here = Scope(frozenset({"DOC"}), ann.principals)
        for scope, keys in (
            (ann, {own.entry.key, shown.entry.key}),
            (here, {own.entry.key}),
            (everywhere, {own.entry.key}),
        ):
            assert (await stores.evidences.load_evidences(keys_of(page), scope)).keys() == keys
            assert (await stores.evidences.load_summaries(keys_of(page), scope)).keys() == keys
            assert len(await stores.evidences.load_texts(["1"], scope)) == len(keys)
            assert (shown.entry.access in (await stores.evidences.find_access_filter(scope)).access) == (len(keys) == 2)

    async def test_turns_lose_what_a_page_showed_of_one_that_is_gone_or_restricted(self, stores: Stores) -> None:
        other = indexed_page("2", ("Secret words.",))
        page = include(indexed_page("1", ("Own words.", "Secret words.")), other)
        restricted = replace(indexed_page("2", ("Secret words.",), read_restrictions=ONLY_ANN), digest="restricted")
        for name in ("removed", "restricted", "kept after that", "narrowed", "narrowed, kept after that"):
            await stores.pages.replace([other])
            await stores.pages.replace([page])
            made = cite_all(turn(name, conversation_id=name, used=(page,), answer="It says secret words."))
            if not name.endswith("kept after that"):
                await stores.turns.add(made)
            if name == "removed":
                await stores.pages.remove(["2"])
            elif name.startswith("narrowed"):
                await stores.pages.narrow([NarrowedPage("2", "narrowed", ONLY_ANN, other.digest)])
            else:
                await stores.pages.replace([restricted])
            if name.endswith("kept after that"):
                await stores.turns.save(made)
            after = await stores.turns.load_turn(name)
            assert after is not None
            assert "ecret" not in repr(after), name
            assert [bool(each.evidence.text) for each in after.evidences] == [True, False]
            assert [bool(citation.quote) for citation in after.answer.citations] == [True, False]

    async def test_a_question_that_was_completed_from_the_removed_page_loses_its_title(self, stores: Stores) -> None:
        gone = indexed_page("1")
        completed = Question("And then?", f"And then? ({gone.page.title})")
        await stores.turns.add(add_provenance(replace(turn(), turn_id="t2", question=completed), ("1", "2")))
        await stores.pages.replace([gone])
        await stores.pages.remove(["1"])
        after = await stores.turns.load_turn("t2")
        assert after is not None
        assert after == add_provenance(replace(after, question=Question("And then?", "And then?")), ("2",))

    async def test_an_answer_that_used_but_did_not_cite_the_page_stays(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        await stores.turns.add(turn(used=(gone, stays), cited=(stays,), answer="Other words."))
        await stores.pages.remove(["1"])
        kept = await stores.turns.load_turn("t1")
        assert kept is not None
        assert kept.answer.text == "Other words."

    async def test_an_answer_by_a_model_that_was_given_the_page_goes(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        await stores.turns.add(by_model(turn(used=(gone, stays), cited=(stays,), answer="Other words.")))
        await stores.pages.remove(["1"])
        kept = await stores.turns.load_turn("t1")
        assert kept is not None
        assert (kept.answer.text, kept.answer.erased, kept.answer.author) == ("", True, Author.MODEL)

    async def test_an_answer_by_a_model_to_a_question_that_was_completed_from_the_page_goes(
        self, stores: Stores
    ) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        completed = Question("And then?", f"And then? ({gone.page.title})")
        for turn_id, question in (("t2", completed), ("t3", Question("Who else?", "Who else?"))):
            later = by_model(turn(turn_id, used=(stays,), cited=(stays,), answer=f"Of {turn_id}."))
            await stores.turns.add(add_provenance(replace(later, question=question), ("1",)))
        await stores.pages.remove(["1"])
        after, other = await stores.turns.load_newest("c1", 1_000)
        assert (after.answer.text, after.answer.erased, after.erased) == ("", True, True)
        assert (other.answer.text, other.answer.erased, other.erased) == ("Of t3.", False, False)

    async def test_turns_of_the_conversation_without_words_of_the_page_stay_as_they_are(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        first = by_model(turn("t0", used=(stays,), cited=(stays,)))
        first = replace(first, suggestions=(Suggestion("And why?", "2-0"),))
        await stores.turns.add(first)
        await stores.turns.add(by_model(turn(used=(gone,))))
        await stores.pages.replace([gone, stays])
        await stores.pages.remove(["1"])
        assert await stores.turns.load_turn("t0") == first

    async def test_a_turn_is_whole_until_text_leaves_it(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        await stores.pages.replace([gone, stays])
        used = {"used": gone, "later": stays, "other": stays}
        for turn_id, page in used.items():
            made = turn(turn_id, used=(page,), cited=(page,))
            await stores.turns.save(add_provenance(made, ("1",)) if turn_id == "later" else made)
        assert [await stores.turns.has_whole(turn_id) for turn_id in (*used, "unknown")] == [True, True, True, False]
        await stores.pages.remove(["1"])
        assert [await stores.turns.has_whole(turn_id) for turn_id in used] == [False, False, True]
        await stores.turns.save(turn("saved late", used=(gone,)))
        assert not await stores.turns.has_whole("saved late")

    async def test_of_a_later_turn_only_what_its_history_reached_goes(self, stores: Stores) -> None:
        stays = indexed_page("2")
        later = by_model(turn("t2", used=(stays,), cited=(stays,)))
        later = replace(later, question=Question("Who else?", "Who else?"))
        await stores.turns.add(add_provenance(later, ("1",)))
        await stores.pages.remove(["1"])
        after = await stores.turns.load_turn("t2")
        assert after is not None
        assert after.trace.proposed_completions == after.trace.plans == ()
        assert after.trace.notices == later.trace.notices
        answering, completing = after.trace.calls
        assert answering == later.trace.calls[0]
        assert (completing.prompt.messages, completing.text, completing.error) == ((), "", "")
        assert (after.answer, after.question, after.erased) == (later.answer, later.question, False)

    async def test_traces_keep_numbers_but_no_words(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        before = replace(turn(used=(gone,)), trace=trace("secret words"))
        later = replace(before, turn_id="t2", evidences=turn(used=(stays,)).evidences)
        later = replace(later, suggestions=(Suggestion("What of secret words?", "2-0"),))
        elsewhere = replace(later, turn_id="t3", conversation_id="c2")
        for added in (before, add_provenance(later, ("1",)), elsewhere):
            await stores.turns.add(added)
        await stores.pages.replace([gone, stays])
        await stores.pages.remove(["1"])
        for after in await stores.turns.load_newest("c1", 1_000):
            assert "secret" not in repr(after)
            assert after.suggestions == after.trace.proposed_completions == after.trace.plans == ()
            assert after.trace.notices == before.trace.notices
            assert [(call.prompt.name, call.usage, call.milliseconds, call.finished) for call in after.trace.calls] == [
                (call.prompt.name, call.usage, call.milliseconds, call.finished) for call in before.trace.calls
            ]
        assert await stores.turns.load_turn("t3") == elsewhere

    async def test_suggestions_that_come_after_an_erasure_are_not_kept(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        await stores.turns.add(turn(used=(gone, stays)))
        await stores.turns.add(add_provenance(turn("t2", used=(stays,)), ("1",)))
        await stores.pages.replace([gone, stays])
        await stores.pages.remove(["1"])
        for turn_id in ("t1", "t2"):
            await stores.turns.save_suggestions(turn_id, [Suggestion("Late?", "1-0"), Suggestion("Too late?", "2-0")])
            after = await stores.turns.load_turn(turn_id)
            assert after is not None
            assert after.suggestions == ()

    async def test_a_question_that_was_taken_from_the_suggestions_goes_with_them(self, stores: Stores) -> None:
        gone = indexed_page("1")
        suggested = Suggestion("What of  secret words?", "1-0")
        await stores.turns.add(replace(turn(used=(gone,)), suggestions=(suggested,)))
        taken = Question("Was steht in den secret words?", "Was steht in den secret words?", suggested_in="t1")
        await stores.turns.add(add_provenance(replace(turn("t2"), question=taken), suggestion=("1",)))
        typed = Question("What of secret words?", "What of secret words?")
        await stores.turns.add(replace(turn("t3"), question=typed))
        await stores.pages.replace([gone])
        await stores.pages.remove(["1"])
        own, after, of_a_person = await stores.turns.load_newest("c1", 1_000)
        assert own.question.as_asked == "And then?"
        assert "secret" not in repr(after)
        assert (after.question.as_asked, after.question.erased, after.question.language) == ("", True, "de")
        assert of_a_person.question == typed

    async def test_a_suggested_question_goes_although_the_turn_that_suggested_it_is_gone(self, stores: Stores) -> None:
        taken = Question("What of secret words?", "What of secret words?", suggested_in="t1")
        await stores.turns.add(add_provenance(replace(turn("t2"), question=taken), suggestion=("1",)))
        await stores.pages.remove(["1"])
        [after] = await stores.turns.load_newest("c1", 1_000)
        assert "secret" not in repr(after)
        assert (after.question.erased, after.erased) == (True, True)

    async def test_a_question_loses_the_words_of_one_thread_of_a_page(self, stores: Stores) -> None:
        kept, gone = (AttachedFile(f"att{n}", f"{n}.txt", "1", content=f"<p>File {n}.</p>") for n in (1, 2))
        await stores.pages.replace([page_with_files(kept, gone)])
        for turn_id, thread in (("t1", "att1"), ("t2", "att2"), ("t3", "")):
            question = Question("And then?", "And then? (secret words)")
            provenance = Provenance(history=frozenset({PagePart("1", thread)}))
            await stores.turns.add(replace(turn(turn_id), question=replace(question, provenance=provenance)))
        await stores.pages.replace([page_with_files(kept)])
        after = await stores.turns.load_newest("c1", 1_000)
        assert ["secret" in repr(each) for each in after] == [True, False, True]

    async def test_a_turn_that_is_stored_after_its_history_was_erased_loses_what_it_took_from_there(
        self, stores: Stores
    ) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        await stores.pages.replace([gone, stays])
        await stores.pages.remove(["1"])
        completed = Question("And then?", "And then? (secret words)")
        for visible_again in (False, True):
            await stores.pages.replace([gone] * visible_again)
            for name, asked_at in (("meanwhile", "2024-05-01T10:00:00+00:00"), ("after", "2124-05-01T10:00:00+00:00")):
                later = by_model(turn(f"{name} {visible_again}", used=(stays,), cited=(stays,), asked_at=asked_at))
                await stores.turns.save(add_provenance(replace(later, question=completed), ("1",)))
        erased, erased_too, erased_since, whole = [
            await stores.turns.load_turn(f"{name} {again}")
            for again in (False, True) for name in ("meanwhile", "after")
        ]  # fmt: skip
        for each in (erased, erased_too, erased_since):
            assert each
            assert (each.question, each.answer.text, each.erased) == (Question("And then?", "And then?"), "", True)
        assert whole
        assert (whole.question.intent_explicit, whole.erased) == ("And then? (secret words)", False)

    async def test_saving_a_turn_erases_nothing_from_others(self, stores: Stores) -> None:
        page = indexed_page("1", space="HR")
        await stores.pages.replace([page])
        for turn_id, space in (("t1", "HR"), ("t2", "ENG")):
            await stores.turns.save(turn(turn_id, used=(page,), cited=(page,), scope=Scope(frozenset({space}))))
        assert [await stores.turns.has_whole(turn_id) for turn_id in ("t1", "t2")] == [True, False]

    async def test_vectors_of_removed_texts_go_unless_another_page_has_the_text(self, stores: Stores) -> None:
        gone, stays = indexed_page("1", ("shared", "own")), indexed_page("2", ("shared",))
        shared, own = (evidence.text_hash for evidence in gone.evidences)
        await stores.pages.replace([gone, stays])
        await stores.vectors.save("hash", dict(zip((shared, own), unit_vectors(2), strict=True)))
        await stores.pages.remove(["1"])
        assert set(await stores.vectors.load_vectors("hash", [shared, own])) == {shared}

    async def test_token_vectors_of_removed_texts_go_unless_another_page_has_the_text(self, stores: Stores) -> None:
        gone, stays = indexed_page("1", ("shared", "own")), indexed_page("2", ("shared",))
        shared, own = (evidence.text_hash for evidence in gone.evidences)
        await stores.pages.replace([gone, stays])
        await stores.token_vectors.save("one", {shared: b"1", own: b"2"})
        await stores.pages.remove(["1"])
        assert await stores.token_vectors.load_tokens("one", [shared, own]) == {shared: b"1"}
