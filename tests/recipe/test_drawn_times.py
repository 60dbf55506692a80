"""Every cell of a recipe that runs something stands at its time, for as long: in the drawing, and in what TeX sets."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from conftest import NIGHTLY, ROOT
from folded import unfold

from tikzgen import load, loads
from tikzgen.base.cache import Cache
from tikzgen.lint.probe import probe
from tikzgen.recipe.schedule_display import Displayed
from tikzgen.recipe.simulated_recipe import Scheduled

_CELL = re.compile(
    r"\\node\[span=([\d.]+), (?:lanes=\d+, )?([a-z-]+) phase[^\]]*\] \((\w+)-[\w-]+\) at \(([\d.]+),[\d.]+\)"
)


@pytest.mark.parametrize(
    ("example", "settings"),
    [
        ("continuous-batching", ["rows=machines"]),
        ("asynchronous-rollouts", []),
        ("failures", []),
    ],
)
def test_cells_stand_at_their_times(example: str, settings: list[str]) -> None:
    figure = load(ROOT / "examples" / f"{example}.yaml", settings=settings)
    recipe = figure.origin
    assert isinstance(recipe, Scheduled)
    happened = sorted(
        (plan.panel, operation.kind, float(plan.schedule.start(index)), float(operation.duration))
        for plan in recipe.compute_plans()
        for index, operation in enumerate(plan.schedule.program.operations)
    )
    drawn = sorted(
        (panel, phase, float(start), float(lasts))
        for lasts, phase, panel, start in _CELL.findall(unfold(figure.tex()))
        if phase != "idle"
    )
    assert [each[:2] for each in drawn] == [each[:2] for each in happened]
    for cell, event in zip(drawn, happened, strict=True):
        assert cell[2:] == pytest.approx(event[2:], abs=0.002)


NAMED = "[gpipe, 1f1b, eager-1f1b, interleaved-1f1b, zb-h1, zb-h2, zb-v, dualpipe, dualpipev, chimera, interleaved-zb]"
MORE = "[looped-bfs, v-half, v-min, pipedream, pipedream-2bw, overlapped-1f1b]"
SLICED = "[terapipe, seq1f1b, seq1f1b-interleaved]"
PIPELINE = "recipe: pipeline, devices: 2, microbatches: 4, chunks: 2, forward: 4/3"
MANY = [
    f"{PIPELINE}, schedule: {NAMED}, latency: 1/2, memory: all",
    f"{PIPELINE}, schedule: {MORE}",
    f"{PIPELINE}, schedule: {SLICED}, links: true, latency: 1/2",
]
COMPILED = [
    *(MANY if NIGHTLY else []),
    f"{PIPELINE}, schedule: overlapped-1f1b, dispatch: 1/2, loss: 1, vocabulary: 1, embedding: 1",
    "recipe: pipeline, schedule: [v-half, seq1f1b], devices: 2, microbatches: 2, links: true, latency: 1/2",
    "recipe: pipeline, schedule: hanayo, devices: 3, microbatches: 3, recompute: 1, all_reduce: 2, update: 1/2",
    "recipe: pipeline, microbatches: 5, offload: 3/4, p2p: sender, latency: 1/3",
    "recipe: serving, policy: [static, continuous, chunked, disaggregated], rows: machines",
    "recipe: rollouts",
    "recipe: recovery, workers: 4, stages: 2, means: [checkpoint, redundant, rerouted]",
    "recipe: recovery, workers: 6, stages: 3, means: rerouted, inside: true, step: 18",
    "recipe: stale-synchronous, bound: [0, 1, null]",
    "recipe: ddp, workers: 2",
    "recipe: fsdp, workers: 2, backward: 3, reduce_scatter: 1",
    "recipe: ring-all-reduce, ranks: 3",
    "recipe: local-sgd, workers: 3",
]
POINTS = 72.27 / 2.54


@pytest.mark.tex
def test_tex_sets_every_cell_at_its_time() -> None:
    """By day, every second figure."""
    texts = COMPILED if NIGHTLY else COMPILED[::2]
    figures = [loads(f"{{{text}, spacing: {{timeunit: 0.4}}}}") for text in texts]
    for figure, probed in zip(figures, probe([each.tex() for each in figures], cache=Cache(None)), strict=True):
        recipe = figure.origin
        assert isinstance(recipe, Displayed)
        (page,) = probed.pages  # figures of more cells than these have no names
        edges = {node.name: sorted(x for x, _ in node.border)[:: len(node.border) - 1] for node in page.nodes}
        (unit,) = re.findall(r"\\def\\timeunit\{([0-9.]+)\}", figure.tex())
        scale = float(unit) * POINTS
        found = 0
        for plan in recipe.compute_plans():
            prefix = f"{plan.panel}-" if len(recipe.compute_plans()) > 1 else ""
            origin = None
            for index, names in recipe.draw(plan).names.items():
                lasts = plan.schedule.program.operations[index].duration
                for name in names:
                    left, right = edges[prefix + name]
                    start = Fraction(plan.schedule.start(index))
                    zero = left - float(start) * scale
                    origin = zero if origin is None else origin
                    assert (left - origin) / scale == pytest.approx(float(start), abs=0.01), name
                    assert (right - left) / scale == pytest.approx(float(lasts), abs=0.01), name
                    found += 1
        assert found > 8
