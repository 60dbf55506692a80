"""Known measures by name, with their titles for tables, JSON keys and types."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from tikzgen.base.record import NOTHING, Record
from tikzgen.schedule import spell_exact_number

Value: TypeAlias = Fraction | int | tuple[Fraction | int, ...]
"""Exact number, or one per device (or update)."""


class MeasureKind(Enum):
    """Type of a measure: time in time units, share of a total, ratio of two quantities, or count."""

    TIME = "time"
    SHARE = "share"
    RATIO = "ratio"
    COUNT = "count"


class Measure(Record):
    """A measure: `key` in JSON, `title` in a table; `by_device` if it has a value for each device."""

    key: str
    title: str
    kind: MeasureKind
    by_device: bool = False


_MEASURES = (
    Measure("devices", "devices", MeasureKind.COUNT),
    Measure("makespan", "makespan T", MeasureKind.TIME),
    Measure("bubble_over_total", "bubble, idle/total: (T - busy)/T", MeasureKind.SHARE),
    Measure("bubble_over_ideal", "bubble, idle/ideal: (T - busy)/busy", MeasureKind.SHARE),
    Measure("worst_span_idle", "bubble, device-span idle: the worst device's", MeasureKind.TIME),
    Measure("critical_computing", "critical path: computes", MeasureKind.TIME),
    Measure("extent", "extent: from the first start to the last end", MeasureKind.TIME, by_device=True),
    Measure("busy", "busy", MeasureKind.TIME, by_device=True),
    Measure("computing", "computes", MeasureKind.TIME, by_device=True),
    Measure("idle", "idle: T - busy", MeasureKind.TIME, by_device=True),
    Measure("span_idle", "device-span idle", MeasureKind.TIME, by_device=True),
    Measure("blocked", "blocked: waits before its last end", MeasureKind.TIME, by_device=True),
    Measure("peak_in_flight", "peak in flight", MeasureKind.COUNT, by_device=True),
    Measure("peak_held", "peak of activations held", MeasureKind.RATIO, by_device=True),
    Measure("communication", "communication", MeasureKind.TIME, by_device=True),
    Measure("exposed_communication", "exposed communication", MeasureKind.TIME, by_device=True),
    Measure("overlap", "share of communication that is overlapped", MeasureKind.SHARE, by_device=True),
    Measure("waited", "waits inside annotations", MeasureKind.TIME, by_device=True),
    Measure("busy_in_all", "busy, total", MeasureKind.TIME),
    Measure("idle_in_all", "idle, total", MeasureKind.TIME),
    Measure("communication_in_all", "communication, total", MeasureKind.TIME),
    Measure("exposed_in_all", "exposed communication, total", MeasureKind.TIME),
    Measure("overlap_in_all", "share of communication that is overlapped, total", MeasureKind.SHARE),
    Measure("waited_in_all", "waits inside annotations, total", MeasureKind.TIME),
    Measure("model_error", "model's error: (simulated - measured)/measured", MeasureKind.SHARE),
    Measure("differs_most_by", "the operation that differs most: simulated - measured", MeasureKind.TIME),
    Measure("updating", "updates", MeasureKind.TIME, by_device=True),
    Measure("steps", "steps", MeasureKind.COUNT),
    Measure("rounds", "rounds of averaging", MeasureKind.COUNT),
    Measure("sent", "sent by each rank, in sizes of the gradient", MeasureKind.RATIO),
    Measure("clocks", "clocks done", MeasureKind.COUNT, by_device=True),
    Measure("staleness", "staleness, update by update", MeasureKind.COUNT),
    Measure("worst_staleness", "staleness of the worst update", MeasureKind.COUNT),
    Measure("trainer_idle", "trainer idle: waits for rollouts", MeasureKind.TIME),
    Measure("syncing", "exposed weight transfer, for which the trainer waits", MeasureKind.TIME),
    Measure("goodput", "goodput: steps that count over all time", MeasureKind.SHARE),
    Measure("lost", "lost: work that is done again", MeasureKind.TIME),
    Measure("saving", "saving", MeasureKind.TIME),
    Measure("restarting", "restarting", MeasureKind.TIME),
    Measure("queueing", "queueing: from arrival to the first iteration, request by request", MeasureKind.TIME),
    Measure("ttft", "TTFT: from arrival to the first token, request by request", MeasureKind.TIME),
    Measure("tpot", "TPOT: time per token after the first, request by request", MeasureKind.TIME),
    Measure("latency", "latency: from arrival to leaving, request by request", MeasureKind.TIME),
    Measure("preemptions", "preemptions, request by request", MeasureKind.COUNT),
    Measure("transferring", "exposed cache transfer, per request", MeasureKind.TIME),
    Measure("worker_traffic", "traffic each way of a worker, in sizes of the gradient", MeasureKind.RATIO),
    Measure("server_traffic", "traffic each way of the server, in sizes of the gradient", MeasureKind.RATIO),
    Measure("shard_traffic", "traffic each way of a shard, in sizes of the gradient", MeasureKind.RATIO),
    Measure("pipedream_weight_versions", "weight versions by stage, without flush (PipeDream)", MeasureKind.COUNT),
    Measure("pipedream_gradient_delay", "gradient delay by stage, without flush (PipeDream)", MeasureKind.COUNT),
    Measure("elements", "elements", MeasureKind.COUNT, by_device=True),
    Measure("received", "elements received", MeasureKind.RATIO, by_device=True),
    Measure("elements_after", "elements after the redistribution", MeasureKind.COUNT, by_device=True),
    Measure("chunks_sent", "chunks sent", MeasureKind.COUNT, by_device=True),
    Measure("computed", "computed cells of the mask", MeasureKind.COUNT),
    Measure("work", "work, in cells of the mask", MeasureKind.RATIO, by_device=True),
    Measure("slowest_work", "work of the slowest rank of each step, total", MeasureKind.RATIO),
    Measure("slots", "slots of the blocks in use", MeasureKind.COUNT),
    Measure("filled", "filled slots", MeasureKind.COUNT),
    Measure("waste", "waste: empty slots over slots", MeasureKind.SHARE),
    Measure("copies", "copies on write", MeasureKind.COUNT),
    Measure("references", "references", MeasureKind.COUNT, by_device=True),
    Measure("matching", "entries that match the leader's log", MeasureKind.COUNT, by_device=True),
    Measure("removed", "entries that the leader overwrites", MeasureKind.COUNT, by_device=True),
    Measure("commit", "commit index", MeasureKind.COUNT),
    Measure("memory", "memory of a rank, in GB", MeasureKind.RATIO, by_device=True),
    Measure("dependencies", "dependencies of datasets", MeasureKind.COUNT),
    Measure("wide", "wide dependencies", MeasureKind.COUNT),
    Measure("partitions", "partitions", MeasureKind.COUNT, by_device=True),
    Measure("capacity", "slots of each expert", MeasureKind.COUNT),
    Measure("load", "filled slots of each expert", MeasureKind.COUNT, by_device=True),
    Measure("dropped", "dropped choices", MeasureKind.COUNT),
    Measure("moved", "tokens sent to other ranks", MeasureKind.COUNT),
    Measure("speed_up", "speed-up over the first panel", MeasureKind.RATIO),
)

CATALOGUE = {measure.key: measure for measure in _MEASURES}
"""All measures by key, in the order of the documentation."""


def in_order(values: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return the measures in the order of the catalogue."""
    return MappingProxyType({key: values[key] for key in CATALOGUE if key in values})


