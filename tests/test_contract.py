"""What others build upon stays: a renamed rule, table, column, option or filter takes an edit here and a line in logsift/guide/news.md."""

from __future__ import annotations

from builders.contract import CONTRACT, names

from logsift import Catalog


def test_public_names_stay(catalog: Catalog) -> None:
    frozen = set(CONTRACT.read_text().splitlines())
    assert sorted(frozen - set(names(catalog))) == [], "gone or renamed: is it in logsift/guide/news.md?"


def test_new_public_names_are_frozen(catalog: Catalog) -> None:
    frozen = set(CONTRACT.read_text().splitlines())
    assert sorted(set(names(catalog)) - frozen) == [], "run python tests/builders/contract.py"
