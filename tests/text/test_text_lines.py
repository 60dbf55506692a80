"""Where lines of texts end: what is never broken, and what TeX would break but we do not draw."""

from __future__ import annotations

import pytest

from tikzgen import loads
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.text import LabelFont
from tikzgen.text.set_like_tex import TextUnset
from tikzgen.text.set_paragraphs import set_paragraph, split_unbreakable


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        ("two words", ["two", " words"]),
        ("a $x + y$ b", ["a", " $x + y$", " b"]),
        ("工作节点0", ["工", "作", "节", "点0"]),
        ("（主）节点，在 GPU 上", ["（主）", "节", "点，", "在", " GPU", " 上"]),
        ("节$\\theta$点", ["节$\\theta$点"]),
    ],
)
def test_lines_end_at_spaces_and_between_chinese_characters(line: str, pieces: list[str]) -> None:
    assert "".join(gap + piece for gap, piece in split_unbreakable(line))[1:] == line
    assert [(gap + piece) for gap, piece in split_unbreakable(line)] == [" " + pieces[0], *pieces[1:]]


def test_a_formula_in_a_line_much_longer_than_it_is_set_where_tex_cannot_break_it() -> None:
    wide = 100.0
    assert len(set_paragraph(r"$\frac{a+b}{c}$", LabelFont(), 9.5, wide, False)) == 1
    with pytest.raises(TextUnset):
        set_paragraph("$a+b$", LabelFont(), 9.5, wide, False)


def test_a_word_as_long_as_its_line_has_room() -> None:
    """The widths in a file are rounded."""
    name = "Gradient accumulation worker {n} with a long name"
    text = loads(f"recipe: all-reduce\nranks: 3\nwidth: 8.4\nlabels:\n  rank: '{name}'\n").tex()
    assert "text width=" in text
    assert draw(text).nodes
