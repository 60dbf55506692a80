"""Pipeline parallelism: schedules by name, or explicit operations, each with exact times."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tikzgen.base.errors import InvalidSchedule, Problem, format_path
from tikzgen.base.plain_words import count_of, list_names
from tikzgen.model.exact_fields import Cost, Time
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.part import Words, fail
from tikzgen.recipe import schedule_marks
from tikzgen.recipe.schedule_display import Measure
from tikzgen.recipe.shared_facts import as_list as each
from tikzgen.recipe.shared_facts import iterate_distinct
from tikzgen.recipe.simulated_recipe import PASSED_ON, PanelSchedule, Told
from tikzgen.recipe.training.pipeline_facts import PipelineFacts
from tikzgen.schedule import (
    FAMILIES,
    MEGATRON_WARM_UPS,
    PYTORCH_CLASSES,
    Action,
    Deadlock,
    PipelinePlan,
    Program,
    Rows,
    ScheduleError,
    ScheduleFault,
    StageCut,
    WarmUp,
    add_communication,
    build_program,
    check_actions,
    convert_old_notation,
    count_held_activations,
    gradient_delay,
    plan,
    read_action,
    schedule_name,
    simulate,
    to_plan,
    versions_kept,
    with_update,
)
from tikzgen.text import fill_placeholders

if TYPE_CHECKING:
    Name = str
else:
    Name = Annotated[
        Literal[tuple(FAMILIES)],
        BeforeValidator(
            lambda value: schedule_name(value) if isinstance(value, str) else value,
            json_schema_input_type=Literal[(*FAMILIES, *PYTORCH_CLASSES)],
        ),
    ]


def _convert_names(value: Any) -> Any:
    return None if value is None else each(value)


Names = Annotated[list[Name], Field(min_length=1, max_length=16)]


class Pipeline(PipelineFacts):
    """Pipeline schedules: GPipe, 1F1B, zero bubble, DualPipe and others, one panel each on one time axis."""

    field_group = "schedule"
    field_groups = ("display: braces warm_up memory cap",)
    common = ("schedule: [gpipe, 1f1b]", "devices: 4", "microbatches: 8", "forward", "backward", "latency", "memory")

    counts = "devices"
    bound_devices = True
    schedule_facts = (
        *("schedule", "devices", "microbatches", "chunks", "group", "slices"),
        *("forward", "backward", "input_grad", "weight_grad", "overlapped", "durations"),
        *("latency", "p2p", "per_node", "node_latency", "links"),
        *("recompute", "kept", "offload", "reload", "embedding", "vocabulary", "loss"),
        *("dispatch", "combine", "experts", "all_reduce", "update"),
    )

    recipe: Literal["pipeline"] = "pipeline"
    """Name of the recipe."""
    id: Slug = "pipeline"
    schedule: Annotated[Names | None, BeforeValidator(_convert_names, json_schema_input_type=Name | Names | None)] = (
        None
    )
    """Schedules to draw, one panel each, by their names in tikzgen or classes of PyTorch; null is 1f1b. With
    `operations`, the schedule whose rules they must satisfy."""
    devices: int = Field(default=4, ge=1, le=100_000)
    """Number of devices (p)."""
    microbatches: int = Field(default=8, ge=1, le=1_000_000)
    """Number of microbatches (m)."""
    chunks: int | None = Field(default=None, ge=1, le=1024)
    """Number of chunks of the model on each device; null is 2 for interleaved-1f1b, otherwise the schedule's own
    number."""
    group: int | None = Field(default=None, ge=1, le=1_000_000)
    """Number of consecutive microbatches per chunk in interleaved-1f1b (N), at least p, or all if there are fewer;
    null is the smallest possible number."""
    slices: int | None = Field(default=None, ge=1, le=1024)
    """Number of slices of each microbatch's sequences (n), if the schedule cuts them; null is 2."""
    operations: list[list[Words]] | None = None
    """Operations of each rank in PyTorch's notation, as an alternative to a schedule: 0F0, 0SEND_F0, 0UNSHARD …"""
    unshard: Cost = Fraction(0)
    """Duration of an UNSHARD in `operations`, in time units; 0 omits it."""
    reduce_grad: Cost = Fraction(0)
    """Duration of a REDUCE_GRAD in `operations`, in time units; 0 omits it."""
    allow_invalid: bool = False
    """Whether operations that violate rules are drawn and marked, instead of an error."""
    bubble_measure: Measure = "auto"
    """Measure in the figure: idle time of `total` (idle/total), of `ideal` (idle/busy), or within a device's `span`;
    `peak` of microbatches in flight; `none`. `auto` is `total`, or the measure in which the panels differ."""
    braces: int | None = Field(default=None, ge=0, le=100_000)
    """Number of the device, from 0, whose warm-up, steady state and cool-down are marked; null marks none."""
    warm_up: WarmUp = "torch"
    """Definition of warm-up and cool-down. `torch`: the warm-up ends with the forward before the first backward, the
    cool-down begins after the last forward. `megatron`: the warm-up of device r is p-1-r forwards of 1F1B, or
    2(p-1-r)+(v-1)N of interleaved-1f1b; the steady state consists of pairs of a forward and a backward."""
    memory: Literal["none", "worst", "all"] = "none"
    """Strip with the number of microbatches in flight: of the device with the most, of all devices, or none."""
    cap: Time | None = None
    """Limit in the strip, in microbatches."""

    def summary(self) -> str:
        what = [FAMILIES[name].title for name in self.schedule or ["1f1b"]]
        if self.operations is not None:
            order = f" in the order of {what[0]}" if self.schedule else ""
            return f"Pipeline schedule of {count_of(len(self.operations), 'device')} with given operations{order}"
        head = f"Pipeline schedule{'s' if len(what) > 1 else ''} {list_names(what, 10)}"
        work = f"{count_of(self.devices, 'device')} and {count_of(self.microbatches, 'microbatch')}"
        return f"{head} with {work}"

    def _plan(self) -> Iterator[PanelSchedule]:
        if self.operations is not None:
            yield self._schedule_of_actions()
            return
        for cut in self._cuts():
            name = cut.plan.schedule
            try:
                yield PanelSchedule(
                    _make_panel_id(name),
                    simulate(self._with_update(build_program(cut.plan, *self.costs_of(cut)))),
                    run=name,
                )
            except Deadlock as error:
                fail(f"{name} hangs: {error.message}", "p2p", hint="p2p: sender, or async")

    def _cuts(self) -> list[StageCut]:
        return self.compute_once("cuts", self._list_cuts, apart_from=PASSED_ON)

    def _list_cuts(self) -> list[StageCut]:
        """Return how each schedule cuts the model.

        Schedules that cut it into different parts do the same work.
        """
        if self.operations is not None:
            what = to_plan(self._read_rows(), *(self.schedule or ())[:1])
            return [StageCut(what, what.stages, whole=False)]
        names = [*iterate_distinct(self.schedule or ["1f1b"], "schedule")]
        plans = [self._plan_schedule(name, alone=len(names) == 1) for name in names]
        parts = {what.stages // what.devices * what.slices for what in plans}
        whole = self.durations == "device" or (self.durations is None and len(parts) > 1)
        finest = max(what.stages for what in plans)
        return [StageCut(what, finest, whole) for what in plans]

    def count_stages(self) -> int:
        """Return the number of stages of the schedule with the finest cut."""
        return self._cuts()[0].finest

    def list_assumptions(self) -> list[str]:
        return [*self.assumed_of(self._cuts())]

    def list_derivations(self) -> list[str]:
        return self.list_assumptions()

    def _plan_schedule(self, name: str, *, alone: bool) -> PipelinePlan:
        """Plan a schedule by its name; if not `alone`, the parameters apply only to schedules that accept them."""
        which = FAMILIES[name]
        return plan(
            name,
            self.devices,
            self.microbatches,
            self.chunks if alone or which.chunks is None else None,
            group=self.group if alone or which.grouped else None,
            slices=self.slices if alone or which.sliced else None,
        )

    def _with_update(self, found: Program) -> Program:
        return with_update(found, self.all_reduce, self.update)

    def _read_rows(self) -> Rows:
        rows = []
        for rank, row in enumerate(convert_old_notation(self.operations or ())):
            actions: list[Action] = []
            for place, text in enumerate(row):
                try:
                    actions += [read_action(text.strip())] if text.strip() else []
                except ScheduleError as error:
                    fail(error.message, "operations", rank, place, hint=error.hint)
            rows.append(tuple(actions))
        return tuple(rows)

    def _schedule_of_actions(self) -> PanelSchedule:
        names: list[str] = list(self.schedule or ())
        if len(names) > 1:
            fail("operations keep the rules of one schedule", "schedule", 1, hint="name one, or none")
        name = names[0] if names else ""
        rows = self._read_rows()
        (cut,) = self._cuts()
        cost, besides = self.costs_of(cut)
        if besides is not None:
            fail("operations already define the work", self._around_said(), hint="leave it out, or name a schedule")
        found = self._with_update(add_communication(rows, cost, unshard=self.unshard, reduce_grad=self.reduce_grad))
        findings = check_actions(rows, schedule=name)
        panel = _make_panel_id(name) if name else "operations"
        return PanelSchedule(panel, simulate(found, forgiving=bool(findings)), findings, run=name)

    @model_validator(mode="after")
    def _check_braces(self) -> Self:
        devices = len(self.operations) if self.operations is not None else self.devices
        if self.braces is not None and self.braces >= devices:
            fail(f"unknown device {self.braces}", "braces", hint=f"the devices are 0 to {devices - 1}")
        names = self.schedule or ([""] if self.operations is not None else ["1f1b"])
        if self.warm_up == "megatron" and (unknown := {*names} - MEGATRON_WARM_UPS.keys()):
            which = ", ".join(filter(None, sorted(unknown))) or "operations without a schedule"
            hint = f"warm_up: torch, or schedule: {', '.join(MEGATRON_WARM_UPS)}"
            fail(f"no definition by Megatron-LM for {which}", "warm_up", hint=hint)
        return self

    def make_marks(self, plan: PanelSchedule) -> dict[str, Any]:
        """Return braces over the periods of a device, and strips of the microbatches in flight."""
        texts = self.labels
        args = plan.schedule, self.memory, self.lane_names(), texts.memory, self.cap
        found: dict[str, Any] = {"strips": schedule_marks.make_memory_strips(*args, kept=self.kept)}
        if self.braces is not None:
            words = (texts.warm_up, texts.steady, texts.cool_down)
            megatron = plan.run if self.warm_up == "megatron" else None
            found["braces"] = schedule_marks.make_phase_braces(plan.schedule, self.braces, words, megatron)
        return found

    def _spell_measures(self, plan: PanelSchedule) -> str:
        """Return the bubble and, for pipelines without a flush, the number of weight versions."""
        parts = [super()._spell_measures(plan)]
        if kept := versions_kept(plan.run, self.devices):
            exact = f"{kept[0]} to {kept[-1]}" if kept[0] != kept[-1] else str(kept[0])
            parts.append(fill_placeholders(self.labels.versions, exact=exact))
        return ", ".join(filter(None, parts))

    def extra_measures(self, plan: PanelSchedule) -> Told:
        """Return peak activations and, without a flush, weight versions and the delay of gradients.

        Peak activations are the largest number on each device, with recomputation or offloading only. Weight versions
        are the ones that the order of 1F1B keeps. The delay of a gradient is counted in updates.
        """
        found: Told = {}
        if self.operations is not None:
            return found
        if versions := versions_kept("pipedream" if plan.run == "1f1b" else plan.run, self.devices):
            late = plan.run == "pipedream-2bw"
            delays = (1 if late else gradient_delay(self.devices, stage) for stage in range(self.devices))
            found |= {"pipedream_weight_versions": versions, "pipedream_gradient_delay": tuple(delays)}
        if self.recompute is not None or self.offload or self.reload:
            held = count_held_activations(plan.schedule, self.kept).values()
            found["peak_held"] = tuple(max(level.count for level in levels) for levels in held)
        return found

    def number_cells(self, plan: PanelSchedule) -> Mapping[int, int | None]:
        """Return no number for operations after the last gradient."""
        ends = {"all-reduce", "update"}
        return {index: None for index, operation in enumerate(plan.schedule.operations) if operation.kind in ends}

    def list_captions(self) -> list[str]:
        """Return the names of the schedules."""
        return [FAMILIES[name].title for name in self.schedule or ["1f1b"]]

    def list_faults(self, plan: PanelSchedule) -> Mapping[int, str]:
        """Return the messages of findings by operation; operations are in the order of the lists."""
        if self.operations is None or not plan.findings:
            return {}
        indices: dict[tuple[int, int], int] = {}
        for rank, row in enumerate(self._read_rows()):
            for position, action in enumerate(row):
                if action.tasks:
                    indices[rank, position] = len(indices)
        found: dict[int, str] = {}
        for finding in plan.findings:
            index = indices.get((finding.device, finding.position))  # type: ignore[arg-type]  # None is no place
            if index is not None:
                found.setdefault(index, finding.message)
        return found

    def expand(self) -> FigureModel:
        """Return one panel per schedule. Raise `InvalidSchedule` for rule violations, unless `allow_invalid`."""
        problems = [self._describe_fault(finding) for plan in self.compute_plans() for finding in plan.findings]
        if problems and not self.allow_invalid:
            raise InvalidSchedule(problems)
        return super().expand()

    def _describe_fault(self, finding: ScheduleFault) -> tuple[tuple[str | int, ...], Problem]:
        path: tuple[str | int, ...] = ("operations",)
        for step in (finding.device, finding.position):
            path = (*path, step) if step is not None else path
        hint = "allow_invalid: true draws and marks it"
        return path, Problem(f"{finding.rule}: {finding.message}", format_path(path), None, hint)


def _make_panel_id(name: str) -> str:
    """Return the id of a schedule's panel, which must begin with a letter."""
    return name if name[0].isalpha() else f"s{name}"
