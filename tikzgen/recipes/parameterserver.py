"""A parameter server, synchronous and asynchronous: who talks to whom, and when."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, Self

from pydantic import Field, model_validator

from tikzgen.model.base import Duration, Part, fail
from tikzgen.model.entities import AnyEntity, Dots, Server, Shard, Worker
from tikzgen.model.figure import Figure, Legend, Link, Panel
from tikzgen.model.timeline import Axis, Lane, Span, Timeline
from tikzgen.model.topology import Flow, Levels, Topology
from tikzgen.recipes.base import Count, Crowd, Recipe, common
from tikzgen.recipes.rounds import Round, asynchronous, synchronous
from tikzgen.text import Numbered, Text, numbered, stacked

__all__ = ["ParameterServer"]

Mode = Literal["synchronous", "asynchronous"]


class ParameterServerLabels(Part):
    """The texts of a parameter-server figure; `{n}` is the worker's number."""

    server: Text = "parameter server"
    """In the server box, bold."""
    rule: Text = r"$\mathbf{w}_{new} = \mathbf{w} - \alpha\cdot\frac{\partial L}{\partial\mathbf{w}}$"
    """The update rule, after the server's name; maths welcome."""
    worker: Numbered = "Processor {n}"
    """In each worker's box."""
    device: Numbered = "on GPU{n} (G{n})"
    """The second line in each worker's box."""
    lane: Numbered = "G{n}"
    """At each lane of the timeline."""
    push: Text = "push (P)"
    """Beside the first push arrow."""
    gradient: Text = r"$\displaystyle\frac{\partial L}{\partial\mathbf{w}}$"
    """Beside a push arrow: what is pushed."""
    weights: Text = r"$\mathbf{w}_{new}$"
    """Beside a fetch arrow: what is fetched."""
    fetch: Text = "fetch (F)"
    """Beside the last fetch arrow."""
    fetch_span: Text = "F"
    """In the fetch blocks of the timeline."""
    compute_span: Numbered = "minibatch{n}"
    """In the compute blocks of the timeline."""
    push_span: Text = "P"
    """In the push blocks of the timeline."""
    update_span: Text = "Update"
    """In the update blocks of the timeline."""
    update_short: Text = "Upd."
    """Where `update_span` does not fit."""
    time: Text = "time line"
    """At the time arrow."""
    titles: dict[Mode, Text] = Field(
        default={"synchronous": "Synchronous\nTraining", "asynchronous": "Asynchronous\nTraining"}
    )
    """Below each timeline, bold."""
    captions: dict[Mode, Text] = Field(
        default={"synchronous": "(a) synchronous update", "asynchronous": "(b) asynchronous update"}
    )
    """Below each panel."""


