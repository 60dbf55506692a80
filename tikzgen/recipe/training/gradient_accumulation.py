"""Gradient accumulation: the same micro-steps with an update after each, or after several."""

from fractions import Fraction
from typing import Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.plain_words import count_of, list_names
from tikzgen.model.exact_fields import Duration
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import PHASES
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.panel_parts import Panel
from tikzgen.model.part import Part, fail, make_empty_list
from tikzgen.model.timeline import Axis, Frame, Lane, Span, Timeline
from tikzgen.recipe.few_of_many import few_of
from tikzgen.text import Numbered, Text, fill_number

# One row per micro-step, one column per device: the durations of the original figure.
_STEPS = [["2.8", "4", "3.2", "3"], ["3.7", "2.8", "3.2", "4"]]
_MOST_LANES_COUNT = 16  # lanes


class GradientAccumulationLabels(Part):
    """Labels of a gradient-accumulation figure."""

    device: Numbered = "GPU {n}"
    """Label of each lane; `{n}` is its number."""
    idle: Text = "idle"
    """Legend entry for idle time."""
    compute: Text = "forward/backward"
    """Legend entry for computation."""
    update: Text = "update"
    """Legend entry for the update."""
    time: Text = "time"
    """Label of the time arrow."""
    captions: list[Text] = Field(default_factory=make_empty_list)
    """Captions below the panels; an empty one shows the number of steps per update."""


class GradientAccumulation(EditableRecipe):
    """Lanes of unequal steps and updates that wait for the slowest device."""

    field_group = "schedule"
    field_groups = ("display: show first arrange",)
    common = ("steps: [[3, 4], [4, 3]]", "accumulate: [1, 2]", "update", "devices")

    counts = "devices"
    schedule_facts = ("devices", "steps", "update", "accumulate")

    recipe: Literal["gradient-accumulation"] = "gradient-accumulation"
    """Name of the recipe."""
    id: Slug = "gradient-accumulation"
    devices: int | None = Field(default=None, ge=1, le=1024)
    """Number of devices; null takes the number of columns of `steps`. With more devices, the columns repeat."""
    show: int | None = Field(default=None, ge=1, le=1024)
    """Number of devices with lanes; dots before the last one replace the rest. Null draws up to 16, or a selection of
    more."""
    steps: list[list[Duration]] = Field(
        default_factory=lambda: [[Fraction(t) for t in row] for row in _STEPS], min_length=1
    )
    """Durations in time units: one row per micro-step, one number per device."""
    update: Duration = Fraction(1)
    """Duration of an update, in time units."""
    accumulate: list[int] = Field(default=[1, 2], min_length=1, max_length=8)
    """Number of micro-steps per update, for each panel."""
    first: Literal[0, 1] = 0
    """Number in the first device's label."""
    arrange: Literal["auto", "row", "column"] = "auto"
    """Panels in a row, or in a column with one time scale; `auto` is a row if the figure's width allows it."""
    labels: GradientAccumulationLabels = Field(default_factory=GradientAccumulationLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        devices = count_of(self.devices or len(self.steps[0]), "device")
        steps = ["every micro-step" if n == 1 else f"every {n} accumulated micro-steps" for n in self.accumulate]
        return f"Gradient accumulation on {devices}, with an update after {list_names(steps)}"

    @model_validator(mode="after")
    def _check_even_steps(self) -> Self:
        for index, row in enumerate(self.steps):
            if len(row) != len(self.steps[0]) or not row:
                message = f"has {count_of(len(row), 'duration')} where steps[0] has {len(self.steps[0])}"
                fail(message, "steps", index, hint="one for each device")
        for index, many in enumerate(self.accumulate):
            if many < 1 or len(self.steps) % many:
                hint = f"{len(self.steps)} micro-steps divide by it"
                fail(
                    f"cannot accumulate {many} of {len(self.steps)} micro-steps",
                    "accumulate",
                    index,
                    hint=f"choose a number so that {hint}",
                )
        return self

    def expand(self) -> FigureModel:
        """Return a figure with one panel per number of accumulated steps."""
        texts = self.labels
        phases = {
            "idle": PHASES["idle"].model_copy(update={"label": texts.idle}),
            "forward-backward": PHASES["forward-backward"].model_copy(update={"label": texts.compute}),
            "update": PHASES["update"].model_copy(update={"label": texts.update}),
        }
        panels = []
        for index, many in enumerate(self.accumulate):
            caption = texts.captions[index] if index < len(texts.captions) else _spell_caption(many)
            panels.append(Panel(id=f"k{many}", caption=caption, content=[self._make_timeline(many)]))
        return FigureModel(panels=panels, phases=phases, arrange=self.arrange, **self.collect_common_options())

    def _make_timeline(self, many: int) -> Timeline:
        texts, count = self.labels, self.devices or len(self.steps[0])
        lanes = [f"gpu{number}" for number in range(1, count + 1)]
        drawn = [Lane(id=lane, label=fill_number(texts.device, n)) for n, lane in enumerate(lanes, start=self.first)]
        if shown := few_of(count, self.show, _MOST_LANES_COUNT):
            dots = Lane(id="dots", ellipsis=True)
            drawn = [*(drawn[place] for place in shown[:-1]), dots, drawn[shown[-1]]]
        rows = [lane.id for lane in drawn]
        spans: list[Span] = []
        frames: list[Frame] = []
        now = Fraction(0)
        for first in range(0, len(self.steps), many):
            ends = dict.fromkeys(lanes, now)
            for row in self.steps[first : first + many]:
                for index, lane in enumerate(lanes):
                    duration = row[index % len(row)]
                    if lane in rows:
                        spans.append(Span(lane=lane, start=ends[lane], duration=duration, phase="forward-backward"))
                    ends[lane] += duration
            slowest = max(ends.values())
            frames.append(Frame(start=now, end=slowest))
            spans.append(Span(lane=rows, start=slowest, duration=self.update, phase="update"))
            now = slowest + self.update
        return Timeline(
            lanes=drawn,
            spans=spans,
            frames=frames,
            axis=Axis(label=texts.time),
        )


def _spell_caption(many: int) -> str:
    return "update every step" if many == 1 else f"accumulate {many} steps, then update"
