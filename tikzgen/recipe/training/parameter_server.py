"""Parameter server, synchronous and asynchronous: topology and timeline of its communication."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import Literal, Self

from pydantic import Field, model_validator

from tikzgen.base.errors import quote
from tikzgen.base.plain_words import join_words
from tikzgen.model.exact_fields import Duration
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import Phase, width_in_cm
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.panel_parts import Legend, Link, Panel
from tikzgen.model.part import Part, fail
from tikzgen.model.timeline import Axis, Lane, Span, Timeline
from tikzgen.model.topology import AnyEntity, Dots, Flow, Levels, Server, Shard, Topology, Worker
from tikzgen.recipe.few_of_many import Count, Crowd
from tikzgen.schedule import Round, WorkerBlock, make_asynchronous_rounds, make_synchronous_rounds
from tikzgen.text import LabelFont, Numbered, Tex, Text, fill_number, measure, stack_texts

Mode = Literal["synchronous", "asynchronous"]


class ParameterServerLabels(Part):
    """Labels of a parameter-server figure; `{n}` is the number of the worker."""

    server: Text = "parameter server"
    """Label of the server, in bold."""
    rule: Text = r"$\mathbf{w}_{\mathrm{new}} = \mathbf{w} - \alpha\cdot\frac{\partial L}{\partial\mathbf{w}}$"
    """Update rule, after the server's label; it can contain math."""
    worker: Numbered = "Processor {n}"
    """Label of each worker."""
    device: Numbered = "on GPU {n}"
    """Second line of each worker's label."""
    lane: Numbered = "GPU {n}"
    """Label of each lane of the timeline."""
    push: Text = "push (P)"
    """Label of the first push arrow."""
    gradient: Text = r"$\displaystyle\frac{\partial L}{\partial\mathbf{w}}$"
    """Label of a push arrow: the pushed gradient."""
    weights: Text = r"$\mathbf{w}_{\mathrm{new}}$"
    """Label of a fetch arrow: the fetched weights."""
    fetch: Text = "fetch (F)"
    """Label of the last fetch arrow."""
    fetch_span: Text = "F"
    """Label of the fetch blocks in the timeline."""
    compute_span: Numbered = "minibatch{n}"
    """Label of the compute blocks in the timeline."""
    push_span: Text = "P"
    """Label of the push blocks in the timeline."""
    update_span: Text = "Update"
    """Label of the update blocks in the timeline."""
    update_short: Text = "Upd."
    """Shorter label to use if `update_span` does not fit."""
    compute: Text = "compute"
    """Legend entry for computation. A legend with `fetch`, `push` and `update_span` is drawn if blocks are too short
    for their labels."""
    time: Text = "time line"
    """Label of the time arrow."""
    titles: dict[Mode, Text] = Field(
        default={"synchronous": "Synchronous\nTraining", "asynchronous": "Asynchronous\nTraining"}
    )
    """Titles below the timelines, in bold."""
    captions: dict[Mode, Text] = Field(
        default={"synchronous": "(a) synchronous update", "asynchronous": "(b) asynchronous update"}
    )
    """Captions below the panels."""


