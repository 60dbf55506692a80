"""What has failed, is idle, slow, new or highlighted: seen as that, and every text is read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import get_args

import pytest
import yaml
from conftest import some

from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.lint.probe.look_at_figures import drawing_of, look_at
from tikzgen.model.looks.icons import discover_icons
from tikzgen.model.looks.palettes import PALETTES
from tikzgen.model.topology import node_shapes
from tikzgen.model.topology.entities import Entity
from tikzgen.spec.settings.house_style import SHIPPED_STYLES

STATES = get_args(Entity.model_fields["state"].annotation)
SHAPES = [name for name in node_shapes.SHAPES if name != "card"]
CELLS = [{"label": "a"}, {"label": "b"}]


def entities() -> Iterator[dict[str, object]]:
    """One of each icon and shape."""
    for icon in sorted(discover_icons()):
        yield {"id": f"an-{icon}", "label": icon.replace("-", " "), "icon": icon}
    for shape in SHAPES:
        yield {"id": f"{shape}-shape", "label": shape, "sublabel": "queue", "shape": shape}
    yield {"id": "card", "label": "card", "shape": "card", "icon": "gpu"}
    yield {"id": "stack", "label": "stack", "replicas": 3}
    yield {"id": "low", "label": "sum"}  # no letter of it rises
    yield {"id": "slots", "label": "slots", "parts": CELLS, "shape": "cylinder"}
    for cells in ("apart", "joined", "rows"):
        yield {"id": cells, "label": cells, "parts": CELLS, "cells": cells}
    yield {"kind": "server", "id": "rule", "label": "rule", "icon": None, "rule": "$w - g$"}


def spec(state: str, palette: str) -> str:
    nodes = [{"kind": "node", "state": state, **each} for each in entities()]
    names = [str(each["id"]) for each in nodes]
    levels = [names[at : at + 8] for at in range(0, len(names), 8)]
    content = {"type": "topology", "layout": {"type": "levels", "direction": "down", "levels": levels}, "nodes": nodes}
    legend = {} if state == "normal" else {"legend": {"of": ["states"]}}
    return yaml.safe_dump({"palette": palette, "panels": [{"content": content}], **legend})


@pytest.mark.parametrize(("state", "palette", "style"), some(product(STATES, PALETTES, SHIPPED_STYLES), 5))
def test_every_state_of_every_icon_and_shape_is_read(state: str, palette: str, style: str, tmp_path: Path) -> None:
    path = tmp_path / "figure.yaml"
    path.write_text(spec(state, palette), encoding="utf-8")
    drawing = drawing_of(SpecReading(path, [f"style@{style}"], drawn=True))
    assert drawing is not None
    looked = look_at([drawing], engine="none")
    assert (list(map(str, looked.findings)), looked.errors) == ([], [])


def test_a_legend_of_roles_and_states_is_not_taken_for_one_of_phases(tmp_path: Path) -> None:
    nodes = [{"kind": "server", "id": "ps", "label": "PS"}]
    nodes += [
        {"kind": "worker", "id": f"w{place}", "label": state, "state": state} for place, state in enumerate(STATES)
    ]
    legend = {"of": ["roles", "states"], "texts": {"idle": "waiting"}}
    path = tmp_path / "figure.yaml"
    path.write_text(yaml.safe_dump({"legend": legend, "panels": [{"content": {"type": "topology", "nodes": nodes}}]}))
    drawing = drawing_of(SpecReading(path, [], drawn=True))
    assert drawing is not None
    assert list(map(str, look_at([drawing], engine="none").findings)) == []
