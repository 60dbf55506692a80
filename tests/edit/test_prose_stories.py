"""Stories of manual edits that follow the contract's prose, of operations and of changed specs, in any order.

The manual edits are those of `tests/cases/lift` with the operations that express them. The same operations on the spec
alone give the figure that the file must show after each step.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import NIGHTLY
from lift_cases import HAND_EDITS, edited, edited_by, lifted, operations, rendered
from pydantic import ValidationError

from tikzgen import loads
from tikzgen.base.errors import EditRefused
from tikzgen.edit.merge import MergeConflict
from tikzgen.edit.open_figure import Editing
from tikzgen.edit.own_figure import Said, draw_rows, read_own
from tikzgen.edit.run_operation import run_operation
from tikzgen.edit.session import merged_text
from tikzgen.emit.render_figure import make_description
from tikzgen.model.operations import read_operation
from tikzgen.spec.embedded_spec import split_file

pytestmark = pytest.mark.slow

STORIES = 5000 if NIGHTLY else 20
PARTS = 5

Call = tuple[str, dict[str, Any]]
CALLS: dict[str, list[Call]] = {
    "distributed-training": [
        ("add-worker", {}),
        ("remove-worker", {"worker": "w1"}),
        ("rename-node", {"node": "data", "label": "Corpus"}),
        ("set", {"parameter": "rowsep", "value": 3}),
        ("set", {"parameter": "gradlabel", "value": "$g$"}),
        ("recolor", {"what": "gradient", "color": "otorange"}),
        ("palette", {"palette": "dark"}),
        ("set-title", {"title": "Other"}),
        ("swap-icon", {"node": "ps", "icon": "database"}),
        ("remove-flow", {"source": "data", "target": "w2", "kind": "data"}),
    ],
    "timeline": [
        ("set", {"parameter": "timelabel", "value": "t"}),
        ("set", {"parameter": "timeunit", "value": 0.7}),
        ("add-lane", {"label": "Edge"}),
        ("rename-node", {"node": "gpu0", "label": "Host"}),
        ("recolor", {"what": "forward", "color": "otorange"}),
        ("palette", {"palette": "dark"}),
        ("add-span", {"lane": "gpu0", "start": 7, "duration": 1, "phase": "update"}),
    ],
    "pipeline": [
        ("palette", {"palette": "dark"}),
        ("rename-node", {"node": "gpu3", "label": "Last"}),
        ("recolor", {"what": "backward", "color": "otpurple"}),
        ("set-schedule", {"microbatches": 5}),
        ("set-title", {"title": "Schedule"}),
    ],
    "system": [
        ("rename-node", {"node": "corpus", "label": "Data"}),
        ("recolor", {"what": "gradient", "color": "otorange"}),
        ("add-flow", {"source": "ps", "target": "corpus", "kind": "control"}),
        ("set-node", {"node": "w1", "state": "slow"}),
        ("set-title", {"title": "System"}),
        ("rename-id", {"old": "ps", "new": "server"}),
    ],
    "parameter-server": [
        ("palette", {"palette": "dark"}),
        ("add-worker", {}),
        ("set-title", {"title": "Server"}),
        ("rename-node", {"node": "w2", "label": "Second"}),
    ],
}
SETTINGS = ["title=From the spec", "palette=dark", "width=16"]


def drawn(said: Said, like: Said | None = None) -> list[str]:
    """The lines of a description's drawing; parts that were added in another order stand in another order.

    Its nodes have the layers that they have in the figure of `like`.
    """
    figure = said.figure if like is None else said.figure.model_copy().keep_layout(like.figure.layout_record)
    return sorted(draw_rows(Said(figure, said.name, said.form)))


def count_new_lines(before: str, after: str) -> int:
    """The number of lines that are in the second text only."""
    return len({*after.split("\n")} - {*before.split("\n")})


class Story:
    """A file, and `said`: the description that the same operations give without the file."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.figure = self.random.choice(list(CALLS))
        self.text = rendered(self.figure)
        self.said = read_own(self.text, "fig.tex").first
        self.left: list[str] = []
        self.moved = False
        self.told: list[str] = []

    def tell(self) -> None:
        for _ in range(self.random.randint(2, 4)):
            steps: list[Callable[[], None]] = [self.edit, self.edit, self.operate, self.operate, self.respec]
            self.random.choice(steps)()
            found = lifted(self.text)
            self.told.append(f"  lifted: {operations(found)}")
            assert drawn(found.said) == drawn(self.said, found.said), "the file does not show what was done"
            missing = [what for what in self.left if what not in {each.what for each in found.left_lines}]
            assert not missing, f"lost by hand: {missing}"

    def edit(self) -> None:
        """Edit the file as the prose says, where the case applies to it."""
        case = self.random.choice([case for case in HAND_EDITS if case["figure"] == self.figure])
        text = edited_by(case, self.text)
        said = self.operated([(each["operation"], {**each}) for each in case["operations"]])
        moves = "offset" in json.dumps(case["operations"])  # two moves of a node add up
        if text is None or said is None or (moves and self.moved):
            return
        if count_new_lines(self.text, text) != count_new_lines(rendered(self.figure), edited(case)):
            return  # the edit finds other lines, too
        self.moved |= moves
        self.told.append(case["name"])
        found = lifted(text)
        wanted = {each["operation"] for each in case["operations"]}
        if drawn(found.said) == drawn(said, found.said):
            self.left += case["left"]
        elif self.moved and wanted <= {each["operation"] for each in operations(found)}:
            said = found.said  # next to a moved node, other text has another effect on the layout, and on the flows
        else:  # beside other edits, no operation gives these lines: they stay, with the names of their elements
            stays = [each.what for each in found.left_lines]
            assert stays, "an edit is neither an operation nor a named line"
            self.told.append(f"  stays: {stays}")
            said, self.left = found.said, [*self.left, *stays]
        self.text, self.said = text, said

    def operate(self) -> None:
        """Do an operation; lifting again finds nothing."""
        call = self.random.choice(CALLS[self.figure])
        editing = Editing(Path("fig.tex"), self.text.encode())
        outcome = editing.attempt(*call)
        self.told.append(f"{call}: {outcome.status} {outcome.message}")
        assert outcome.status in ("applied", "noop", "refused")
        if outcome.status != "applied":
            return
        try:
            text = editing.text()
        except (MergeConflict, EditRefused) as error:
            self.told.append(f"  {error}")
            return
        if outcome.message != "the picture stays as it is":
            assert split_file(text)[0] != split_file(self.text)[0], "applied without effect"
        said = self.operated([call])
        assert said is not None, "the spec alone refuses it"
        self.text, self.said = text, said
        assert not operations(lifted(text)), "lifting again gives operations"

    def respec(self) -> None:
        """Pull the spec, change it, and render it onto the file."""
        setting = self.random.choice(SETTINGS)
        self.told.append(f"spec: {setting}")
        figure = loads(json.dumps(make_description(lifted(self.text).said.figure)), settings=[setting])
        made, _ = merged_text(self.text, "fig.tex", figure, None)
        if made.conflicts:
            self.told.append(f"  {made.conflicts}")
            return
        self.text = made.tex
        self.said = Said(loads(json.dumps(make_description(self.said.figure)), settings=[setting]), "fig.tex")
        assert not operations(lifted(self.text)), "lifting again gives operations"

    def operated(self, calls: list[Call]) -> Said | None:
        """The description after operations on it alone; None if it refuses them."""
        said = self.said
        try:
            for name, arguments in calls:
                given = {key: value for key, value in arguments.items() if key != "operation"}
                said = run_operation(said, read_operation(name, given))
            return said.validate_again()
        except (EditRefused, ValidationError):
            return None


