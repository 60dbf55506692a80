"""Text becomes TeX that always compiles, or is refused with its place."""

from __future__ import annotations

import re
from typing import Any

import pytest
from conftest import ROOT, at_once
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from tikzgen import recipes, render
from tikzgen.base.errors import TikzgenError
from tikzgen.text import Tex, TextRefused, find_tex_command, typeset_label

CASES = ROOT / "tests" / "cases" / "text"


def cases(name: str) -> list[dict[str, Any]]:
    return list(YAML(typ="safe").load((CASES / f"{name}.yaml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("case", cases("accepted"), ids=lambda case: ascii(case["text"]))
def test_text_becomes_tex(case: dict[str, Any]) -> None:
    result = typeset_label(case["text"])
    assert result.source == case["tex"]
    assert list(result.packages) == case.get("packages", [])
    assert result.cjk is case.get("cjk", False)


@at_once
@pytest.mark.parametrize("case", cases("refused"))
def test_text_is_refused_with_its_place(case: dict[str, Any]) -> None:
    with pytest.raises(TextRefused) as refused:
        typeset_label(case["text"])
    assert case["says"] in str(refused.value)
    assert refused.value.position == case["at"] - 1
    assert f"at character {case['at']}" in str(refused.value)


@pytest.mark.parametrize("case", cases("raw_accepted"), ids=lambda case: ascii(case["tex"]))
def test_raw_tex_passes(case: dict[str, Any]) -> None:
    result = typeset_label(Tex(case["tex"]))
    assert result.source == case.get("source", case["tex"])
    assert list(result.packages) == case.get("packages", [])
    assert result.cjk is case.get("cjk", False)


@at_once
@pytest.mark.parametrize("case", cases("raw_refused"))
def test_raw_tex_is_refused_with_its_place(case: dict[str, Any]) -> None:
    with pytest.raises(TextRefused) as refused:
        typeset_label(Tex(case["tex"]))
    assert case["says"] in str(refused.value)
    assert refused.value.position == case["at"] - 1


def test_a_surrogate_is_refused() -> None:
    with pytest.raises(TextRefused, match="U\\+D800 at character 3 cannot be set: it is half of a surrogate pair"):
        typeset_label("ab\ud800")


def test_endless_text_is_refused() -> None:
    with pytest.raises(TextRefused, match="a label of 2001 characters; at most 2000 are possible"):
        typeset_label("x" * 2001)


def test_deep_maths_is_refused() -> None:
    with pytest.raises(TextRefused, match="nested too deeply"):
        typeset_label("$" + "{" * 500 + "}" * 500 + "$")


def test_equal_strings_of_two_kinds_stay_apart() -> None:
    assert typeset_label("a_{1}") != typeset_label(Tex("{a}"))
    assert typeset_label("a\\b").source == r"a\textbackslash{}b"
    assert typeset_label(Tex(r"a\b")).source == r"a\b"


def test_the_refusal_is_an_error_of_tikzgen_and_a_value_error() -> None:
    assert issubclass(TextRefused, TikzgenError)
    assert issubclass(TextRefused, ValueError)


@given(st.text(max_size=60) | st.text(alphabet="\\$&#_{}%~^\"'`-<>|[]*!? \n aé中²α–", max_size=30))
def test_any_text_is_typeset_or_refused_in_one_line(text: str) -> None:
    try:
        result = typeset_label(text)
    except TextRefused as refused:
        assert refused.position is None or 0 <= refused.position < len(text)
        assert str(refused).isprintable()
        assert "(" in str(refused)  # a way out
    else:
        check_safe(result.source)
        assert result.cjk is not result.source.isascii()


@given(st.text(max_size=40) | st.text(alphabet="\\{}$%#&^_ abé\n()[]", max_size=30))
def test_any_raw_tex_passes_balanced_or_is_refused(text: str) -> None:
    try:
        source = typeset_label(Tex(text)).source
    except TextRefused as refused:
        assert refused.position is None or 0 <= refused.position < len(text)
        assert str(refused).isprintable()
    else:
        assert balanced(source)
        assert "%" not in unescaped(source)
        assert "#" not in unescaped(source)


def check_safe(source: str) -> None:
    """No special character reaches TeX by accident: outside math none, inside maths none but its own."""
    assert source.isprintable()
    assert balanced(source)
    plain = unescaped(source)
    assert not set(plain) & set("%#&")
    outside = re.sub(r"\$[^$]*\$", "", without_ensured(plain))
    assert "$" not in outside
    assert not set(outside) & set("^_")
    assert not re.search(r"\\\\[\[*]", source)


def unescaped(source: str) -> str:
    """The source without control symbols such as `\\%`."""
    return re.sub(r"\\[^A-Za-z]", "", source)


def without_ensured(source: str) -> str:
    while r"\ensuremath{" in source:
        start = source.index(r"\ensuremath{")
        at, depth = start + len(r"\ensuremath{"), 1
        while depth:
            depth += {"{": 1, "}": -1}.get(source[at], 0)
            at += 1
        source = source[:start] + source[at:]
    return source


def balanced(source: str) -> bool:
    depth = 0
    for char in unescaped(source):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize(
    ("label", "command"),
    (
        (r"\textbf{Actor}", r"\textbf"),
        (r"one \\ two", r"\\"),
        (r"loss $\frac{1}{2}$", ""),
        (r"C:\data", ""),
        (r"$x$ \emph{y}", r"\emph"),
        (Tex(r"\textbf{Actor}"), ""),
    ),
)
def test_a_tex_command_in_a_plain_label_is_found(label: str, command: str) -> None:
    assert find_tex_command(label) == command


def test_a_figure_notes_a_tex_command_in_a_plain_label() -> None:
    figure = recipes.data_parallel(workers=2, title=r"\textbf{Training}")
    note = r"""the label "\textbf{Training}" shows \textbf as characters: for TeX, use !tex '\textbf{Training}'"""
    assert note in render(figure).notes
