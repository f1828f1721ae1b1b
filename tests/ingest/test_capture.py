"""Groups captured in a hurry are those that the regex captures."""

from __future__ import annotations

import polars as pl
import pytest

from logsift import Catalog
from logsift.ingest.capture import capture, contains_any

TEXTS = ["", "a=1", "a=12, rest of it", "b a=3,", "a=4 x", "x, a=5, a=6, end", "a=7, ", "ä=1 a=8, ö", "b=9, said"]


def plainly(texts: pl.Series, regex: str) -> list[dict[str, str | None]]:
    groups = texts.str.extract_groups(f"(?P<all_of_it>{regex})").struct.unnest()
    return groups.filter(pl.col("all_of_it").is_not_null()).drop("all_of_it").to_dicts()


@pytest.mark.parametrize(
    "regex",
    [
        "(?P<key>a)=(?P<n>[0-9]+)(?P<rest>.*)$",
        "^(?P<key>a)=(?P<n>[0-9]+), (?P<rest>.*)$",
        "(?P<key>a)=(?P<n>[0-9]+)(?:, ?(?P<rest>.*))?$",
        "^(?:(?P<before>.*?), )?(?P<key>a)=(?P<n>[0-9]+)(?:, (?P<rest>.*))?$",
        "(?P<key>a)=(?P<n>[0-9])|b=(?P<rest>.*)$",
        "(?:(?P<key>a)|(?P<other>[b|]))=(?P<rest>.*)$",
        "(?i)A=(?P<n>[0-9]+)(?P<rest>.*)$",
        "(?P<rest>.*)$",
        "^(?P<key>a)=(?P<n>[0-9]+),? (?P<rest>[^ ].*)$",
        r"(?P<key>a)=(?P<rest>[^\]3].*)$",
        "(?P<key>a)=[0-9](?:, (?P<rest>[a-z].*))?$",
    ],
)
def test_the_rest_of_a_text_is_what_the_last_group_would_capture(regex: str) -> None:
    texts = pl.Series(TEXTS)
    fits, groups = capture(texts, regex)
    assert fits.to_list() == texts.str.contains(regex).to_list()
    assert groups.to_dicts() == plainly(texts, regex)


def test_every_pattern_captures_what_its_regex_captures(catalog: Catalog) -> None:
    for grammar in catalog.grammars:
        lines = pl.Series([s.line for p in grammar.patterns for s in p.samples] + TEXTS)
        for pattern in grammar.patterns:
            if "(?P<" in pattern.regex:
                assert capture(lines, pattern.regex)[1].to_dicts() == plainly(lines, pattern.regex), pattern.regex


def test_literals_are_no_regexes() -> None:
    texts = pl.Series(["a.b", "axb", "tab\there", "(x)", "a b", "x|y", "#1", "-"])
    for text in texts:
        assert contains_any(texts, [text]).to_list() == [text == other for other in texts]
    assert contains_any(texts, ["(x", "x|"]).arg_true().to_list() == [3, 5]
