"""What is proposed for a name that does not exist."""

from __future__ import annotations

import pytest
from conftest import at_once

from tikzgen.base.suggest import did_you_mean, suggest_known_names

PAIR = ["abacus", "abacaxi"]
MEANT = [
    ("lable", ["label", "kind"], 'did you mean "label"?'),
    ("LABEL", ["label", "kind"], 'did you mean "label"?'),
    ("label", ["Label", "kind"], 'did you mean "Label"?'),
    ("size", ["label", "kind"], ""),
    (7, ["label"], ""),
    ("aba", PAIR, 'did you mean "abacus" or "abacaxi"?'),
    ("ab", PAIR, ""),  # two letters begin too many names
    ("abac", [*PAIR, "abaca"], 'did you mean "abaca"?'),
    ("abacus", [*PAIR, "abacuses"], 'did you mean "abacus"?'),
    ("a" * 200, ["a" * 201], f'did you mean "{"a" * 201}"?'),
    ("a" * 201, ["a" * 201], ""),
    ("label", [], ""),
    ("steps", ["style"], ""),
    ("abcdxy", ["abcdzwv"], ""),  # a short name: 0.62 is not similar
    ("abcdxyz", ["abcdwv"], 'did you mean "abcdwv"?'),
]
LISTED = [
    ("x", ["gpu", "server"], "the icons are gpu, server"),
    ("x", list("abcdef"), "the icons are a, b, c, d, e, f"),
    ("x", list("abcdefg"), "the icons are a, b, c, d, e, f, …"),
    ("gpuu", ["gpu", "server"], 'did you mean "gpu"?'),
    ("x", [], "none exist"),
]


@at_once
@pytest.mark.parametrize(("given", "known", "text"), MEANT)
def test_the_nearest_name(given: object, known: list[str], text: str) -> None:
    assert did_you_mean(given, known) == text


@at_once
@pytest.mark.parametrize(("given", "known", "text"), LISTED)
def test_names_are_listed_where_none_is_near(given: str, known: list[str], text: str) -> None:
    assert suggest_known_names(given, known, "the icons are") == text
