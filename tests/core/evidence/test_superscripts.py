"""Superscripts and subscripts are no part of the number or word before them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.evidence.pages import CLOUD, evidences, shown, table


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("10<sup>6</sup> bytes", "10⁶ bytes"),
        ("10<sup>-3</sup>, 10<sup>–3</sup> and 10<sup>−3</sup> Ω", "10⁻³, 10⁻³ and 10⁻³ Ω"),
        ("<b>10</b><sup><b>6</b></sup>", "10⁶"),
        ("120 m<sup>2</sup> or 9 cm<sup> 3 </sup>high", "120 m² or 9 cm ³ high"),
        ("2<sup>n</sup>, 2<sup>n+1</sup>, 2<sup>k</sup>, 2<sup>k-1</sup>", "2ⁿ, 2ⁿ⁺¹, 2^k, 2^(k-1)"),
        ("10<sup>6.5</sup> and (a + b)<sup>x</sup>", "10^6.5 and (a + b)^x"),
        ("word<sup>1</sup>, word<sup>1,2</sup> word<sup>a</sup> word<sup>[3]</sup>", "word¹, word^1,2 word^a word[3]"),
        ('word<sup><a href="#fn1">1</a></sup>', "word¹"),
        ('in 2020<sup><a href="https://x.org/a">12</a></sup>.', "in 2020¹² (https://x.org/a)."),
        ("<sup>1</sup> Only in May.", "¹ Only in May."),
        ("1<sup>st</sup>, 2<sup>nd</sup>, 3<sup>e</sup>, 11<sup>th</sup>", "1st, 2nd, 3e, 11th"),
        ("Acme<sup>TM</sup>, Acme<sup>®</sup> and Acme<sup>*</sup>", "AcmeTM, Acme® and Acme*"),
        ("Acme<sup>see page 2</sup>", "Acme see page 2"),
        ("<sup>All prices of 2026 in euro.</sup>", "All prices of 2026 in euro."),
        ("1<sup>1</sup>/<sub>2</sub> hours", "1¹/₂ hours"),
        ("H<sub>2</sub>O, CO<sub>2</sub>, 101<sub>2</sub>", "H₂O, CO₂, 101₂"),
        ("x<sub>n</sub>, x<sub>q</sub>, U<sub>max</sub>, x<sub>n+1</sub>", "xₙ, xq, Umax, xn+1"),
        ("a<sup> </sup>b<sup></sup>c<sub><br/></sub>d", "a bc\nd"),
        ("10<sup>6<del>7</del></sup> <del>10<sup>3</sup></del>", "10⁶"),
    ],
)
def test_raised_and_lowered_text_reads_as_on_the_page(markup: str, text: str) -> None:
    assert shown(f"<p>{markup}</p>") == text
    assert shown(f"<ul><li>{markup}</li></ul>") == f"- {text}"


def test_cells_and_code_have_them_too_and_an_exponent_is_no_header() -> None:
    numbers = "".join(f"<tr><td>10<sup>{power}</sup></td><td>{power}0<sup>3</sup></td></tr>" for power in (3, 6))
    found = table(f"<table>{numbers}</table>")
    assert [[value for _, value in row.cells] for row in found.rows] == [["10³", "30³"], ["10⁶", "60³"]]
    assert shown("<pre>x<sup>2</sup></pre>") == "```\nx²\n```"


def test_the_anchor_of_a_heading_has_plain_characters() -> None:
    [found] = evidences("<h2>CO<sub>2</sub> per m<sup>2</sup></h2><p>x</p>")
    assert (found.context.heading_path, found.url) == (("CO₂ per m²",), f"{CLOUD}#CO2-per-m2")


@given(st.integers(0, 10**9), st.text(st.sampled_from("0123456789+-(n.x,"), min_size=1, max_size=5))
def test_a_number_stays_a_number_of_its_own(number: int, raised: str) -> None:
    found = shown(f"<p>{number}<sup>{raised}</sup></p>")
    assert re.match(r"[0-9]+", found)[0] == str(number)  # type: ignore[index]
