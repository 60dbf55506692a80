"""Display of simulated schedules: options that all such recipes share, and the resulting figure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tikzgen.model.exact_fields import Duration, Time, spell_time
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import PHASES, Phase
from tikzgen.model.panel_parts import Legend, Panel
from tikzgen.model.part import Part, Words, fail, make_empty_list
from tikzgen.model.timeline import Axis, Brace, Bubble, Dimension, LaneGroup, Span, Tick, Timeline
from tikzgen.recipe import schedule_marks
from tikzgen.recipe.few_of_many import few_of
from tikzgen.recipe.schedule_lanes import LanesOfSchedule, Naming, lanes_of_schedule
from tikzgen.recipe.schedule_marks import choose_measures, format_measure, step, value_of
from tikzgen.recipe.simulated_recipe import PASSED_ON, PanelSchedule, Scheduled
from tikzgen.schedule import is_measured, node_of
from tikzgen.text import Numbered, Text, fill_placeholders

# A zoom repeats a period below the whole, stretched to the same length, so that its cells are legible.

_READ = Fraction(2, 3)  # minimum part of a cell at an end of the period that keeps its number


class Zoom(Part):
    """Period that is drawn again, enlarged."""

    start: Time
    """Start time."""
    end: Time
    """End time."""
    lanes: list[str] = Field(default_factory=make_empty_list)
    """Ids of the enlarged lanes, such as `gpu0`; an empty list means all."""

    @model_validator(mode="after")
    def _check_period(self) -> Self:
        if self.end <= self.start:
            fail("ends before it begins", "end", hint="give a later end")
        return self


def add_zoom_brace(whole: Timeline, zoom: Zoom) -> Timeline:
    """Add a brace below the period that is drawn again."""
    braces = [*whole.braces, Brace(start=zoom.start, end=zoom.end, side="after")]
    return whole.model_copy(update={"braces": braces})


def zoom_timeline(whole: Timeline, zoom: Zoom, until: Fraction, unit: str) -> Timeline:
    """Return the part of `whole` in the period, stretched to the length `until` of the whole."""
    known = [lane.id for lane in whole.lanes]
    for place, name in enumerate(zoom.lanes):
        if name not in known:
            fail(f'unknown lane "{name}"', "zoom", "lanes", place, hint=f"there are {known[0]} to {known[-1]}")
    if zoom.start >= until:
        fail(f"begins when all is over, at {spell_time(until)}", "zoom", "start", hint="give an earlier period")
    kept = set(zoom.lanes or known)
    factor = until / (zoom.end - zoom.start)

    def zoom_time(time: Fraction) -> Fraction:
        return (min(max(time, zoom.start), zoom.end) - zoom.start) * factor

    spans = [clipped for span in whole.spans if (clipped := _clip_span(span, zoom_time, kept, factor))]
    bubbles = [
        Bubble(lane=each.lane, start=zoom_time(each.start), end=zoom_time(each.end), label=each.label, cause=each.cause)
        for each in whole.bubbles
        if each.lane in kept and zoom_time(each.start) < zoom_time(each.end)
    ]
    distance = step(zoom.end - zoom.start)
    first = -(-zoom.start // distance)
    moments = (number * distance for number in range(first, int(zoom.end // distance) + 1))
    ticks = [Tick(at=zoom_time(time), label=f"{spell_time(time)} {unit}".strip()) for time in moments]
    label = whole.axis.label if whole.axis else ""
    return Timeline(
        lanes=[lane for lane in whole.lanes if lane.id in kept],
        groups=[group for group in whole.groups if kept.issuperset(group.lanes)],
        spans=spans,
        bubbles=bubbles,
        shades=whole.shades,
        axis=Axis(label=label, ticks=ticks, until=until),
    )


def _clip_span(span: Span, at: Callable[[Fraction], Fraction], kept: Collection[str], factor: Fraction) -> Span | None:
    """Return the part of a span in the period, on the shown lanes; a small part loses its number."""
    lanes = [lane for lane in span.lanes if lane in kept]
    start, end = at(span.start), at(span.end)
    if not lanes or start == end:
        return None
    said = {**span.__dict__, "lane": lanes[0] if len(lanes) == 1 else lanes, "start": start, "duration": end - start}
    if end - start < _READ * factor * span.duration:
        said["number"] = None
    second = span.second
    if second is not None:
        middle = at(span.end - span.duration * second.share)
        said["second"] = second.model_copy(update={"share": (end - middle) / (end - start)})
        if middle == start:  # only the second part is in the period
            said |= {"phase": second.phase, "label": second.label, "number": second.number, "chunk": second.chunk}
        if middle in (start, end):
            said["second"] = None
    return Span.model_construct(**said)


Measure = Literal["none", "auto", "total", "ideal", "span", "peak"]
Devices = Annotated[int, Field(ge=1, le=100_000)]


class ScheduleLabels(Part):
    """Labels of a schedule; `{n}` is a number, `{exact}` a fraction such as 3/11, `{percent}` its percentage."""

    device: Numbered = "GPU {n}"
    """Label of the lanes of each device."""
    compute: Text = "compute"
    """Label of the compute lane, if a device has several lanes."""
    communication: Text = "comm"
    """Label of the communication lane, if a device has several lanes."""
    node: Numbered = "node {n}"
    """Label of the devices of each node."""
    time: Text = "time"
    """Label of the time arrow."""
    captions: list[Text] = Field(default_factory=make_empty_list)
    """Captions above the panels, or below them if time runs up or down; a panel without one shows a description of
    itself."""
    total: Text = "bubble {exact} of total ({percent} %)"
    """Idle time as a share of all device time."""
    ideal: Text = "bubble {exact} of ideal ({percent} %)"
    """Idle time as a share of busy time."""
    rounded_total: Text = "bubble {percent} % of total"
    """Idle time as a share of all device time, if measured durations do not give a simple fraction."""
    rounded_ideal: Text = "bubble {percent} % of ideal"
    """Idle time as a share of busy time, if measured durations do not give a simple fraction."""
    span: Text = "idle {exact} within a device's span"
    """Idle time between a device's first and last operation, for the worst device."""
    peak: Text = "at most {exact} in flight"
    """Number of microbatches in flight, for the device with the most."""
    zoom: Text = "time {start} to {end}"
    """Label above the enlarged period."""
    saved: Text = "{saved} saved ({factor}×)"
    """Label of the time that a panel saves against the first, `{saved}`; `{factor}` is the speedup."""


