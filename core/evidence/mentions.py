"""Replaces mentioned people, issues and titles of linked pages by marks during extraction, and by names afterwards.

Extraction cuts texts by length. With names in the text, a longer name would move the cuts of sentences that do not
mention the person. So a single character stands for each person, issue or title until all cuts are made. It is a lone
surrogate: pages cannot contain it (:func:`core.evidence.storage_format.remove_forbidden`), and UTF-8 cannot encode it,
so a leftover mark cannot be stored, indexed or sent.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, islice, pairwise

from core.evidence.blocks import PageBlock, Text
from core.evidence.links import find_link_target
from core.evidence.storage_format import tidy_line
from core.evidence.tree import MACROS, Node
from core.languages import Language, detect_catalogue
from core.model import Comment, Context, Evidence, NamedPerson, Page, PageFacts, Structure
from core.text import unescape_html

Names = Mapping[str, str]
"""Account to name; "" for an account that does not exist any more or is hidden from the syncing account.

Issues have the account ``issue:KEY`` and their summary and status as name, or "" if they are not public. Linked pages
have the account ``linked:ID`` and their title as name, if everybody who may read the page may read them.
"""

_FIRST, _MOST = 0xD800, 2048
_MOST_ASKED = 500  # accounts per page
_MARK = re.compile("[\ud800-\udfff]")
_MENTION = re.compile(r"<ri:(?:user|group)\b([^<>]{1,2000})>")
_ATTRIBUTE = re.compile(r"\sri:([a-z-]{4,20})\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_KINDS = ("account-id", "userkey", "username", "group-name", "name")
_GROUPS = frozenset({"group-name", "name"})
_ISSUE = "issue:"
_LINKED = "linked:"
_ISSUE_KEY = re.compile(r"[A-Z][A-Z0-9_]{1,20}-[0-9]{1,9}")
_ISSUE_MACROS = frozenset({"jira", "jiraissues"})
_SHOWN_ISSUE = re.compile(
    rf"<ac:parameter\b[^<>]{{0,200}}\bac:name=\"key\"[^<>]{{0,200}}>\s{{0,9}}({_ISSUE_KEY.pattern})\s{{0,9}}<"
)
_ACCOUNT_CHARACTERS = 255
_NAME_CHARACTERS = 100
_ISSUE_CHARACTERS = 300
_TITLE_CHARACTERS = 300
_READ_TEXTS = 100
_MOST_COMMENTERS = 100
_FORMER: Mapping[Language, str] = {"en": "former user", "de": "ehemalige Person"}

MARK = "mark"
"""Name of the attribute that :meth:`PageMentions.mark_mentions` sets on elements."""


def find_accounts(page: Page) -> tuple[str, ...]:
    """Return the accounts in a page, its facts and comments, without duplicates: ``account-id:…``, ``userkey:…``."""
    found = dict.fromkeys(page.facts.accounts)
    for content, author in ((page.content, ""), *((each.content, each.author_account) for each in page.comments)):
        found[author] = None
        for mention in _MENTION.finditer(content) if "<ri:" in content else ():
            values = {f"ri:{name}": unescape_html(one or other) for name, one, other in _ATTRIBUTE.findall(mention[1])}
            found[_get_account(values)] = None
        for issue in _SHOWN_ISSUE.finditer(content) if 'ac:name="jira' in content else ():
            found[f"{_ISSUE}{issue[1]}"] = None
    return tuple(account for account in found if account)[:_MOST_ASKED]


def find_issue_key(account: str) -> str:
    """Return the key of an issue's account, "" for a person."""
    return account.removeprefix(_ISSUE) if account.startswith(_ISSUE) else ""


def make_linked_account(page_id: str) -> str:
    """Return the account that stands for the title of a linked page."""
    return f"{_LINKED}{page_id}"


def find_group_name(account: str) -> str:
    """Return the name in a group's account, "" for a person or issue. A page knows groups only by name."""
    kind, _, value = account.partition(":")
    return value if kind in _GROUPS else ""


def _read_issue_key(node: Node) -> str:
    """Return the key of the issue that a macro shows, "" for any other element."""
    is_shown = node.name in MACROS and node.attribute("ac:name") in _ISSUE_MACROS
    key = node.get_parameter("key").strip() if is_shown else ""
    return key if _ISSUE_KEY.fullmatch(key) else ""


def _get_account(attributes: Mapping[str, str]) -> str:
    """Return the account in an element's attributes, or ""."""
    for kind in _KINDS:
        if value := attributes.get(f"ri:{kind}", "").strip()[:_ACCOUNT_CHARACTERS]:
            return f"{kind}:{value}"
    return ""