@pytest.mark.parametrize("part", range(PARTS))
def test_stories_that_follow_the_prose_lose_nothing(part: int) -> None:
    for seed in range(part * STORIES // PARTS, (part + 1) * STORIES // PARTS):
        story = Story(seed)
        try:
            story.tell()
        except Exception as error:
            told = "\n".join(story.told)
            raise AssertionError(f"story {seed} of {story.figure}: {error}\n{told}") from error


@pytest.mark.parametrize("name", ["system-moved-by-keys-of-its-coordinate", "distributed-training-label-in-node"])
def test_an_edit_that_the_spec_states_is_not_done_again(name: str) -> None:
    """A pulled spec states the edit: a merge with it does not move a node twice, or write a label twice."""
    text = edited(next(case for case in HAND_EDITS if case["name"] == name))
    figure = loads(json.dumps(make_description(lifted(text).said.figure)), settings=["width=16"])
    made, _ = merged_text(text, "fig.tex", figure, None)
    assert made.conflicts == ()
    assert not operations(lifted(made.tex))
    assert split_file(made.tex)[0] == split_file(figure.tex())[0]


def test_two_edits_of_one_span_are_two_operations() -> None:
    text = rendered("timeline")
    for name in ("timeline-span-text", "timeline-longer"):
        text = edited_by(next(case for case in HAND_EDITS if case["name"] == name), text) or ""
    found = lifted(text)
    assert found.left_lines == ()
    assert [{**each, "operation": ""} for each in operations(found)] == [
        {"operation": "", "span": "gpu0-forward1", "label": "$F_0$"},
        {"operation": "", "span": "gpu0-forward1", "duration": "1.5"},
    ]


@pytest.mark.parametrize("figure", CALLS)
def test_an_operation_on_an_untouched_file_gives_the_figure_of_its_spec(figure: str) -> None:
    text = rendered(figure)
    for name, arguments in CALLS[figure]:
        editing = Editing(Path("fig.tex"), text.encode())
        if editing.attempt(name, arguments).status != "applied":
            continue
        wanted = run_operation(read_own(text, "fig.tex").first, read_operation(name, arguments))
        own = read_own(editing.text(), "fig.tex")
        assert own.rows == draw_rows(wanted)
        assert own.first.draws_as(wanted)
        assert not own.is_edited


def test_the_calls_name_figures_with_cases() -> None:
    assert {case["figure"] for case in HAND_EDITS} == set(CALLS)
