"""Digits take 65 % of a cell, have one size in a figure, and are in all cells of a phase and length, or in none."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import combinations

import pytest
from conftest import NIGHTLY, some
from folded import unfold

from tikzgen import loads
from tikzgen.base.plane.rectangles import Box, find_box_center
from tikzgen.layout.scene.number_words import spell_identifier
from tikzgen.layout.time.cell_texts import find_numbered_cells
from tikzgen.layout.time.time_to_position import time_unit
from tikzgen.lint.probe.drawn_pages import drawn_page
from tikzgen.model.figure import FigureModel
from tikzgen.model.timeline.timeline import Timeline

FULLEST = 0.65
_CELL = re.compile(r" *\\(?:node\[span|path\[fused)=.*cell\{")
_LENGTH = re.compile(r"(?:span=|fused=\{)([\d.]+)(?:\}\{([\d.]+)\})?")

COUNTS = {
    "pipeline": "devices: {n}\nmicrobatches: {twice}\n",
    "pipeline\nschedule: [1f1b, zb-h1]": "devices: {n}\nmicrobatches: {twice}\n",
    "pipeline\nschedule: dualpipe": "devices: {twice}\nmicrobatches: {four}\n",
    "ddp": "workers: {n}\n",
    "fsdp": "workers: {n}\n",
    "ring-all-reduce": "ranks: {twice}\n",
    "local-sgd": "workers: {n}\n",
    "stale-synchronous": "workers: {n}\n",
    "serving": "batch: {n}\n",
    "rollouts": "generators: {n}\n",
    "recovery": "workers: {twice}\n",
}
FIGURES = [
    f"recipe: {recipe}\n{facts.format(n=n, twice=2 * n, four=4 * n)}width: {width}\n"
    for recipe, facts in COUNTS.items()
    for n in (1, 4, 8, 16, 64)
    for width in (8.4, 17.8)
    if not (recipe.endswith("dualpipe") and n == 64) and (NIGHTLY or not (recipe.endswith("zb-h1]") and n == 64))
]
TWO_DIGITS = [
    f"recipe: pipeline\ndevices: 4\nmicrobatches: {count}\nwidth: {width}\n"
    for count in (11, 12, 14, 16, 20)
    for width in (10, 12, 14, 16, 17.8)
]


def digits(tex: str) -> list[tuple[float, float]]:
    """What each number in a cell takes of its cell's width as it is drawn, and its size in pt."""
    page, lines = drawn_page(tex), tex.splitlines()
    filled: dict[int, list[Box]] = defaultdict(list)
    for path in page.paths:
        if path.fill is not None and path.nodes:
            filled[path.nodes[-1]].append(path.box)
    found = []
    for line in page.lines:
        if line.node is None or not _CELL.match(lines[line.where.first - 1]):
            continue
        x, y = find_box_center(line.box)
        around = [box for box in filled[line.node] if box[0] <= x <= box[2] and box[1] <= y <= box[3]]
        cell = min(around, key=lambda box: box[2] - box[0])  # the half of a cell of two phases
        found.append(((line.box[2] - line.box[0]) / (cell[2] - cell[0]), line.size))
    return found


def shown(figure: FigureModel, tex: str) -> list[tuple[set[int], int]]:
    """For each phase and length: how many numbers the panels that show them have in all, and how many are drawn."""
    numbered: dict[tuple[str, float], list[int]] = defaultdict(list)
    for _, _, part in figure.parts(Timeline):
        unit = time_unit(figure)
        cells = [
            (spell_identifier(cell.half.phase), round(float(cell.span.duration / unit) * cell.share, 2))
            for cell in find_numbered_cells(part)
        ]
        for kind, count in Counter(cells).items():
            numbered[kind].append(count)
    drawn: Counter[tuple[str, float]] = Counter()
    for line in filter(_CELL.match, tex.splitlines()):
        length, share = _LENGTH.search(line).group(1, 2)
        first, _, second = line.partition("node[second")
        for half, part in ((first, 1 - float(share or 0)), (second, float(share or 0))):
            for phase in re.findall(r"\\(\w+)cell\{", half):  # a half without room has no number
                drawn[phase, round(float(length) * part, 2)] += 1
    return [
        ({sum(chosen) for n in range(len(counts) + 1) for chosen in combinations(counts, n)}, drawn[kind])
        for kind, counts in numbered.items()
    ]


@pytest.mark.parametrize("spec", some([*FIGURES, *TWO_DIGITS], 15), ids=repr)
def test_digits_leave_a_third_of_their_cells_and_are_alike(spec: str) -> None:
    figure = loads(spec)
    tex = unfold(figure.tex())
    found = digits(tex)
    assert max((share for share, _ in found), default=0) <= FULLEST
    assert len({size for _, size in found}) <= 1
    for possible, drawn in shown(figure, tex):
        assert drawn in possible


def test_digits_are_found_in_cells_of_one_phase_and_of_two() -> None:
    figure = loads("recipe: pipeline\nschedule: dualpipe\ndevices: 4\nmicrobatches: 8\nwidth: 17.8\n")
    found = digits(unfold(figure.tex()))
    assert len(found) == sum(drawn for _, drawn in shown(figure, unfold(figure.tex()))) > 60
    assert 0.2 < max(share for share, _ in found) <= FULLEST


@pytest.mark.parametrize(("workers", "short"), [(3, False), (64, True)])
def test_cells_of_a_phase_have_their_words_or_their_short_forms(workers: int, short: bool) -> None:
    spec = f"recipe: parameter-server\nworkers: {workers}\nupdate: 1\ntimeline: below\nwidth: 17.8\n"
    page = drawn_page(loads(spec).tex())
    words = [line.words for line in page.lines]
    assert any(word.startswith("minibatch") for word in words) != short
    assert ("0" in words) == short


NARROW_AND_WIDE = """
width: 8.4
panels:
- content:
  - type: timeline
    lanes: [{id: a, label: A}]
    spans:
    - {lane: a, start: 0, duration: 2, phase: forward, number: 88}
    - {lane: a, start: 40, duration: 40, phase: forward, number: 88}
"""


def test_equal_numbers_in_cells_of_other_widths_are_judged_apart() -> None:
    bars = re.findall(r"^ *\\(?:node\[span|path).*", loads(NARROW_AND_WIDE).tex(), re.M)
    assert [r"cell{88}" in bar for bar in bars if "forward" in bar] == [False, True]