class Displayed(Scheduled):
    """Display options of all recipes with simulated times."""

    field_group = "display"

    bubbles: bool = True
    """Whether idle time is drawn."""
    bubble_measure: Measure = "none"
    """Measure in the figure: idle time of `total` (idle/total), of `ideal` (idle/busy), or within a device's `span`;
    `peak` of microbatches in flight; `none`. `auto` is `total`, or the measure in which the panels differ."""
    arrows: Literal["none", "messages", "critical"] = "none"
    """Arrows for all messages between devices, for messages on the critical path, or for none."""
    critical: bool = False
    """Whether operations on the critical path have a heavy border."""
    ticks: Duration | Literal["none"] | None = None
    """Distance of tick marks on the time arrow, in time units; null chooses one, `none` draws none."""
    unit: Words = Field(default="", max_length=20)
    """Unit of all times, such as ms."""
    per_node: Devices | Annotated[list[Devices], Field(min_length=1, max_length=512)] | None = None
    """Number of devices per node, or a list with the number for each node; a bracket marks each node. Null draws no
    nodes."""
    direction: Literal["right", "up", "down"] = "right"
    """Direction of time."""
    zoom: Zoom | None = None
    """Period to draw again below, enlarged to the length of the figure."""
    first: Literal[0, 1] = 0
    """Number of the first device, microbatch, bucket or layer."""
    phases: dict[str, Phase] = Field(default_factory=dict)
    """Styles of phases, over the built-in ones; `cell: "F{n}"` sets the numbers in cells, `label` the legend entry."""
    legend: Legend = Field(default_factory=Legend)
    """The legend, which explains the fills."""

    _stem: ClassVar[str] = "gpu"
    _texts: ClassVar[str] = "labels"

    @model_validator(mode="after")
    def _check_zoom(self) -> Self:
        if self.zoom is not None:
            self.expand()  # validates the lanes and the times
        return self

    def lane_names(self) -> Naming:
        """Return the names of lanes."""
        return Naming(self._stem, self._find_labels().device, self.label_streams(), self.first)

    def label_streams(self) -> dict[str, str]:
        """Return the labels of lanes by stream.

        They apply to devices with several streams, and to lanes without a device.
        """
        texts = self._find_labels()
        return {"compute": texts.compute, "communication": texts.communication}

    def list_captions(self) -> list[str]:
        """Return a short caption for each panel, used if there are several panels."""
        return [""] * len(self.compute_plans())

    def draw(self, plan: PanelSchedule) -> LanesOfSchedule:
        """Return the lanes and spans of one panel."""
        faults, numbers = self.list_faults(plan), self.number_cells(plan)
        return lanes_of_schedule(
            plan.schedule, self.lane_names(), faults=faults, numbers=numbers, shown=self.shown_devices()
        )

    def shown_devices(self) -> Collection[int] | None:
        """Return the devices that have lanes, from 0; None if all have."""
        return None

    def number_cells(self, plan: PanelSchedule) -> Mapping[int, int | None]:
        """Return the numbers in the cells of a panel by operation, if they differ from the operation's number."""
        return {}

    def find_horizon(self) -> Fraction | None:
        """Return the end of the shown time; None if it is the makespan."""
        return None

    def list_faults(self, plan: PanelSchedule) -> Mapping[int, str]:
        """Return the faults of the operations of a panel, by index."""
        return {}

    def make_marks(self, plan: PanelSchedule) -> dict[str, Any]:
        """Return further marks of a panel: fields of a timeline."""
        return {}

    def make_looks(self) -> dict[str, Phase]:
        """Return the styles of phases that the recipe changes."""
        return {}

    def _find_labels(self) -> ScheduleLabels:
        found: ScheduleLabels = getattr(self, self._texts)
        return found

    def expand(self) -> FigureModel:
        """Return a figure with one panel per schedule, in a column with one time axis; computed once."""
        return self.compute_once(self._of_labels("figure"), self._make_figure).model_copy()

    def _of_labels(self, what: str) -> str:
        """Return the name of a result with labels, which are equal with and without a record of their fields."""
        return f"{what} with fields" if self._records_fields else what

    def _make_figure(self) -> FigureModel:
        return FigureModel(
            panels=self.compute_once(self._of_labels("panels"), self._make_panels, apart_from=PASSED_ON),
            arrange="column" if self.direction == "right" else "row",
            phases=self._merge_phases(),
            legend=self.legend,
            **self.collect_common_options(),
        )

    def _make_panels(self) -> list[Panel]:
        plans = self.compute_plans()
        until = max(plan.schedule.makespan for plan in plans)
        own = [self._caption_of_panel(place) for place in range(len(plans))]
        captions = [*self._find_labels().captions[: len(plans)], *own[len(self._find_labels().captions) :]]
        panels: list[Panel] = []
        for place, (plan, caption) in enumerate(zip(plans, captions, strict=True)):
            for name, text, part in self._panel_with_zoom(
                plan.panel, caption, self._make_timeline(place, until), until
            ):
                # The timeline is already validated; a validated panel would check every span again.
                panels.append(Panel.model_construct(id=name, caption=text, content=[part]))
        return panels

    def _panel_with_zoom(
        self, name: str, caption: Text, whole: Timeline, until: Fraction
    ) -> Iterator[tuple[str, Text, Timeline]]:
        """Yield a panel, and below it the enlarged period."""
        zoom = self.zoom
        if zoom is None:
            yield name, caption, whole
            return
        if self.direction != "right":
            fail("a zoom needs time to the right", "zoom", hint="use direction: right")
        text = fill_placeholders(self._find_labels().zoom, start=spell_time(zoom.start), end=spell_time(zoom.end))
        yield name, caption, add_zoom_brace(whole, zoom)
        yield f"{name}-zoom", text, zoom_timeline(whole, zoom, until, self.unit)

    def _merge_phases(self) -> dict[str, Phase]:
        """Return the styles of phases of the spec, merged over the styles of the recipe."""
        own = self.make_looks()
        return {**own, **{name: look.over(own.get(name)) for name, look in self.phases.items()}}

    def _make_timeline(self, place: int, until: Fraction) -> Timeline:
        plan = self.compute_plans()[place]
        schedule, naming = plan.schedule, self.lane_names()
        picture = self.draw(plan)
        marks: dict[str, Any] = {
            "groups": [*self._make_node_brackets(picture), *picture.groups],
            "bubbles": schedule_marks.make_bubbles(schedule, naming, picture, self.find_horizon())
            if self.bubbles
            else [],
            "dependencies": schedule_marks.make_arrows(schedule, picture, self.arrows),
            "critical": schedule_marks.list_critical_spans(schedule, picture) if self.critical else [],
            "dimensions": self._make_dimensions(place),
            "summary": self._spell_measures(plan)
            if len(self.compute_plans()) == 1 or self.direction == "right"
            else "",
            **self.make_marks(plan),
        }
        return Timeline(
            lanes=picture.lanes,
            spans=picture.spans,
            barriers=picture.barriers,
            direction=self.direction,
            shades=picture.shades,
            axis=self._make_axis(place, until),
            **marks,
        )

    def _make_axis(self, place: int, until: Fraction) -> Axis | None:
        """Return the time axis of a panel; in a column of panels, only the last has one."""
        if self.direction == "right" and place < len(self.compute_plans()) - 1 and self.zoom is None:
            return None
        ticks = None if self.ticks == "none" else self.ticks or step(until)
        return Axis(label=self._find_labels().time, ticks=ticks, unit=self.unit, until=until)

    def _caption_of_panel(self, place: int) -> str:
        """Return the caption of a panel: its name, and its measure if time does not run to the right."""
        if len(self.compute_plans()) == 1:
            return ""
        if self.direction == "right":
            return self.list_captions()[place]
        return ": ".join(filter(None, (self.list_captions()[place], self._spell_measures(self.compute_plans()[place]))))

    def _spell_measures(self, plan: PanelSchedule) -> str:
        if self.bubble_measure == "none":
            return ""
        plans = self.compute_plans()
        known = tuple(each.metrics for each in plans)
        names = choose_measures(known) if self.bubble_measure == "auto" else (self.bubble_measure,)
        return ", ".join(self._measure_text(name, value_of(plan.metrics, name)) for name in names)

    def _measure_text(self, name: str, value: Fraction) -> str:
        labels = self._find_labels()
        is_usual = getattr(labels, name) == type(labels).model_fields[name].default
        is_rounded = name in ("total", "ideal") and is_usual and is_measured(value)
        return format_measure(value, name, getattr(labels, f"rounded_{name}" if is_rounded else name), self.unit)

    def _make_dimensions(self, place: int) -> list[Dimension]:
        """Return the time that a panel saves compared with the first one, if both do the same work."""
        first, own = (self.compute_plans()[index].metrics for index in (0, place))
        saved = first.makespan - own.makespan
        if saved <= 0 or sum(first.busy) != sum(own.busy):
            return []
        time = f"{spell_time(saved)}{self.unit and ' ' + self.unit}"
        text = fill_placeholders(
            self._find_labels().saved, saved=time, factor=f"{float(first.makespan / own.makespan):.2f}"
        )
        return [Dimension(start=own.makespan, end=first.makespan, label=text)]

    def _make_node_brackets(self, picture: LanesOfSchedule) -> list[LaneGroup]:
        """Return a bracket for each node, around all lanes of its devices."""
        if self.per_node is None:
            return []
        lanes: dict[int, list[str]] = {}
        for lane, device in picture.devices.items():
            lanes.setdefault(node_of(device, self.per_node), []).append(lane)
        label = self._find_labels().node
        return [
            LaneGroup(lanes=own, label=fill_placeholders(label, n=node + self.first)) for node, own in lanes.items()
        ]


class ManyDevices(Displayed):
    """Base of recipes with many similar devices."""

    field_group = "display"

    show: int | None = Field(default=None, ge=1, le=4096)
    """Number of devices with lanes; dots before the last one replace the rest. Null draws all, or a selection if there
    are many."""

    _most: ClassVar[int] = 16

    def shown_devices(self) -> Collection[int] | None:
        """Return the devices that have lanes, from 0; None if all have."""
        return few_of(getattr(self, self.counts), self.show, self._most)


def with_note(label: str, note: str) -> str:
    """Return a legend entry with a note in parentheses; without a label there is no entry."""
    return f"{label} ({note})" if label and note else label


def look_of(phase: str, label: str, **changes: object) -> Phase:
    """Return a built-in style with another legend entry."""
    return PHASES[phase].model_copy(update={"label": label, **changes})
