"""Words that tikzgen adds to a legend are in the language of the figure, if it has a table."""

from __future__ import annotations

from typing import get_args

import pytest

from tikzgen import loads
from tikzgen.layout import layout
from tikzgen.layout.scene import legend_entries
from tikzgen.model.looks.icons import icons_of_figure
from tikzgen.model.looks.phase_and_flow_looks import BUILT_IN_PHASES, FLOW_KINDS
from tikzgen.model.looks.words import WORDS, translate_word
from tikzgen.model.topology.entities import State

TIMELINE = """
panels:
- content:
    type: timeline
    lanes: [{id: a}]
    spans: [{lane: a, start: 0, duration: 2, phase: forward}, {lane: a, start: 4, duration: 1, phase: step}]
    bubbles: [{lane: a, start: 2, end: 4}]
"""


def legend_of(spec: str) -> list[str]:
    scene = layout(figure := loads(spec), icons_of_figure(figure))
    return [one.value for one in scene.parameters if one.meaning.startswith("legend entry")]


@pytest.mark.parametrize("language", WORDS)
def test_a_table_has_each_word_and_no_other(language: str) -> None:
    words = {phase.label for phase in BUILT_IN_PHASES.values()} | {*FLOW_KINDS} | {*get_args(State)} - {"normal"}
    phrases = {"time", "at the same time", "invalid", legend_entries._BANDS}
    assert {*WORDS[language]} == words | phrases
    assert all("{n}" in text for word, text in WORDS[language].items() if "{n}" in word)


@pytest.mark.parametrize(
    ("language", "shown"),
    [("zh", ["前向", "步", "空闲"]), ("zh-Hans-CN", ["前向", "步", "空闲"]), ("zh-Hant", ["forward", "step", "idle"])],
)
def test_a_legend_is_in_the_language_of_the_figure(language: str, shown: list[str]) -> None:
    assert legend_of(f"language: {language}\n{TIMELINE}") == shown
    assert legend_of(TIMELINE) == ["forward", "step", "idle"]


def test_the_words_of_a_recipe_are_in_the_language_of_the_figure() -> None:
    assert legend_of("language: zh\nrecipe: gradient-accumulation\n") == ["前向/反向", "更新", "空闲"]
    tex = loads(f"language: zh\n{TIMELINE.replace('bubbles', 'axis: {}' + chr(10) + '    bubbles')}").tex()
    assert "\\def\\timelabel{时间}" in tex


def test_a_stated_label_stays() -> None:
    figure = loads("language: zh\nphases: {forward: {label: fwd}, step: {color: otblue}}\n" + TIMELINE)
    assert (figure.phase("forward").label, figure.phase("step").label) == ("fwd", "步")


def test_a_language_without_a_table_keeps_english_words() -> None:
    assert [translate_word("idle", tag) for tag in (None, "fr", "zh-TW")] == ["idle"] * 3
