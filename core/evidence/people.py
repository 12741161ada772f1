"""The people that a page mentions, and the issues that it shows: marks while its evidences are cut, names in what
comes out.

Extraction cuts by length. If it cut names, whoever gets a longer name would move the cuts of sentences that do not
mention them, so one character stands for each person until all is cut. It is a lone surrogate: no page contains one
(:func:`core.evidence.storage_format.clean`), and no UTF-8 does, so that a mark could not be stored, indexed or sent.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from core.evidence.blocks import Block, Text
from core.evidence.storage_format import clean
from core.evidence.tree import MACROS, Node
from core.languages import Language, detect_catalogue
from core.model import Comment, Context, Evidence, NamedPerson, Page, PageFacts, Structure
from core.text import unescape_html

Names = Mapping[str, str]
"""Account to name; "" for an account that is not there any more, or not for whoever syncs. Others are unknown.

An issue is called ``issue:KEY``, and its name is what it is about; "" where that is not for everybody.
"""

_FIRST, _MOST = 0xD800, 2048
_MOST_ASKED = 500  # accounts of one page
_MARK = re.compile("[\ud800-\udfff]")
_MENTION = re.compile(r"<ri:(?:user|group)\b([^<>]{1,2000})>")
_ATTRIBUTE = re.compile(r"\sri:([a-z-]{4,20})\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_KINDS = ("account-id", "userkey", "username", "group-name", "name")
_GROUPS = frozenset({"group-name", "name"})
_ISSUE = "issue:"
_ISSUE_KEY = re.compile(r"[A-Z][A-Z0-9_]{1,20}-[0-9]{1,9}")
_ISSUE_MACROS = frozenset({"jira", "jiraissues"})
_SHOWN_ISSUE = re.compile(
    rf"<ac:parameter\b[^<>]{{0,200}}\bac:name=\"key\"[^<>]{{0,200}}>\s{{0,9}}({_ISSUE_KEY.pattern})\s{{0,9}}<"
)
_ACCOUNT_CHARACTERS = 255
_NAME_CHARACTERS = 100
_ISSUE_CHARACTERS = 300
_READ_TEXTS = 100
_MOST_COMMENTERS = 100
_FORMER: Mapping[Language, str] = {"en": "former user", "de": "ehemalige Person"}

MARK = "mark"
"""The attribute of ``ri:user`` elements that :meth:`PeopleOnPage.mark_mentions` sets."""


def accounts_of(page: Page) -> tuple[str, ...]:
    """The accounts that a page, its facts and its comments name, each once: ``account-id:…``, ``userkey:…``."""
    found = dict.fromkeys(page.facts.accounts)
    for content, author in ((page.content, ""), *((each.content, each.author_account) for each in page.comments)):
        found[author] = None
        for mention in _MENTION.finditer(content) if "<ri:" in content else ():
            values = {f"ri:{name}": unescape_html(one or other) for name, one, other in _ATTRIBUTE.findall(mention[1])}
            found[_account(values)] = None
        for issue in _SHOWN_ISSUE.finditer(content) if 'ac:name="jira' in content else ():
            found[f"{_ISSUE}{issue[1]}"] = None
    return tuple(account for account in found if account)[:_MOST_ASKED]


def find_issue_key(account: str) -> str:
    """The key of an issue, "" for a person."""
    return account.removeprefix(_ISSUE) if account.startswith(_ISSUE) else ""


def find_group_name(account: str) -> str:
    """The name of a group, which is all that a page says of it; "" for a person or an issue."""
    kind, _, value = account.partition(":")
    return value if kind in _GROUPS else ""


def _read_issue_key(node: Node) -> str:
    """The key of the issue that a macro shows, "" for any other element."""
    is_shown = node.name in MACROS and node.attribute("ac:name") in _ISSUE_MACROS
    key = node.parameter("key").strip() if is_shown else ""
    return key if _ISSUE_KEY.fullmatch(key) else ""


def _account(attributes: Mapping[str, str]) -> str:
    """The account that an element names, "" for none."""
    for kind in _KINDS:
        if value := attributes.get(f"ri:{kind}", "").strip()[:_ACCOUNT_CHARACTERS]:
            return f"{kind}:{value}"
    return ""


@dataclass
class PeopleOnPage:
    """The people of one page, with the marks that stand for them."""

    names: Names
    title: str
    root: Node
    _accounts: dict[str, str] = field(default_factory=dict)  # by mark
    _marks: dict[str, str] = field(default_factory=dict)  # by account

    @cached_property
    def language(self) -> Language:
        """The language of the page, in which its text is completed: it is quoted with what stands around it."""
        return detect_catalogue(" ".join((self.title, *islice(self.root.texts(), _READ_TEXTS))))

    def mark_mentions(self, root: Node) -> None:
        """Gives each element, of the page or of a comment, that mentions somebody the mark of that person.

        And each macro that shows an issue the mark of that.
        """
        for node in root.below():
            if node.name in {"ri:user", "ri:group"}:
                node.attributes = {**node.attributes, MARK: self._mark(_account(node.attributes))}
            elif key := _read_issue_key(node):
                node.attributes = {**node.attributes, MARK: self._mark(f"{_ISSUE}{key}")}

    @property
    def marked(self) -> Collection[str]:
        """The accounts that have marks."""
        return self._marks

    def mark_author(self, comment: Comment) -> Comment:
        """The comment with the mark of its author, if the name of the account is known."""
        if comment.author_account in self.names:
            return replace(comment, author=self._mark(comment.author_account))
        return replace(comment, author=" ".join(clean(comment.author[:_NAME_CHARACTERS]).split()))

    def _mark(self, account: str) -> str:
        if account not in self._marks:
            if len(self._accounts) == _MOST:  # people that are named without a mark
                return self.name(account)
            mark = chr(_FIRST + len(self._accounts))
            self._marks[account], self._accounts[mark] = mark, account
        return self._marks[account]

    def name(self, account: str) -> str:
        """What stands for an account in the text."""
        if key := find_issue_key(account):
            about = " ".join(clean(self.names.get(account, "")).split())[:_ISSUE_CHARACTERS].rstrip()
            return f"{key}: {about}" if about else key
        kind, _, value = account.partition(":")
        name = self.names.get(account, find_group_name(account) or None)
        if name is None:  # nobody knows yet
            return f"@{value}" if kind == "username" else "@user"
        return " ".join(clean(name).split())[:_NAME_CHARACTERS].rstrip() or _FORMER[self.language]

    def show(self, text: str) -> str:
        """A text with names in place of marks."""
        return _MARK.sub(lambda found: self.name(self._accounts[found[0]]), text)

    def identify(self, text: str) -> str:
        """A text with accounts in place of marks: the same whatever they are called."""

        def identify(found: re.Match[str]) -> str:
            account = self._accounts[found[0]]
            return find_issue_key(account) or f"@{account}"

        return _MARK.sub(identify, text)

    def name_facts(self, facts: PageFacts, comments: Sequence[Comment]) -> PageFacts:
        """The facts with the names of their accounts, where these are known, and of those who wrote the comments."""

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

    def show_in_texts(self, blocks: Iterable[Block]) -> list[Text]:
        """The texts among the blocks, with names in place of marks."""
        texts = (block for block in blocks if isinstance(block, Text))
        return [replace(text, text=self.show(text.text), licence=self.show(text.licence)) for text in texts]

    def show_in(self, evidence: Evidence) -> Evidence:
        """An evidence with names in place of marks, and with the people that its text names."""
        if not self._accounts:
            return evidence
        show, context, structure = self.show, evidence.context, evidence.structure
        mentioned = dict.fromkeys(_MARK.findall(evidence.text))
        return replace(
            evidence,
            text=show(evidence.text),
            parts=tuple(map(show, evidence.parts)),
            rows=tuple(tuple((show(header), show(value)) for header, value in row) for row in evidence.rows),
            context=Context(
                context.title, tuple(map(show, context.heading_path)), show(context.before), show(context.after)
            ),
            structure=structure and self._show_in_structure(structure),
            people=tuple(self._named(mark) for mark in mentioned if self._is_person(mark)),
        )

    def _is_person(self, mark: str) -> bool:
        account = self._accounts[mark]
        return bool(account) and not find_issue_key(account)

    def _named(self, mark: str) -> NamedPerson:
        return NamedPerson(self._accounts[mark], self.name(self._accounts[mark]))

    def _show_in_structure(self, structure: Structure) -> Structure:
        labels = tuple(map(self.show, structure.labels))
        return replace(structure, labels=labels, caption=self.show(structure.caption))
