"""Topologies laid out here, by Graphviz dot, by ELK and by d2, judged alike, as a table.

    python tests/benchmarks/topologies.py [--ours] [SPEC.yaml ...]

Without specs, those of `tests/cases/topologies`; with `--ours`, as they are laid out here alone. dot, ELK and d2 (its
WebAssembly, with ELK and with dagre; TALA is not in it) are installed by npm in a folder of their own, for this run:
nothing else needs them. They draw the same graphs with the same sizes of entities and texts, but for d2, which measures
texts itself, in 8 px; frames are clusters; in the better of two directions: that with fewer faults, then with fewer
crossings. Faults are those of `tests/topology_judge.py`; labels of d2 mask their own line.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from topology_judge import Seen, near_legs, seen, told  # noqa: E402

from tikzgen import Figure, load  # noqa: E402
from tikzgen.base.plane.path import flatten_curve  # noqa: E402
from tikzgen.base.plane.rectangles import Box, Point, compute_bounding_box, lines_cross  # noqa: E402
from tikzgen.base.plane.units import CM_PER_PT, PT_PER_CM  # noqa: E402
from tikzgen.base.record import Record  # noqa: E402
from tikzgen.compile.draw.draw_tex import draw  # noqa: E402
from tikzgen.layout.label_sizes import Sizes  # noqa: E402
from tikzgen.model.topology.topology import Topology  # noqa: E402
from tikzgen.text.spoken_labels import label_to_unicode  # noqa: E402

PACKAGES = ("elkjs@0.12.0", "@viz-js/viz@3.12.0", "@terrastruct/d2@0.1.33")
ENGINES = {
    "tikzgen": "tikzgen",
    "dot": "Graphviz dot",
    "elk": "ELK layered",
    "d2-elk": "d2 with ELK",
    "d2-dagre": "d2 with dagre",
}


class Row(Record):
    """What a picture comes to: sizes in cm."""

    faults: int
    crossings: int
    turns: int
    wide: float
    tall: float
    area: float

    def __str__(self) -> str:
        return f"{self.faults} | {self.crossings} | {self.turns} | {self.wide:.1f} x {self.tall:.1f} | {self.area:.1f}"


def row(found: Seen, wide: float, tall: float) -> Row:
    """What a picture comes to; curves have no corners."""
    ways = [way for _, _, way in found.lines]
    crossings = sum(
        lines_cross(*leg, *other) for one, two in combinations(ways, 2) for leg, other in near_legs(one, two, 1e-9)
    )
    turns = sum(_turns(a, b, c) for way in ways for a, b, c in zip(way, way[1:], way[2:], strict=False))
    return Row(len(told(found)), crossings, turns, wide, tall, wide * tall / len(found.feet))


def _turns(a: Point, b: Point, c: Point) -> bool:
    """Whether a way turns by about a right angle."""
    (u0, v0), (u1, v1) = ((b[0] - a[0], b[1] - a[1]), (c[0] - b[0], c[1] - b[1]))
    return abs(u0 * v1 - v0 * u1) > abs(u0 * u1 + v0 * v1)


def graph_of(figure: Figure, part: Topology, found: Seen) -> dict[str, Any]:
    """The same topology for the others, with our sizes in pt."""
    sizes = Sizes(figure.measured)

    def size(text: str) -> dict[str, float]:
        room = sizes.measure_label(text, figure.font.family, False, figure.font.size) if text else None
        tall = room.height + room.depth if room else 0.0
        return {"wide": room.width / CM_PER_PT if room else 0.0, "tall": tall / CM_PER_PT}

    nodes = []
    for name, boxes in found.feet.items():
        left, low, right, high = compute_bounding_box([point for box in boxes for point in (box[:2], box[2:])])
        nodes.append({"id": name, "wide": (right - left) * PT_PER_CM, "tall": (high - low) * PT_PER_CM})

    def said(text: str) -> dict[str, Any]:
        return {**size(text), "text": label_to_unicode(text)}

    groups = [{"id": group.id, "members": group.members, **said(group.label)} for group in part.groups]
    flows = [{"source": flow.source, "target": flow.target, **said(flow.label)} for flow in part.flows]
    return {"nodes": nodes, "groups": groups, "flows": flows}


def others(graphs: Sequence[Mapping[str, Any]]) -> list[dict[str, list[dict[str, Any]]]]:
    """The graphs as the others lay them out."""
    with tempfile.TemporaryDirectory() as folder:
        install = ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", folder, *PACKAGES]
        subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
        script = str(Path(__file__).with_suffix(".mjs"))
        told = json.dumps(graphs)
        made = subprocess.run(["node", script, folder], input=told, capture_output=True, text=True, check=True)
    answers: list[dict[str, list[dict[str, Any]]]] = json.loads(made.stdout)
    return answers


def drawn(made: Mapping[str, Any], part: Topology, inside: Mapping[str, frozenset[str]]) -> Row:
    """One of their pictures, judged."""

    def box(place: Sequence[float]) -> tuple[float, float, float, float]:
        left, top, right, bottom = (each / PT_PER_CM for each in place)
        return left, -bottom, right, -top

    masks = made.get("masks") or [None] * len(part.flows)
    lines = tuple(
        (flow.source, flow.target, piece)
        for flow, way, mask in zip(part.flows, made["flows"], masks, strict=True)
        for piece in _pieces(tuple(_way(way)), box(mask) if mask else None)
    )
    found = Seen(
        {name: (box(place),) for name, place in made["nodes"].items()},
        {name: box(place) for name, place in made["groups"].items()},
        dict(inside),
        lines,
        tuple(map(box, (*made["texts"], *filter(None, masks)))),
    )
    return row(found, made["wide"] / PT_PER_CM, made["tall"] / PT_PER_CM)


def _way(way: Mapping[str, Any]) -> Iterator[Point]:
    points = [(x / PT_PER_CM, -y / PT_PER_CM) for x, y in way["points"]]
    if not way.get("curved"):
        yield from points
        return
    yield points[0]
    for place in range(0, len(points) - 1, 3):
        yield from flatten_curve(points[place : place + 4], 12)[1:]


def _pieces(way: tuple[Point, ...], mask: Box | None) -> Iterator[tuple[Point, ...]]:
    """A line without what its own label masks."""
    if mask is None:
        yield way
        return
    fine = [
        (x0 + (x1 - x0) * step / 40, y0 + (y1 - y0) * step / 40)
        for (x0, y0), (x1, y1) in pairwise(way)
        for step in range(40)
    ]
    outside = [not (mask[0] <= x <= mask[2] and mask[1] <= y <= mask[3]) for x, y in fine]
    first = next((place for place, free in enumerate(outside) if not free), len(fine))
    last = len(fine) - next((place for place, free in enumerate(reversed(outside)) if not free), len(fine))
    yield from (piece for piece in (tuple(fine[:first]), (*fine[last:], way[-1])) if len(piece) > 1)


def main(arguments: Sequence[str]) -> None:
    paths = [each for each in arguments if each != "--ours"]
    engines = ["tikzgen"] if "--ours" in arguments else [*ENGINES]
    figures = {
        path.stem: load(path)
        for path in (map(Path, paths) if paths else sorted((ROOT / "tests" / "cases" / "topologies").glob("*.yaml")))
    }
    parts, ours, graphs, seconds, inside = [], [], [], [], []
    for figure in figures.values():
        (part,) = (part for _, _, part in figure.parts(Topology))
        start = process_time()
        tex = figure.tex()
        seconds.append(process_time() - start)
        drawing = draw(tex)
        found = seen(drawing, part)
        left, low, right, high = drawing.box
        parts.append(part)
        inside.append(found.inside)
        ours.append(row(found, (right - left) / PT_PER_CM, (high - low) / PT_PER_CM))
        graphs.append(graph_of(figure, part, found))
    rows: dict[str, list[Row]] = {"tikzgen": ours, **{name: [] for name in engines if name != "tikzgen"}}
    for answer, part, held in zip(others(graphs), parts, inside, strict=True) if len(engines) > 1 else ():
        for name, pictures in answer.items():
            rows[name].append(
                min((drawn(one, part, held) for one in pictures), key=lambda row: (row.faults, row.crossings))
            )
    print("| topology | seconds |" + " faults | crossings | turns | cm | cm2 an entity |" * len(engines))
    print("|---|---|" + "---|" * 5 * len(engines))
    for place, name in enumerate(figures):
        print(f"| {name} | {seconds[place]:.2f} | {' | '.join(str(rows[engine][place]) for engine in engines)} |")
    for engine in engines:
        every = rows[engine]
        print(
            f"{ENGINES[engine]}: {sum(row.faults for row in every)} faults,"
            f" {sum(row.crossings for row in every)} crossings,"
            f" in the middle {median(row.turns for row in every):g} turns and {median(row.area for row in every):.1f}"
            f" cm2 an entity, {sum(row.wide > 17.8 for row in every)} wider than 17.8 cm,"
            f" {sum(row.tall > 22 for row in every)} taller than 22"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
