"""Small descriptions that once took all the time: each is drawn, or refused with its reason, before the work begins."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path

import pytest

import tikzgen
from tikzgen.base.errors import SpecError, TikzgenError
from tikzgen.spec.document import MAX_DEPTH_LEVELS
from tikzgen.spec.parse_text import parse
from tikzgen.spec.yaml import _parse_in_python
from tikzgen.trace.event_classes import class_rules
from tikzgen.trace.linear_patterns import compile_pattern

TWO = "panels:\n- content:\n    type: topology\n    nodes: [{kind: node, id: a}, {kind: node, id: b}]\n    flows:\n"
FLOW = "    - {source: a, target: b}\n"
REFUSED = {
    "flows between two entities": (
        TWO + 2500 * FLOW,
        '70:7: panels[0].content.flows[64]: more than 64 flows between "a" and "b" (draw one',
    ),
    "overrides": (
        f"recipe: data-parallel\noverrides: [{', '.join(['{do: add-worker}'] * 1500)}]\n",
        "2:12: overrides: may have at most 200 entries, not 1500",
    ),
    "cells": (
        "recipe: pipeline\ndevices: 64\nmicrobatches: 1500\n",
        "3:15: microbatches: 192000 operations are more than the 65536 that can be drawn",
    ),
    "halves of backwards": (
        "recipe: pipeline\nschedule: zb-v\ndevices: 32\nmicrobatches: 512\n",
        "4:15: microbatches: 98304 operations are more than the 65536 that can be drawn",
    ),
    "brackets": ("panels: " + 30000 * "[", f"1:72: nested more than {MAX_DEPTH_LEVELS} levels deep"),
    "brackets alone": (30000 * "[", f"1:65: nested more than {MAX_DEPTH_LEVELS} levels deep"),
    "braces": (
        "recipe: data-parallel\nx: " + 30000 * "{a: ",
        f"2:256: nested more than {MAX_DEPTH_LEVELS} levels deep",
    ),
    "brackets after brackets in quotes": (
        f'recipe: data-parallel\ntitle: "{100 * "["}"\nx: {30000 * "["}',
        f"3:67: nested more than {MAX_DEPTH_LEVELS} levels deep",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_take_all_the_time_is_refused_at_its_place(name: str) -> None:
    text, says = REFUSED[name]
    with pytest.raises(SpecError) as refused:
        tikzgen.loads(text, name="a.yaml").tex()
    assert str(refused.value).startswith(f"a.yaml:{says}"), str(refused.value)[:200]


def test_brackets_in_quotes_and_comments_are_no_levels() -> None:
    found = parse(f"title: \"{100 * '['}\"\nid: '{200 * '{'}'  # {300 * '['}\n")
    assert (len(found.data["title"]), len(found.data["id"])) == (100, 200)


def test_a_parser_reads_no_further_than_is_asked_for() -> None:
    """So that the depth of a text is told from its beginning."""
    assert len(list(islice(_parse_in_python("[[[[]]]]\n"), 3))) == 3


@pytest.mark.parametrize("pattern", ["(a|a)+$", "(a+)+$", "(a*)*$", "(?:a?){40}a{40}$", "a.*a.*a.*a.*a.*c"])
def test_patterns_that_backtrack_are_matched_in_linear_time(pattern: str, tmp_path: Path) -> None:
    names = [f"{'a' * 60}{number}b" for number in range(200)]
    events = [
        {"ph": "X", "name": name, "cat": "kernel", "ts": 10 * place, "dur": 5, "pid": 0, "tid": 1}
        for place, name in enumerate(names)
    ]
    (tmp_path / "t.json").write_text(json.dumps({"traceEvents": events}))
    spec = tmp_path / "a.yaml"
    spec.write_text(f"recipe: trace\nsource: t.json\nclasses: {{mine: '{pattern}'}}\n")
    assert tikzgen.load(spec).panels[0].content[0].spans


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(", 'classes: mine: "(" is not a regular expression: missing ): ( (as in flash|fmha)'),
        ("(?=a)", "is not a regular expression: invalid perl operator: (?= (without (?=…), (?!…) and back references)"),
        (r"(a)\1", r"is not a regular expression: invalid escape sequence: \1 (without (?=…)"),
    ],
)
def test_what_is_no_pattern_is_refused(pattern: str, says: str) -> None:
    with pytest.raises(TikzgenError) as refused:
        class_rules({"mine": [pattern]})
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("pattern", "finds"),
    [
        ("flash|fmha", "x_FMHA_v2"),
        ("^nccl.*Kernel$", "ncclDevKernel"),
        (r"(?P<phase>[FB])(?P<microbatch>\d+)", "F12"),
        (r"a\*\+b*", "a*+"),
        ("[a-z_]+(?:fwd|bwd)", "attn_bwd"),
    ],
)
def test_patterns_with_few_repetitions_need_no_re2(pattern: str, finds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    found = compile_pattern(pattern, "classes", ignore_case=True)
    assert found.search(finds)
    assert not found.search("gemm")


@pytest.mark.parametrize(
    "pattern", ["(a|a)+$", "(a?b)*", "(?:a?){40}", "a.*a.*a.*", "(?=a)", r"(a)\1", "[[:alpha:]]", "a++", "(", "x)"]
)
def test_other_patterns_are_refused_without_re2(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(TikzgenError, match=r"needs google-re2 .pip install|is not a regular expression"):
        compile_pattern(pattern, "classes")


def test_patterns_look_for_any_case() -> None:
    (rule,) = class_rules({"mine": ["flash|fmha"]}).given
    assert rule[1].search("x_FMHA_v2")
    assert not rule[1].search("gemm")
