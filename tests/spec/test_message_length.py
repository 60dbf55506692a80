"""What somebody handed in is repeated in a refusal as far as a line is read: at most 80 characters of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click import ClickException
from command import run
from conftest import example_tex, some
from hypothesis import given
from hypothesis import strategies as st

import tikzgen.edit
from tikzgen import loads
from tikzgen.base.errors import TikzgenError, quote, shorten_for_message
from tikzgen.base.suggest import suggest_known_names
from tikzgen.edit.operation_calls import from_words
from tikzgen.model.operations.operations_table import OPERATIONS
from tikzgen.schedule import check, plan
from tikzgen.schedule.exact_numbers import read_exact_number

LONG = "x" * 200_000
LONGEST = "x" * 5_000_000

# where a description may hold it: every line is refused
SPECS = {
    "the recipe": "recipe: {}",
    "a recipe's field": "recipe: data-parallel\n{}: 1",
    "a recipe's fact": "recipe: data-parallel\nworkers: {}",
    "a fact that is one of a few": "recipe: data-parallel\npalette: {}",
    "an icon": "recipe: data-parallel\nworker_icon: {}",
    "a width": "recipe: data-parallel\nwidth: {}",
    "a language": "recipe: data-parallel\nmeta: {{language: {}}}",
    "a text": "recipe: data-parallel\nlabels: {{server: {}}}",
    "raw TeX": "recipe: data-parallel\nlabels: {{server: !tex '\\{}'}}",
    "maths": "recipe: data-parallel\nlabels: {{server: '$\\{}$'}}",
    "braces in maths": "recipe: data-parallel\nlabels: {{server: '$\\frac{{{}$'}}",
    "a colour": "recipe: data-parallel\nphases: {{forward: {{color: {}}}}}",
    "a phase": "recipe: data-parallel\nphases: {{'{} y': {{colour: otblue}}}}",
    "a schedule": "recipe: pipeline\nschedule: {}",
    "an action": "recipe: pipeline\noperations: [[{}]]",
    "a duration": "recipe: pipeline\nforward: {}",
    "a number": "recipe: pipeline\nmicrobatches: {}",
    "a field of a panel": "panels: [{{{}: 1}}]",
    "the kind of a panel": "panels: [{{content: {{type: {}}}}}]",
    "an id": "panels: [{{content: {{type: topology, nodes: [{{kind: worker, id: '{}'}}]}}}}]",
    "an end": (
        "panels: [{{content: {{type: topology, nodes: [{{kind: worker, id: a}}],"
        " flows: [{{source: a, target: {}}}]}}}}]"
    ),
    "the kind of a flow": (
        "panels: [{{content: {{type: topology, nodes: [{{kind: worker, id: a}}, {{kind: worker, id: b}}],"
        " flows: [{{source: a, target: b, kind: {}}}]}}}}]"
    ),
    "a lane": (
        "panels: [{{content: {{type: timeline, lanes: [{{id: a}}],"
        " spans: [{{lane: {}, start: 0, duration: 1, phase: forward}}]}}}}]"
    ),
    "a time": "panels: [{{content: {{type: timeline, lanes: [{{id: a}}], spans: [{{lane: a, start: '{}'}}]}}}}]",
    "a tag": "recipe: !{} data-parallel",
    "an anchor": "recipe: *{}",
    "a key that is used twice": "recipe: data-parallel\n{0}: 1\n{0}: 2",
    "a text that is not ended": 'recipe: "{}',
    "what is no JSON": '{{"recipe": {}}}',
}
FIGURES = ("distributed-training", "gradient-accumulation", "cluster")


def assert_short(message: str) -> None:
    assert message
    assert "Traceback" not in message
    repeated = max(map(len, re.findall(r"x+", message)), default=0)
    assert repeated <= 80, message[:400]


@pytest.mark.parametrize("where", some(SPECS, 3))
def test_a_description(where: str) -> None:
    with pytest.raises(TikzgenError) as refused:
        loads(SPECS[where].format(LONG), name="a.json" if SPECS[where].startswith('{{"') else "a.yaml")
    assert_short(str(refused.value))


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation(operation: str, figure: str) -> None:
    fields = list(OPERATIONS[operation].list_arguments())
    editing = tikzgen.edit.open(example_tex(figure))
    for field in (*fields, LONG):
        outcome = editing.attempt(operation, {**dict.fromkeys(fields, "w1"), field: LONG})
        assert_short(str(outcome))


def _calls(*words: str) -> Callable[[], Any]:
    return lambda: list(from_words(words))


ELSEWHERE: dict[str, Callable[[], Any]] = {
    "the name of an operation": _calls(LONGEST),
    "a word of an operation": _calls("palette", "dark", LONGEST),
    "a number": lambda: read_exact_number(LONGEST),
    "the name of a schedule": lambda: check(plan("1f1b", 2, 2), schedule=LONGEST),
    "a field that is set": lambda: loads("recipe: data-parallel", settings=[f"labels.{LONGEST}=1"]),
    "a path that is set": lambda: loads("recipe: data-parallel", settings=[f"{LONG}[0]=1"]),
    "an entry that is set": lambda: loads("recipe: data-parallel", settings=[f"labels[0].{LONG}=1"]),
}


@pytest.mark.parametrize("where", ELSEWHERE)
def test_a_call(where: str) -> None:
    with pytest.raises((TikzgenError, ClickException)) as refused:
        ELSEWHERE[where]()
    assert_short(str(refused.value))


@pytest.mark.parametrize(
    "words",
    [
        [LONG],
        ["new", LONG],
        ["schema", LONG],
        ["recipes", LONG],
        ["render", "a.yaml", "--set", LONG],
        ["render", "a.yaml", "--width", LONG],
        ["render", "a.yaml", f"--{LONG}"],
        ["check", "a.yaml", "--schedule", LONG],
        ["check", "a.yaml", "--width", LONG],
        ["check", "a.yaml", "--format", LONG],
        ["build", "a.yaml", "--format", LONG],
        ["build", "a.yaml", "--dpi", LONG],
        ["build", "a.yaml", "--engine", LONG],
        ["icons", LONG],
        ["edit", "a.tex", LONG],
    ],
    ids=lambda words: " ".join(words).replace(LONG, "LONG"),
)
def test_a_verb(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text("recipe: data-parallel\n")
    loads("recipe: data-parallel\n").save("a.tex")
    done = run(*words)
    assert done.status
    assert_short(done.err)


@given(st.text(max_size=200))
def test_a_value_is_told_on_one_line(text: str) -> None:
    told = shorten_for_message(text)
    assert len(told) <= 80
    assert told.isprintable()
    assert told == text or not text.isprintable() or (len(text) > 80 and told.endswith("…"))
    assert quote(text) == f'"{told}"'


def test_a_name_that_is_too_long_to_be_misspelt_is_compared_with_none() -> None:
    assert suggest_known_names(LONGEST, ["gpu", "server"], "the icons are") == "the icons are gpu, server"


@pytest.mark.parametrize(("length", "told"), [(79, "x" * 79), (80, "x" * 80), (81, "x" * 79 + "…")])
def test_a_value_of_eighty_characters_is_whole(length: int, told: str) -> None:
    assert shorten_for_message("x" * length) == told
