"""Pages that try to cost more than proportionally to their bytes. Operations are counted, not seconds.

Random trees of all nestable elements of storage format, to depth 120, with hostile attributes; and pumped pages, in
which one construct, or two in turn, are nested n and 2n deep.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from core.errors import PageOverBudget
from core.evidence.budget import Budget, PageLimits, count_page_bytes
from core.evidence.extract import extract
from core.model import Page

MAX_DEPTH = 120
PER_BYTE = {"steps": 12.0, "characters_read": 40.0, "evidences": 0.2, "characters_written": 100.0, "positions": 2.0}
"""PageLimits of the counters per byte of page. :data:`FIXED` has the allowance that does not depend on the size."""
FIXED = {
    "steps": 100_000,
    "characters_read": 1_000_000,
    "evidences": 1_000,
    "characters_written": 1_000_000,
    "positions": 100_000,
}
GROWTH = 2.3  # of the work for a page nested twice as deep

_MACRO = '<ac:structured-macro ac:name="{name}">{parameters}<ac:rich-text-body>'
_MACRO_END = "</ac:rich-text-body></ac:structured-macro>"
_INLINE = '<ac:parameter ac:name="atlassian-macro-output-type">INLINE</ac:parameter>'
_TITLE = '<ac:parameter ac:name="title">label</ac:parameter>'

CONSTRUCTS: dict[str, tuple[str, str]] = {
    "inline macro": (_MACRO.format(name="x", parameters=_INLINE), _MACRO_END),
    "macro": (_MACRO.format(name="panel", parameters=_TITLE), _MACRO_END),
    "info": (_MACRO.format(name="info", parameters=""), _MACRO_END),
    "code macro": (_MACRO.format(name="code", parameters=""), _MACRO_END),
    "view-file": (_MACRO.format(name="view-file", parameters=""), _MACRO_END),
    "table": ("<table><tr><td>a</td><td>", "</td></tr><tr><td>b</td><td>c</td></tr></table>"),
    "layout table": ("<table><tr><td>", "</td></tr></table>"),
    "header table": (
        "<table><caption>t</caption><tr><th>h</th><th>", "</th></tr><tr><td>b</td><td>c</td></tr></table>"
    ),
    "list": ("<ul><li>a", "</li></ul>"),
    "bare list": ("<ol>", "<li>a</li></ol>"),
    "task list": ("<ac:task-list><ac:task><ac:task-body>a", "</ac:task-body></ac:task></ac:task-list>"),
    "definitions": ("<dl><dt>t</dt><dd>", "</dd></dl>"),
    "term": ("<dl><dt>", "</dt><dd>d</dd></dl>"),
    "adf": ("<ac:adf-extension><ac:adf-fallback>", "</ac:adf-fallback></ac:adf-extension>"),
    "adf content": (
        '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-content>',
        "</ac:adf-content></ac:adf-node></ac:adf-extension>",
    ),
    "layout": ("<ac:layout><ac:layout-section><ac:layout-cell>", "</ac:layout-cell></ac:layout-section></ac:layout>"),
    "link": ('<ac:link><ri:page ri:content-title="p"/><ac:link-body>a', "</ac:link-body></ac:link>"),
    "anchor": ('<a href="https://x.org/a">b', "</a>"),
    "span": ("<span>a", "</span>"),
    "bold": ("<strong>a<b>", "</b></strong>"),
    "paragraph": ("<p>a", "</p>"),
    "heading": ("<h2>a", "</h2>"),
    "preformatted": ("<pre>a", "</pre>"),
    "caption": ("<ac:image><ac:caption>a", "</ac:caption></ac:image>"),
    "parameter": (
        '<ac:structured-macro ac:name="x"><ac:parameter ac:name="atlassian-macro-output-type">',
        "</ac:parameter></ac:structured-macro>",
    ),
}  # fmt: skip
_LEAVES = (
    "w", "word and words. ", "e.g. one. ", "<br/>", "<hr/>", '<ri:user ri:username="u"/>', "```a<br/>",
    '<ac:emoticon ac:name="tick"/>', "<p>text</p>", "<h1>Heading</h1>", "<li>stray</li>", "<td>stray</td>",
    "<ac:structured-macro ac:name='code'><ac:plain-text-body><![CDATA[x\ty]]></ac:plain-text-body></ac:structured-macro>",  # noqa: E501
)  # fmt: skip


@dataclass(slots=True)
class Outcome:
    """The result of one attack: ``worst`` cost per byte by counter, and the number of violations."""

    cases: int = 0
    violations: list[str] = field(default_factory=list)
    refused: int = 0
    worst: dict[str, float] = field(default_factory=dict)


def random_page(seed: int) -> str:
    """Return a random tree: usually small, sometimes deep, with hostile spans, titles and anchors."""
    chance = random.Random(seed)  # noqa: S311 - cases, not secrets
    out: list[str] = []
    _grow(chance, out, chance.choice((5, 20, 60, MAX_DEPTH)), chance.choice((20, 60, 200)))
    return "".join(out)


def _grow(chance: random.Random, out: list[str], depth: int, elements: int) -> None:
    names = chance.sample(sorted(CONSTRUCTS), chance.randint(1, 5))
    ends: list[str] = []
    for _ in range(elements):
        kind = chance.random()
        if kind < 0.55 and len(ends) < depth:
            start, end = CONSTRUCTS[chance.choice(names)]
            out.append(_hostile(chance, start))
            ends.append(end)
        elif kind < 0.75 and ends:
            out.append(ends.pop())
        else:
            out.append(chance.choice(_LEAVES) * chance.choice((1, 1, 1, 5)))
    if chance.random() < 0.9:  # otherwise the markup is broken, and the parser repairs it
        out.extend(reversed(ends))


def _hostile(chance: random.Random, start: str) -> str:
    if chance.random() < 0.2:
        spans = f'<td colspan="{chance.choice((2, 30, 100, 9**9))}" rowspan="{chance.choice((2, 30, 100))}"'
        start = start.replace("<td", spans)
    if chance.random() < 0.1:
        start = start.replace(">label<", f">{'label ' * chance.choice((10, 200))}<")
    return start


def pumped_pages(depth: int) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each construct and pair of constructs, with its page nested ``depth`` and twice as deep."""
    for first, second in itertools.combinations_with_replacement(CONSTRUCTS, 2):
        yield f"{first} + {second}", _nested(first, second, depth), _nested(first, second, 2 * depth)


