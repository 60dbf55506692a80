"""Any .tex is read without losing a byte, and what it says is found where it stands."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import at_once
from hypothesis import given
from hypothesis import strategies as st
from source import CASES, SOURCES, TEXTS, told

from tikzgen.base.record import Record, list_record_fields
from tikzgen.texfile import TextSpan, scan
from tikzgen.texfile.scan_source import Facts
from tikzgen.texfile.source_text import decode, encode
from tikzgen.texfile.tokens import tokenize


def whole(text: str) -> str:
    """The tokens put together again, each one beginning where the one before it ends."""
    tokens, _ = tokenize(text)
    at = 0
    for token in tokens:
        assert token.start == at < token.end
        at = token.end
    return "".join(text[token.start : token.end] for token in tokens)


@pytest.mark.slow
@at_once
@pytest.mark.parametrize("path", SOURCES)
def test_a_source_is_the_sum_of_its_tokens(path: Path) -> None:
    data = path.read_bytes()
    text = decode(data)
    assert whole(text) == text
    assert encode(whole(text)) == data


@given(TEXTS)
def test_tokens_leave_nothing_out(text: str) -> None:
    assert whole(text) == text


@given(st.binary(max_size=200))
def test_any_bytes_are_kept(data: bytes) -> None:
    assert encode(whole(decode(data))) == data


@given(TEXTS)
def test_any_text_has_facts_that_lie_inside_it(text: str) -> None:
    facts = scan(text)
    assert len(facts.code.mask) == len(text)
    assert all(0 <= error.at <= len(text) for error in facts.errors)
    for span in spans(facts):
        assert 0 <= span.start <= span.end <= len(text)
    told(facts)


def spans(part: Any) -> list[TextSpan]:
    """Every span in facts, however deep."""
    if isinstance(part, TextSpan):
        return [part]
    if isinstance(part, tuple):
        return [span for each in part for span in spans(each)]
    if isinstance(part, Facts):
        facts = [getattr(part, field.name) for field in dataclasses.fields(part) if field.name != "code"]
        return [span for fact in facts for span in spans(fact)]
    names = list_record_fields(type(part)) if isinstance(part, Record) else ()
    return [span for name in names for span in spans(getattr(part, name))]


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_facts_are_as_reviewed(case: Path, golden: Callable[[Path, str, str], None]) -> None:
    facts = {kind: found for kind, found in told(scan(decode(case.read_bytes()))).items() if found}
    text = json.dumps(facts, ensure_ascii=True, indent=1) + "\n"
    assert "ghost" not in text.replace("\\\\node (ghost)", "")
    golden(case.parent.with_suffix(".txt"), text, case.stem)


@at_once
@pytest.mark.parametrize("path", SOURCES)
def test_spans_hold_what_the_facts_say(path: Path) -> None:
    text = decode(path.read_bytes())
    facts = scan(text)
    for definition in facts.definitions:
        assert definition.name_span.extract_from(text) == definition.name
        assert definition.value_span.extract_from(text) == definition.value
    for node in facts.nodes:
        assert node.name_span is None or node.name_span.extract_from(text) == node.name
        assert node.text_span is None or node.text_span.extract_from(text) == node.text
    for reference in facts.references:
        assert reference.span.extract_from(text) == reference.name
    for style in facts.styles:
        assert style.name_span.extract_from(text) == style.name
    for statement in facts.statements:
        assert statement.span.extract_from(text).startswith(f"\\{statement.command}")
    for use in facts.color_uses:
        assert use.span.extract_from(text) == use.name


@pytest.mark.parametrize(
    "deep",
    [
        r"\begin{tikzpicture}" + "{" * 3000 + "}" * 3000 + r"\end{tikzpicture}",
        r"\begin{tikzpicture}\draw " + "(" * 500 + ")" * 500 + r";\end{tikzpicture}",
        r"\begin{tikzpicture}" + r"\foreach \x in {1}{" * 500 + "}" * 500 + r"\end{tikzpicture}",
        r"\begin{tikzpicture}\draw (0,0) " + r"foreach \x in {1}{" * 500 + "}" * 500 + r";\end{tikzpicture}",
        r"\tikzset{" + "a/.style={" * 500 + "}" * 500 + "}",
        r"\begin{scope}" * 500,
        "$(" * 500,
    ],
    ids=lambda text: text[-30:],
)
def test_depth_is_no_error(deep: str) -> None:
    assert scan(deep).text == deep
