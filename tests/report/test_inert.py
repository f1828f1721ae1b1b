"""Whatever a log holds, no output acts upon it: no terminal sequence, markup, mention, link, picture, formula."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from logsift.report import inert

NASTY = [
    "\x1b]8;;http://evil\x07click\x1b]8;;\x07", "\x1b[31mred\x1b[0m", "\x9b31m", "a\rb", "a\x08b", "\u202eabc", "a\u200bb", "\ud800",
    "@torvalds fixes #1", "closes GH-12", "![x](http://evil/x.png)", "[a](javascript:alert(1))", "<img src=x onerror=alert(1)>",
    "</code><script>alert(1)</script>", "```\n# heading\n```", "`` ` ``", "| a | b |", "*bold* _it_ ~~no~~ $x$", "http://evil www.evil.com a@b.com",
    "owner/repo#7", "deadbeef1234", ":tada:", "1. item", "- item", "::error::x", "<!channel>", "=1+1", "+cmd|' /C calc'!A0", "-1", "@SUM(A1)", "\t=1", "&lt;b&gt;", "{{ 7*7 }}",
]  # fmt: skip
LINES = st.one_of(
    st.sampled_from(NASTY),
    st.text(),
    st.lists(st.one_of(st.sampled_from(NASTY), st.text("`|@#[]()!<>*_~$&\\:/=+-1a \x1b\x9b\n"))).map(" ".join),
)
ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


@pytest.mark.parametrize("text", NASTY)
def test_what_is_shown_of_a_line_says_the_same(text: str) -> None:
    letters = re.compile(r"[a-z]+")
    assert letters.findall(inert.line(text).replace("\\u", "").lower())[:1] == letters.findall(text.lower())[
        :1
    ] or ACTS.search(text)


@given(LINES)
def test_no_terminal_acts_upon_a_line(text: str) -> None:
    assert not ACTS.search(inert.line(text))
    assert "\n" not in inert.line(text)
    assert not ACTS.search(inert.lines(text))


def outside_of_code(markdown: str) -> str:
    """What is left of one paragraph of Markdown without its spans of code."""
    out, at = [], 0
    while tick := re.compile(r"`+").search(markdown, at):
        out.append(markdown[at : tick.start()])
        close = re.compile(rf"(?<!`){tick[0]}(?!`)").search(markdown, tick.end())
        assert close, f"a span of code is left open: {markdown!r}"
        at = close.end()
    return "".join([*out, markdown[at:]])


@given(LINES)
@example("@torvalds fixes #1 ![x](http://evil)")
@example("a`b``c```d")
@example(":tada: GH-1 deadbeef1 _x_ 1. a")
def test_markdown_outside_of_code_has_no_markup_link_mention_or_reference(text: str) -> None:
    shown = inert.markdown(text)
    assert "\n" not in shown
    assert not ACTS.search(shown)
    left = outside_of_code(shown)
    assert not re.search(r"[@#<>\[\]!*~$&\\|`]|://|www\.|:\w+:|\bGH-[0-9]|__", left, re.IGNORECASE)
    assert not re.match(r"\s*([-+=]+|[0-9]+[.)])(\s|$)", shown)


@given(LINES)
def test_a_span_of_code_holds_the_whole_text(text: str) -> None:
    shown = inert.code(text)
    assert outside_of_code(shown) == ""
    ticks = re.match("`*", shown)
    assert ticks
    inner = shown[len(ticks[0]) : len(shown) - len(ticks[0])].strip()
    assert inner == " ".join(inert.line(text).split())


@given(LINES)
def test_no_line_ends_a_block_of_code(text: str) -> None:
    first, *inner, last = inert.fence(text).splitlines()
    ticks = first.removesuffix("text")
    assert last == ticks
    assert not any(re.match(rf"\s*{ticks}", part) for part in inner)


@given(LINES)
def test_no_cell_of_a_spreadsheet_is_a_formula(text: str) -> None:
    out = io.StringIO()
    csv.writer(out).writerow([inert.spreadsheet(text), inert.spreadsheet(-1)])
    (cells,) = csv.reader(io.StringIO(out.getvalue()))
    assert not cells[0].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert cells[1] == "-1"
    assert not ACTS.search(cells[0])


@given(LINES)
def test_json_says_the_same_and_acts_upon_no_terminal(text: str) -> None:
    shown = inert.to_json({"text": text})
    assert not ACTS.search(shown)
    assert json.loads(shown) == {"text": text}


@given(LINES)
@example("::error::x%0A::add-mask::y")
def test_an_annotation_stays_on_its_line_and_in_its_property(text: str) -> None:
    said = inert.annotation(text)
    assert not re.search(r"[\r\n]|%(?!25|0A)", said)
    assert said.replace("%0A", "\n").replace("%25", "%") == inert.lines(text)
    assert not set(inert.annotation_property(text)) & set(":,\n")


@given(LINES)
@example("<!channel> <https://evil.example|here> &amp;")
def test_no_text_is_a_link_or_a_mention_in_slack(text: str) -> None:
    said = inert.slack(text)
    assert not re.search(r"[<>]|&(?!amp;|lt;|gt;)", said)
    assert not ACTS.search(said)