def _nested(first: str, second: str, depth: int) -> str:
    parts = [CONSTRUCTS[first if level % 2 == 0 else second] for level in range(depth)]
    return "".join(start for start, _ in parts) + "x" + "".join(end for _, end in reversed(parts))


def cost(content: str) -> tuple[Budget, bool]:
    """Return the counters after extracting a page, and whether it was refused."""
    page = Page("7", "ENG", "Title", "https://a.atlassian.net/wiki/spaces/ENG/pages/7/T", content)
    budget = Budget(PageLimits.for_bytes(count_page_bytes(page)))
    try:
        extract(page, budget=budget)
    except PageOverBudget:
        return budget, True
    return budget, False


def try_random(cases: int, seed: int) -> Outcome:
    """Try random trees: every counter must be within its limit, and only PageOverBudget may be raised."""
    found = Outcome()
    for number in range(cases):
        content = random_page(seed + number)
        try:
            budget, refused = cost(content)
        except Exception as error:  # any exception is a finding
            found.violations.append(f"seed {seed + number}: {type(error).__name__}: {error}")
            continue
        found.refused += refused
        for name, per_byte in PER_BYTE.items():
            count, size = getattr(budget, name), len(content.encode())
            found.worst[name] = max(found.worst.get(name, 0.0), count / max(size, 200))
            if not refused and count > per_byte * size + FIXED[name]:
                found.violations.append(f"seed {seed + number}: {count} {name} of {size} bytes")
    found.cases = cases
    return found


def try_pumped(depth: int) -> Outcome:
    """Try pumped pages: nested twice as deep, they may take at most :data:`GROWTH` times the work."""
    found = Outcome()
    for name, once, twice in pumped_pages(depth):
        (first, refused), (second, _) = cost(once), cost(twice)
        found.cases += 1
        found.refused += refused
        for counter in ("steps", "characters_read", "characters_written"):
            before, after = getattr(first, counter), getattr(second, counter)
            growth = after / max(before, 500)
            found.worst[counter] = max(found.worst.get(counter, 0.0), growth)
            if growth > GROWTH:
                found.violations.append(f"{name}: {before} -> {after} {counter}")
    return found


def try_calls(cases: int, seed: int, depth: int) -> Outcome:
    """Try pumped pages again, with all calls of Python functions counted by the interpreter."""
    found = Outcome()
    pages = list(pumped_pages(depth))
    for name, once, twice in random.Random(seed).sample(pages, min(cases, len(pages))):  # noqa: S311
        before, after = _calls(once), _calls(twice)
        found.cases += 1
        found.worst["calls"] = max(found.worst.get("calls", 0.0), after / before)
        if after > GROWTH * before:
            found.violations.append(f"{name}: {before} -> {after} calls")
    return found


def _calls(content: str) -> int:
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        cost(content)
    finally:
        sys.setprofile(before)
    return calls


def main(argv: list[str]) -> int:
    """Run all attacks, and print a table. Exit code 1 for a violation."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.security extraction", description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--depth", type=int, default=30, help="of pumped pages; they are also tried twice as deep")
    options = parser.parse_args(argv)
    attacks: dict[str, Callable[[], Outcome]] = {
        "random trees": lambda: try_random(options.cases, options.seed),
        "pumped": lambda: try_pumped(options.depth),
        "pumped, calls": lambda: try_calls(min(options.cases, 400), options.seed, options.depth),
    }
    print(f"{'attack':<15}{'cases':>8}{'refused':>9}{'violations':>12}{'seconds':>9}  worst")
    broken = False
    for name, attack in attacks.items():
        started = time.perf_counter()
        found = attack()
        worst = ", ".join(f"{counter} {value:.1f}" for counter, value in sorted(found.worst.items()))
        seconds = time.perf_counter() - started
        print(f"{name:<15}{found.cases:>8}{found.refused:>9}{len(found.violations):>12}{seconds:>9.0f}  {worst}")
        for violation in found.violations[:20]:
            print(f"  {violation}")
        broken = broken or bool(found.violations)
    return int(broken)
