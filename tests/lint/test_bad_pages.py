"""Each kind of bad page is found at every place of several figures, and figures without fault have no finding."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from bad_pages import KINDS, Kind
from conftest import NIGHTLY

from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.lint.probe.look_at_figures import FigureToProbe, drawing_of, look_at

FIGURES = {
    "a topology in levels": "recipe: moe\nwidth: 17.8\npalette: dark\n",
    "a topology in frames": "recipe: serving-system\nwidth: 8.4\ntitle: A system\n",
    "a cluster": "recipe: cluster\nwidth: 8.4\ntitle: Machines\n",
    "pools": "recipe: rlhf\nwidth: 17.8\n",
    "a fan": "recipe: federated\nwidth: 8.4\npalette: dark\n",
    "map and reduce": "recipe: mapreduce\nwidth: 17.8\n",
    "messages": "recipe: raft-replication\nwidth: 17.8\n",
    "messages of a commit": "recipe: two-phase-commit\nwidth: 8.4\npalette: dark\n",
    "a schedule": "recipe: pipeline\nwidth: 8.4\n",
    "streams": "recipe: fsdp\nwidth: 17.8\npalette: dark\n",
    "buckets": "recipe: ddp\nwidth: 8.4\n",
    "two panels": "recipe: pipeline\nschedule: [1f1b, zb-h1]\nwidth: 13\n",
    "shards": "recipe: sharding\nwidth: 8.4\n",
}
SAMPLE = 12 if NIGHTLY else 1
"""Places of a figure at which a fault is tried."""

STRUCK = ("TG302", "TG313")
"""Findings that come first where a larger frame runs into others."""


@cache
def draw(name: str, *settings: str) -> str:
    path = Path(f"{name.replace(' ', '-')}.yaml")
    drawing = drawing_of(SpecReading(path, settings))
    assert drawing is not None
    return drawing.source


@pytest.fixture(autouse=True)
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, spec in FIGURES.items():
        Path(f"{name.replace(' ', '-')}.yaml").write_text(spec, "utf-8")


def list_faults(kind: Kind) -> Iterator[FigureToProbe]:
    for name in FIGURES:
        changed = list(kind.change(draw(name)))
        for number in range(0, len(changed), max(1, len(changed) // SAMPLE)):
            yield FigureToProbe(f"{name} {number}", changed[number])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_bad_page_is_found(kind: Kind) -> None:
    faults = list(list_faults(kind))
    looked = look_at(faults, engine="none")
    found = {each.place.file for each in looked.findings if each.code in (kind.code, *STRUCK)}
    undrawn = {error.message.partition(": ")[0] for error in looked.errors}
    assert found == {fault.name for fault in faults} - undrawn != set()
    assert all(len(each.message) <= 200 for each in looked.findings)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_without_fault_has_no_finding(name: str) -> None:
    looks = (["palette=light"], ["palette=dark"], ["style=vivid"], ["width=12"])
    drawings = [FigureToProbe(f"{name} {look}", draw(name, *look)) for look in looks]
    looked = look_at(drawings, engine="none")
    assert ([str(each) for each in looked.findings], looked.errors) == ([], [])