class ParameterServer(EditableRecipe):
    """Topology and timeline of a parameter server, one panel per mode."""

    field_group = "schedule"
    field_groups = ("durations: fetch compute push update", "display: timeline nodes first")
    common = ("workers: 3", "shards", "compute: [6, 4, 4]", "modes: [synchronous]", "update")
    counts = "workers"
    texts = ("title", "labels", "shards")
    schedule_facts = ("workers", "nodes", "modes", "rounds", "fetch", "compute", "push", "update", "shared_updates")

    recipe: Literal["parameter-server"] = "parameter-server"
    """Name of the recipe."""
    id: Slug = "parameter-server"
    workers: Count = Crowd(count=3)
    """Number of workers: a number, or `{count: 64, show: 3}`. If there are more than 12, a selection has lanes; `show`
    is the number of workers with lanes."""
    shards: list[Text] = Field(default=["$W_o$, $b_o$", "$W_h$, $b_h$"], max_length=16)
    """Labels of the parameter shards in the server box."""
    timeline: Literal["auto", "beside", "below"] = "auto"
    """Position of the timelines: next to the workers with time upward, or below them with time to the right. `auto` is
    `beside` if wide enough."""
    nodes: int | None = Field(default=None, ge=1, le=512)
    """Number of workers in the topology; an ellipsis replaces the rest. Null draws up to eight, four of more, or as
    many as fit the figure's width."""
    modes: list[Mode] = Field(default=["synchronous", "asynchronous"], min_length=1, max_length=2)
    """Modes, with one panel each."""
    first: Literal[0, 1] = 0
    """Number in the first worker's label; names of nodes count from 1."""
    rounds: int = Field(default=1, ge=1, le=64)
    """Number of rounds of each worker."""
    fetch: Duration = Fraction(1)
    """Duration of a fetch, in time units."""
    compute: list[Duration] = Field(default=[Fraction(6), Fraction(4), Fraction(4)], min_length=1)
    """Duration of the computation of each worker, in time units; with more workers, the list repeats."""
    push: Duration = Fraction(1)
    """Duration of a push, in time units."""
    update: Duration | None = None
    """Duration of an update at the server, in time units. Null is 1, or less if more than eight workers have separate
    updates, so that work takes most of the time."""
    shared_updates: bool = False
    """Whether the asynchronous server applies gradients that arrive at the same time in one update."""
    labels: ParameterServerLabels = Field(default_factory=ParameterServerLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        modes = join_words(self.modes).capitalize()
        return f"{modes} updates of a parameter server by {self.workers.workers_in_words()}: topology and timeline"

    @model_validator(mode="after")
    def _check_modes(self) -> Self:
        if len(set(self.modes)) < len(self.modes):
            fail(f"{quote(self.modes[0])} is used twice", "modes", 1, hint="one panel per mode")
        return self

    def iterate_narrower(self) -> Iterator["ParameterServer"]:
        """Yield variants with the timelines below, then with fewer workers in the topology."""
        form = self
        if self.timeline == "auto":
            form = self.model_copy(update={"timeline": "below"})
            yield form
        if self.nodes is None:
            for nodes in _WORKER_COUNTS:
                if nodes < len(self._drawn_workers):
                    yield form.model_copy(update={"nodes": nodes})

    def expand(self) -> FigureModel:
        """Return a figure with one panel per mode, each a topology with its timeline."""
        panels: list[Panel] = []
        links: list[Link] = []
        arrange: Literal["row", "column"] = "column" if self._below else "row"
        room = self._measure_shortest_block() if self._below else inf
        crowded = room < _WORD_BLOCK_CM
        for mode in self.modes:
            topology, timeline = self._make_topology(), self._make_worker_timeline(mode, self._lanes, room)
            name = _PANELS[mode]
            panels.append(
                Panel(id=name, caption=self._choose_caption(mode), content=[topology, timeline], arrange=arrange)
            )
            prefix = f"{name}." if len(self.modes) > 1 else ""
            links += self._make_links(prefix, timeline, whole=mode == self.modes[0])
        options = self.collect_common_options()
        if crowded:
            texts = self.labels
            options["phases"] = {
                "fetch": _explain_letter(texts.fetch, texts.fetch_span),
                "compute": Phase(label=texts.compute),
                "push": _explain_letter(texts.push, texts.push_span),
            }
            if "update_span" in texts.stated_fields():
                options["phases"]["server-update"] = Phase(label=texts.update_span)
        legend = Legend(position="top" if crowded else "none")
        return FigureModel(panels=panels, links=links, arrange="column", legend=legend, **options)

    def _choose_caption(self, mode: Mode) -> Text:
        """Return the caption of a panel; a single panel has no `(a)`."""
        caption = self.labels.captions.get(mode, "")
        if len(self.modes) == 1 and "captions" not in self.labels.stated_fields():
            return caption.partition(" ")[2]
        return caption

    def _measure_shortest_block(self) -> float:
        """Return the length in cm of the shortest block if the timelines occupy the whole width."""
        if self.width is None:
            return inf
        end = max(block.start + block.duration for mode in self.modes for block in self._iterate_blocks(mode))
        width = width_in_cm(self.width)
        labels = [fill_number(self.labels.lane, n - 1 + self.first) for n in self._lanes]
        widest = min(max(measure(label, LabelFont()).width for label in labels), width / 3)  # no label takes more
        return (width - _ARROW_AND_LINK_CM - widest) * float(self._shortest / end)

    def _iterate_blocks(self, mode: Mode) -> Iterator[WorkerBlock]:
        """Return the blocks of all workers, drawn or not; workers count from 0."""
        count = self.workers.count
        times = [self.compute[worker % len(self.compute)] for worker in range(count)]
        # The links start at the worker whose lane is next to the topology, so that they are short.
        order = range(count) if self._below else range(count)[::-1]
        cost = Round(self.fetch, self.push, self._update(mode))
        if mode == "synchronous":
            return make_synchronous_rounds(times, cost, self.rounds, order)
        return make_asynchronous_rounds(times, cost, self.rounds, order, shared=self.shared_updates)

    @property
    def _below(self) -> bool:
        """Whether time runs to the right: as requested, or because upright lanes would not fit.

        Upright lanes do not fit if updates queue up, or if blocks are too short compared with others for the height of
        a page. They are also avoided if the width would make them as wide as long.
        """
        if self.timeline != "auto":
            return self.timeline == "below"
        if (
            self.width is not None
            and width_in_cm(self.width) - _TOPOLOGY_WIDTH > _UPRIGHT_LANES_WIDTH * self.workers.count
        ):
            return True
        trip = self.fetch + max(self.compute) + self.push + max(map(self._update, self.modes))
        if trip > _UPRIGHT_BLOCKS_COUNT * self._shortest:
            return True
        return "asynchronous" in self.modes and self._updates > _QUEUE_ROUNDS * trip

    @property
    def _updates(self) -> Fraction:
        """Duration of all updates on the server in sequence, with the default duration of an update."""
        usual = Fraction(1) if self.update is None else self.update
        return usual * self.rounds * (1 if self.shared_updates else self.workers.count)

    def _update(self, mode: Mode) -> Fraction:
        """Return the duration of an update: one for all workers, or one for each."""
        if self.update is not None:
            return self.update
        alone = mode == "asynchronous" and not self.shared_updates
        return max(_LEAST_UPDATE, Fraction(8, max(self.workers.count, 8))) if alone else Fraction(1)

    @property
    def _shortest(self) -> Fraction:
        """Duration of the shortest blocks, except computation."""
        return min(self.fetch, self.push, *map(self._update, self.modes))

    @property
    def _lanes(self) -> list[int]:
        """Numbers of the workers with lanes: a few if two panels with all lanes do not fit on a page."""
        crowd = self.workers
        show = crowd.show or (crowd.collapse if crowd.count > _MOST_LANES_COUNT else None)
        return Crowd(count=crowd.count, show=show).drawn_numbers

    @property
    def _drawn_workers(self) -> list[int]:
        """Numbers of the workers in the topology."""
        numbers = self._lanes
        most = self.nodes or self.workers.collapse
        if most is None or most >= len(numbers):
            return numbers
        return [*numbers[: most - 1], numbers[-1]]

    def _make_topology(self) -> Topology:
        texts, numbers = self.labels, self._drawn_workers
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
                label=fill_number(texts.worker, n - 1 + self.first),
                sublabel=fill_number(texts.device, n - 1 + self.first),
                icon=None,
                color="otorange",
            )
            for n in numbers
        ]
        if len(numbers) < self.workers.count:
            workers.insert(-1, Dots())
        flows = []
        for n in numbers:
            push, fetch = self._flow_labels(numbers.index(n), len(numbers))
            flows.append(Flow(id=f"push{n}", source=f"w{n}", target="ps", kind="push", label=push))
            flows.append(Flow(id=f"fetch{n}", source="ps", target=f"w{n}", kind="fetch", label=fetch))
        levels = Levels(levels=[["ps"], [worker.id for worker in workers]], direction="down")
        return Topology(nodes=[server, *workers], flows=flows, layout=levels)

    def _flow_labels(self, index: int, count: int) -> tuple[Text, Text]:
        """Return the labels of a worker's flows.

        Names are at the outermost flows, formulas at the middle worker; with one or two workers, formulas are below
        the names.
        """
        texts = self.labels
        few = count < 3
        push: Text = ""
        fetch: Text = ""
        if index == 0:
            push = stack_texts(texts.push, texts.gradient) if few else texts.push
        if index == count - 1:
            fetch = stack_texts(texts.fetch, texts.weights) if few else texts.fetch
        if not few and index == (count - 1) // 2:
            push, fetch = push or texts.gradient, fetch or texts.weights
        return push, fetch

    def iterate_timelines(self) -> Iterator[tuple[str, Timeline]]:
        """Yield the id of each panel and the timeline of all workers, drawn or not, for measures."""
        for mode in self.modes:
            yield _PANELS[mode], self._make_worker_timeline(mode, range(1, self.workers.count + 1), inf)

    def _make_worker_timeline(self, mode: Mode, numbers: Sequence[int], room: float) -> Timeline:
        """Return the lanes of the workers with these `numbers`, from 1, and an ellipsis for the others.

        `room` is the length of the shortest block, in cm. Labels that do not fit are left to the legend.
        """
        below = self._below
        ratio = self._shortest / min(self.compute)
        number = (_LETTER_BLOCK_CM + _DIGIT_CM * (len(str(self.workers.count)) - 1)) * float(ratio)
        shown = list(numbers) if below else list(reversed(numbers))
        lanes = [
            Lane(id=f"g{n}", label=fill_number(self.labels.lane, n - 1 + self.first), worker=f"w{n}") for n in shown
        ]
        if len(shown) < self.workers.count:
            lanes.insert(-1 if below else 1, Lane(id="dots", ellipsis=True))
        places = {lane.id: place for place, lane in enumerate(lanes)}
        spans = []
        texts = self.labels
        for block in self._iterate_blocks(mode):
            mine = [places[lane] for worker in block.workers if (lane := f"g{worker + 1}") in places]
            if not mine:
                continue
            n = block.workers[0] + self.first
            covered = [lane.id for lane in lanes[min(mine) : max(mine) + 1]]
            label, short = {
                "fetch": (texts.fetch_span, ""),
                "compute": (fill_number(texts.compute_span, n), str(n) if below else ""),
                "push": (texts.push_span, ""),
                "server-update": (texts.update_span, texts.update_short),
            }[block.phase]
            if room < {"compute": number, "server-update": _WORD_BLOCK_CM}.get(block.phase, _LETTER_BLOCK_CM):
                label = short = ""  # the legend has it
            where = covered[0] if len(covered) == 1 else covered
            spans.append(
                Span(
                    lane=where, start=block.start, duration=block.duration, phase=block.phase, label=label, short=short
                )
            )
        title = texts.titles.get(mode, "")
        axis = Axis(label=texts.time)
        if below:
            return Timeline(direction="right", lanes=lanes, spans=spans, axis=axis, summary=_in_one_line(title))
        return Timeline(direction="up", lanes=lanes, spans=spans, axis=axis, title=title)

    def _make_links(self, prefix: str, timeline: Timeline, *, whole: bool) -> list[Link]:
        """Return the links from blocks of the timeline to the topology."""
        pairs = self._links_below(timeline) if self._below else self._links_beside(timeline, whole=whole)
        return [Link(source=prefix + source, target=prefix + target) for source, target in pairs]

    def _links_beside(self, timeline: Timeline, *, whole: bool) -> Iterator[tuple[str, str]]:
        """Yield links of the last worker's first round, and of the first updates."""
        last = self._lanes[-1]
        lane = f"g{last}"
        if whole:
            yield f"{lane}-fetch1", f"fetch{last}@0.86"
            yield f"{lane}-compute1", f"w{last}"
            yield f"{lane}-push1", f"push{last}@0.86"
        first: dict[str, str] = {}
        for span, name in zip(timeline.spans, timeline.names(), strict=True):
            if span.phase == "server-update":
                first.setdefault(span.lanes[0], name)
        yield from ((name, "ps") for name in first.values())

    def _links_below(self, timeline: Timeline) -> Iterator[tuple[str, str]]:
        """Yield links of the first worker's computation and update: its lane is not covered by others."""
        worker = self._lanes[0]
        lane = f"g{worker}"  # the first lane, except for an ellipsis before the only drawn worker
        if worker in self._drawn_workers:
            yield f"{lane}-compute1", f"w{worker}"
        for span, name in zip(timeline.spans, timeline.names(), strict=True):
            if span.phase == "server-update" and lane in span.lanes:
                yield name, "ps"
                return