class PanelMeasures(Record):
    """Measures of one panel; `devices` names the entries of tuples among the `values`.

    `waits` maps a device to the causes of its idle time, with durations. `classes` is the time of each class of events
    by device. `said` are results that are not numbers.
    """

    panel: str
    devices: tuple[str, ...]
    values: Mapping[str, Value]
    waits: Mapping[str, Mapping[str, Fraction]] = NOTHING
    classes: Mapping[str, tuple[Fraction, ...]] = NOTHING
    said: Mapping[str, str] = NOTHING

    @property
    def makespan(self) -> Fraction:
        """End of the last operation, in time units."""
        value = self.values["makespan"]
        assert not isinstance(value, tuple)
        return Fraction(value)

    def total(self, key: str) -> Fraction:
        """Return the sum of a measure over all devices; 0 if it is missing."""
        value = self.values.get(key, ())
        return Fraction(sum(value) if isinstance(value, tuple) else value)

    def as_json(self) -> dict[str, object]:
        """Return the measures by key: integers, strings such as `"3/11"`, or lists of these by device.

        `waits` and `classes` are included if not empty.
        """
        found: dict[str, object] = {
            key: [spell_exact_number(each) for each in value] if isinstance(value, tuple) else spell_exact_number(value)
            for key, value in self.values.items()
        }
        if self.waits:
            found["waits"] = {
                device: {cause: spell_exact_number(time) for cause, time in causes.items()}
                for device, causes in self.waits.items()
            }
        if self.classes:
            found["classes"] = {
                name: [spell_exact_number(each) for each in times] for name, times in self.classes.items()
            }
        return found | dict(self.said)
