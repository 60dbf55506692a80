"""Entities whose kind is left out: their id or their icon says it, or else they are boxes."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import tikzgen
from tikzgen.spec.schema import spec_schema_text

TOLD: list[tuple[dict[str, Any], str | None]] = [
    ({"id": "w1"}, "worker"),
    ({"id": "gpu0", "icon": "laptop"}, "worker"),
    ({"id": "rank-3"}, "worker"),
    ({"id": "ps"}, "server"),
    ({"id": "server-2", "rule": "$x$"}, "server"),
    ({"id": "data"}, "data-source"),
    ({"id": "dots"}, "ellipsis"),
    ({"id": "a", "icon": "gpu"}, "worker"),
    ({"id": "a", "icon": "server"}, "server"),
    ({"id": "a", "icon": "dataset"}, "data-source"),
    ({"id": "a", "icon": "switch"}, "node"),
    ({"id": "w1", "kind": "node"}, "node"),
    ({"id": "a"}, "node"),
    ({"id": "warehouse", "icon": None}, "node"),
    ({"id": "w1", "rule": "$x$"}, None),  # a worker has no rule
    ({"id": 1}, None),
]


@cache
def schema() -> Draft202012Validator:
    return Draft202012Validator(json.loads(spec_schema_text()))


@pytest.mark.parametrize(("node", "kind"), TOLD, ids=str)
def test_a_kind_left_out_is_as_id_or_icon_says(node: dict[str, Any], kind: str | None) -> None:
    spec = {"panels": [{"content": [{"type": "topology", "nodes": [node]}]}]}
    # the schema does not know which kind an id says
    assert schema().is_valid(spec) >= (kind is not None)
    if kind is None:
        with pytest.raises(tikzgen.SpecError, match=r"<string>:1:\d+: panels\[0\]\.content\[0\]\.nodes\[0\]"):
            tikzgen.loads(json.dumps(spec))
        return
    (found,) = tikzgen.loads(json.dumps(spec)).panels[0].content[0].nodes  # type: ignore[attr-defined]
    assert found.kind == kind
    assert tikzgen.Topology(nodes=[node]).nodes[0] == found