class ParameterServer(Recipe):
    """Topology and timeline of a parameter server, one panel a mode."""

    recipe: Literal["parameter-server"] = "parameter-server"
    """Names the recipe."""
    id: str = Field(default="parameter-server", pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)
    """A kebab-case identifier for the metadata."""
    workers: Count = Crowd(count=3)
    """How many workers: a number, or `{count: 64, show: 3}`."""
    shards: list[Text] = Field(default=["$W_o$, $b_o$", "$W_h$, $b_h$"], max_length=16)
    """The parameter shards in the server box."""
    modes: list[Mode] = Field(default=["synchronous", "asynchronous"], min_length=1, max_length=2)
    """The panels."""
    rounds: int = Field(default=1, ge=1, le=64)
    """How often each worker goes round."""
    fetch: Duration = Fraction(1)
    """How long a fetch takes, in time units."""
    compute: list[Duration] = Field(default=[Fraction(6), Fraction(4), Fraction(4)], min_length=1)
    """How long each worker computes; repeated where there are more workers."""
    push: Duration = Fraction(1)
    """How long a push takes."""
    update: Duration = Fraction(1)
    """How long the server takes to apply an update."""
    labels: ParameterServerLabels = Field(default_factory=ParameterServerLabels)
    """The texts."""

    @model_validator(mode="after")
    def _once(self) -> Self:
        if len(set(self.modes)) < len(self.modes):
            fail(f'"{self.modes[0]}" stands twice', "modes", 1, hint="one panel a mode")
        return self

    def expand(self) -> Figure:
        """One panel a mode, each a topology beside its timeline."""
        panels, links = [], []
        for mode in self.modes:
            timeline = self._timeline(mode)
            name = "sync" if mode == "synchronous" else "async"
            caption = self.labels.captions.get(mode, "")
            panels.append(Panel(id=name, caption=caption, content=[self._topology(), timeline]))
            prefix = f"{name}." if len(self.modes) > 1 else ""
            links += self._links(prefix, timeline, whole=mode == self.modes[0])
        options = common(self)
        return Figure(panels=panels, links=links, arrange="column", legend=Legend(position="none"), **options)

    def _topology(self) -> Topology:
        texts, numbers = self.labels, self.workers.drawn
        server = Server(
            id="ps",
            label=texts.server,
            rule=texts.rule,
            icon=None,
            parts=[
                Shard(label=text, color=("otorange", "otpurple", "otteal", "otblue")[i % 4])
                for i, text in enumerate(self.shards)
            ],
        )
        workers: list[AnyEntity] = [
            Worker(
                id=f"w{n}",
                label=numbered(texts.worker, n),
                sublabel=numbered(texts.device, n),
                icon=None,
                color="otorange",
            )
            for n in numbers
        ]
        if self.workers.hidden:
            workers.insert(-1, Dots())
        flows = []
        for n in numbers:
            push, fetch = self._flow_labels(numbers.index(n), len(numbers))
            flows.append(Flow(id=f"push{n}", source=f"w{n}", target="ps", kind="push", label=push))
            flows.append(Flow(id=f"fetch{n}", source="ps", target=f"w{n}", kind="fetch", label=fetch))
        levels = Levels(levels=[["ps"], [worker.id for worker in workers]], direction="down")
        return Topology(nodes=[server, *workers], flows=flows, layout=levels)

    def _flow_labels(self, index: int, count: int) -> tuple[Text, Text]:
        """Names stand outside the bundle, formulas at its middle worker; with one or two workers, below the names."""
        texts = self.labels
        few = count < 3
        push: Text = ""
        fetch: Text = ""
        if index == 0:
            push = stacked(texts.push, texts.gradient) if few else texts.push
        if index == count - 1:
            fetch = stacked(texts.fetch, texts.weights) if few else texts.fetch
        if not few and index == (count - 1) // 2:
            push, fetch = push or texts.gradient, fetch or texts.weights
        return push, fetch

    def _timeline(self, mode: Mode) -> Timeline:
        numbers = self.workers.drawn
        times = [self.compute[(n - 1) % len(self.compute)] for n in numbers]
        cost = Round(self.fetch, self.push, self.update)
        # the last worker's lane stands next to the topology, so its links stay short
        order = list(reversed(range(len(numbers))))
        run = synchronous if mode == "synchronous" else asynchronous
        lanes = [Lane(id=f"g{numbers[worker]}", label=numbered(self.labels.lane, numbers[worker])) for worker in order]
        if self.workers.hidden:
            lanes.insert(1, Lane(id="dots", label=r"$\cdots$"))
        ids = [lane.id for lane in lanes]
        spans = []
        texts = self.labels
        for event in run(times, cost, self.rounds, order):
            n = numbers[event.workers[0]]
            first, last = (ids.index(f"g{numbers[worker]}") for worker in (event.workers[0], event.workers[-1]))
            covered = ids[first : last + 1]
            label = {
                "fetch": texts.fetch_span,
                "compute": numbered(texts.compute_span, n),
                "push": texts.push_span,
                "server-update": texts.update_span,
            }[event.phase]
            short = texts.update_short if event.phase == "server-update" else ""
            lane = covered[0] if len(covered) == 1 else covered
            spans.append(
                Span(lane=lane, start=event.start, duration=event.duration, phase=event.phase, label=label, short=short)
            )
        title = texts.titles.get(mode, "")
        return Timeline(direction="up", lanes=lanes, spans=spans, axis=Axis(label=texts.time), title=title)

    def _links(self, prefix: str, timeline: Timeline, *, whole: bool) -> list[Link]:
        """Where the blocks of the timeline happen: all of the last worker's first round, and every first update."""
        last = self.workers.drawn[-1]
        lane = f"g{last}"
        pairs = []
        if whole:
            pairs = [
                (f"{lane}-fetch1", f"fetch{last}@0.86"),
                (f"{lane}-compute1", f"w{last}"),
                (f"{lane}-push1", f"push{last}@0.86"),
            ]
        names = timeline.names()
        first: dict[str, str] = {}
        for span, name in zip(timeline.spans, names, strict=True):
            if span.phase == "server-update":
                first.setdefault(span.lanes[0], name)
        pairs += [(name, "ps") for name in first.values()]
        return [Link(source=prefix + source, target=prefix + target) for source, target in pairs]
