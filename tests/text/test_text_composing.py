"""Texts made of texts: the kind is kept, and what comes out can be set like what went in."""

from __future__ import annotations

import pytest
import strategies
from hypothesis import given

from tikzgen.text import LabelFont, Tex, fill_number, measure, stack_texts, typeset_label
from tikzgen.text.escape_characters import ASCII, load_character_table


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        ([], ""),
        (["", Tex(r"\textbf{a}")], Tex(r"\textbf{a}")),
        (["a", "b"], "a\nb"),
        (["50%", Tex("b")], Tex(r"50\%\\b")),
        ([Tex("a"), Tex("[b]"), "*"], Tex(r"a\\{}[b]\\{}*")),
        (["© 2", Tex("b")], Tex(r"© 2\\b")),
    ],
)
def test_texts_are_stacked(texts: list[Tex | str], wanted: Tex | str) -> None:
    found = stack_texts(*texts)
    assert found == wanted
    assert type(found) is type(wanted)


@pytest.mark.parametrize("text", ["GPU {n}", Tex(r"\textbf{GPU {n}}"), Tex("x")])
def test_a_number_keeps_the_kind(text: Tex | str) -> None:
    assert type(fill_number(text, 12)) is type(text)
    assert "{n}" not in fill_number(text, 12)


def test_every_character_can_stand_below_raw_tex() -> None:
    for char in (*ASCII, *load_character_table()[0]):
        plain = r"\$" if char == "$" else char
        assert typeset_label(stack_texts(Tex("x"), f"a{plain}b")).source.startswith(r"x\\")


@given(strategies.labels, strategies.labels)
def test_what_is_stacked_can_be_set_and_measured(one: Tex | str, other: Tex | str) -> None:
    found = stack_texts(one, other)
    assert typeset_label(found).source or not found.strip()
    assert measure(found, LabelFont()).width >= 0