_PANELS: dict[Mode, str] = {"synchronous": "sync", "asynchronous": "async"}
_ARROW_AND_LINK_CM = 0.45  # cm for the tip of the time arrow and a link around the lanes
_TOPOLOGY_WIDTH = 9.0  # cm of a topology next to upright lanes, and the length of such lanes
_UPRIGHT_LANES_WIDTH = 5.0  # cm per lane
_LEAST_UPDATE = Fraction(1, 4)  # of a time unit: shorter updates are invisible
_QUEUE_ROUNDS = 1  # rounds of queued updates allowed in an upright timeline
_UPRIGHT_BLOCKS_COUNT = 20  # maximum height of an upright timeline, in shortest blocks
_WORD_BLOCK_CM = 0.6  # cm: shorter blocks have no room for the label of an update
_LETTER_BLOCK_CM = 0.28  # cm: shorter blocks have no room for a letter
_DIGIT_CM = 0.12  # cm: width of each further digit
_MOST_LANES_COUNT = 12  # lanes in half a page, next to the topology
_WORKER_COUNTS = (16, 12, 10, 8, 7, 6, 5, 4, 3, 2)  # numbers of workers to try in a topology that is too wide


def _in_one_line(text: Text) -> Text:
    return text if isinstance(text, Tex) else " ".join(text.split("\n"))


def _explain_letter(text: Text, letter: Text) -> Phase:
    """Return a phase whose legend entry explains the letter in its cells, if they show it."""
    label = text.replace(f" ({letter})", "")
    return Phase(label=label, cell_label=text) if label != text else Phase(label=text)
