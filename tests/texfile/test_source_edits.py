"""Edits of spans: all of them or none, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tikzgen.base.errors import EditRefused, FileRefused
from tikzgen.base.write_files import write_files
from tikzgen.texfile import TextSpan
from tikzgen.texfile.source_text import Replacement, apply, compute_digest

CUTS = st.tuples(
    st.text(max_size=40), st.lists(st.integers(0, 40), max_size=8), st.lists(st.text(max_size=5), max_size=4)
)


@given(CUTS)
def test_what_lies_between_the_edits_stays(drawn: tuple[str, list[int], list[str]]) -> None:
    text, cuts, news = drawn
    places = sorted(min(cut, len(text)) for cut in cuts)
    pairs = list(zip(places[::2], places[1::2], strict=False))
    edits = [Replacement.make_for_span(text, TextSpan(*pair), new) for pair, new in zip(pairs, news, strict=False)]
    pieces, at = [], 0
    for edit in edits:
        pieces += text[at : edit.span.start], edit.new
        at = edit.span.end
    assert apply(text, reversed(edits) if len(set(places)) == len(places) else edits).text == "".join(
        [*pieces, text[at:]]
    )


@given(st.text(max_size=40))
def test_no_edit_changes_nothing(text: str) -> None:
    done = apply(text, [Replacement(TextSpan(0, len(text)), text, text)])
    assert done.text == text
    assert done.replacements == ()


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        (
            [Replacement(TextSpan(0, 3), "abc", "x"), Replacement(TextSpan(2, 4), "cd", "y")],
            "line 1, column 3: two edits overlap here",
        ),
        ([Replacement(TextSpan(0, 2), "ax", "y")], 'line 1, column 1: "ax" was expected here (read the file again)'),
        ([Replacement(TextSpan(4, 9), "ef", "y")], "an edit at offset 4 to 9 is outside the source"),
        ([Replacement(TextSpan(3, 2), "", "y")], "an edit at offset 3 to 2 is outside the source"),
    ],
    ids=["overlap", "something else stands there", "outside", "backwards"],
)
def test_edits_that_do_not_fit_are_refused(edits: list[Replacement], message: str) -> None:
    with pytest.raises(EditRefused) as refused:
        apply("abcdef", edits)
    assert str(refused.value) == message


def test_insertions_at_one_place_keep_their_order() -> None:
    edits = [
        Replacement(TextSpan(1, 1), "", "1"),
        Replacement(TextSpan(1, 1), "", "2"),
        Replacement(TextSpan(1, 2), "b", "3"),
    ]
    assert apply("abc", edits).text == "a123c"


def test_a_file_is_replaced_where_it_is_what_was_read(tmp_path: Path) -> None:
    place, link = tmp_path / "place.tex", tmp_path / "link.tex"
    place.write_bytes(b"old")
    place.chmod(0o640)
    link.symlink_to(place)
    assert write_files({link: b"new"}, expect={link: compute_digest(b"old")})
    assert not write_files({link: b"new"}, expect={link: compute_digest(b"new")})
    assert link.is_symlink()
    assert place.read_bytes() == b"new"
    assert place.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.tex", "place.tex"]


@pytest.mark.parametrize("current", [b"newer", None], ids=["changed", "gone"])
def test_a_file_that_is_not_what_was_read_is_left_alone(tmp_path: Path, current: bytes | None) -> None:
    place = tmp_path / "fig.tex"
    if current is not None:
        place.write_bytes(current)
    with pytest.raises(FileRefused):
        write_files({place: b"new"}, expect={place: compute_digest(b"old")})
    assert [path.read_bytes() for path in tmp_path.iterdir()] == ([] if current is None else [current])