@dataclass
class PageMentions:
    """The people, issues and linked pages that one page mentions, with their marks. ``url``: of the page."""

    names: Names
    title: str
    root: Node
    url: str = ""
    _accounts: dict[str, str] = field(default_factory=dict)  # by mark
    _marks: dict[str, str] = field(default_factory=dict)  # by account

    @cached_property
    def language(self) -> Language:
        """The page's language, in which words are added to its text, because they are quoted together."""
        return detect_catalogue(" ".join((self.title, *islice(self.root.iterate_texts(), _READ_TEXTS))))

    def mark_mentions(self, root: Node) -> None:
        """Set the marks of elements that mention a person, show an issue, or link to a page with a known title."""
        for node in root.iterate_descendants():
            if node.name in {"ri:user", "ri:group"}:
                node.attributes = {**node.attributes, MARK: self._mark(_get_account(node.attributes))}
            elif key := _read_issue_key(node):
                node.attributes = {**node.attributes, MARK: self._mark(f"{_ISSUE}{key}")}
            elif linked := self._find_linked_account(node):
                node.attributes = {**node.attributes, MARK: self._mark(linked)}

    def _find_linked_account(self, node: Node) -> str:
        page_id = find_link_target(node.attributes, self.url).page_id if node.name == "a" else ""
        account = make_linked_account(page_id)
        return account if page_id and self.names.get(account) else ""

    @property
    def marked(self) -> Collection[str]:
        """The accounts of people and issues that have marks."""
        return [account for account in self._marks if not account.startswith(_LINKED)]

    def mark_person(self, account: str, name: str) -> str:
        """Return the mark of an account with a known name, or the name that came with it; "" if there is none."""
        if self.names.get(account):
            return self._mark(account)
        return tidy_line(name[:_NAME_CHARACTERS]) if account not in self.names else ""

    def mark_author(self, comment: Comment) -> Comment:
        """Replace the comment's author by a mark, if the name of the account is known."""
        if comment.author_account in self.names:
            return replace(comment, author=self._mark(comment.author_account))
        return replace(comment, author=tidy_line(comment.author[:_NAME_CHARACTERS]))

    def _mark(self, account: str) -> str:
        if account not in self._marks:
            if len(self._accounts) == _MOST:  # no marks left, so the name itself is used
                return self.name(account)
            mark = chr(_FIRST + len(self._accounts))
            self._marks[account], self._accounts[mark] = mark, account
        return self._marks[account]

    def name(self, account: str) -> str:
        """Return the text that stands for an account."""
        if key := find_issue_key(account):
            about = tidy_line(self.names.get(account, ""))[:_ISSUE_CHARACTERS].rstrip()
            return f"{key}: {about}" if about else key
        if account.startswith(_LINKED):
            return tidy_line(self.names[account])[:_TITLE_CHARACTERS].rstrip()
        kind, _, value = account.partition(":")
        name = self.names.get(account, find_group_name(account) or None)
        if name is None:  # unknown
            return f"@{value}" if kind == "username" else "@user"
        return tidy_line(name)[:_NAME_CHARACTERS].rstrip() or _FORMER[self.language]

    def show(self, text: str) -> str:
        """Replace the marks in a text by names."""
        return _MARK.sub(lambda found: self.name(self._accounts[found[0]]), text)

    def identify(self, text: str) -> str:
        """Replace the marks in a text by accounts, so that the result does not depend on names."""

        def identify(found: re.Match[str]) -> str:
            account = self._accounts[found[0]]
            return find_issue_key(account) or f"@{account}"

        return _MARK.sub(identify, text)

    def name_facts(self, facts: PageFacts, comments: Sequence[Comment]) -> PageFacts:
        """Replace the names in the facts by the known names of their accounts, and set the commenters."""

        def name(account: str, before: str) -> str:
            return self.name(account) if account in self.names else before

        commenters = tuple(dict.fromkeys(self.show(comment.author) for comment in comments if comment.author))
        return replace(
            facts,
            owner=name(facts.owner_account, facts.owner),
            creator=name(facts.creator_account, facts.creator),
            editor=name(facts.editor_account, facts.editor),
            commenters=commenters[:_MOST_COMMENTERS] or facts.commenters,
        )

    def show_in_texts(self, blocks: Iterable[PageBlock]) -> list[Text]:
        """Return the texts among the blocks, with names instead of marks."""
        texts = (block for block in blocks if isinstance(block, Text))
        return [replace(text, text=self.show(text.text), licence=self.show(text.licence)) for text in texts]

    def show_in(self, evidence: Evidence) -> Evidence:
        """Replace the marks of an evidence by names, and set its ``people``."""
        if not self._accounts:
            return evidence
        show, structure = self.show, evidence.structure
        mentioned = dict.fromkeys(_MARK.findall(evidence.text))
        return replace(
            evidence,
            text=show(evidence.text),
            parts=tuple(map(show, evidence.parts)),
            rows=tuple(tuple((show(header), show(value)) for header, value in row) for row in evidence.rows),
            context=self._show_in_context(evidence.context),
            structure=structure and self._show_in_structure(structure),
            people=tuple(self._get_person(mark) for mark in mentioned if self._is_person(mark)),
        )

    def _show_in_context(self, context: Context) -> Context:
        before, before_breaks = self._show_with_breaks(context.before, context.before_breaks)
        after, after_breaks = self._show_with_breaks(context.after, context.after_breaks)
        headings = tuple(map(self.show, context.heading_path))
        return Context(context.title, headings, before, after, before_breaks, after_breaks)

    def _show_with_breaks(self, text: str, breaks: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """Replace the marks in a text, and move the positions in it."""
        pieces = [self.show(text[start:end]) for start, end in pairwise((0, *breaks, len(text)))]
        return "".join(pieces), tuple(accumulate(map(len, pieces[:-1])))

    def _is_person(self, mark: str) -> bool:
        account = self._accounts[mark]
        return bool(account) and not account.startswith((_ISSUE, _LINKED))

    def _get_person(self, mark: str) -> NamedPerson:
        return NamedPerson(self._accounts[mark], self.name(self._accounts[mark]))

    def _show_in_structure(self, structure: Structure) -> Structure:
        labels = tuple(map(self.show, structure.labels))
        return replace(structure, labels=labels, caption=self.show(structure.caption))
