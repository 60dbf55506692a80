"""The metadata beside a figure: valid by OpenTikZ's schema, true of the file, and the seed's own contract."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import EXAMPLES, ROOT, example_tex, written
from jsonschema import Draft202012Validator
from opentikz import OPENTIKZ, SCHEMA

from tikzgen import load, render

VALID = Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_metadata_is_valid_and_true_of_the_file(example: Path) -> None:
    tex = written(example)
    metadata = json.loads(example_tex(example.stem).with_suffix(".meta.json").read_text(encoding="utf-8"))
    VALID.validate(metadata)
    contract = metadata["edit_contract"]
    head, _, _ = tex.partition("% ====\n")
    for parameter in contract["parameters"]:
        argument = "#1" if parameter["type"] == "text-of-number" else ""
        assert f"\\def{parameter['name']}{argument}{{{parameter.get('default', '')}}}%" in head
    for style in contract["styles"]:
        assert f"    {style}/.style" in tex
    for library in metadata["requires"][1:]:
        assert library in tex.partition("\\begin{document}")[0]


def test_seed_contract_is_kept() -> None:
    seed = json.loads((OPENTIKZ / "distributed-training.meta.json").read_text(encoding="utf-8"))
    ours = render(load(ROOT / "examples" / "distributed-training.yaml")).metadata
    assert ours["id"] == seed["id"]
    assert ours["name"] == seed["name"]
    # our backdrop follows the figure
    assert ours["requires"] == ["tikz", *sorted({"backgrounds", *seed["requires"][1:]})]
    assert ours["composed_of"] == seed["composed_of"]
    wanted, found = seed["edit_contract"], ours["edit_contract"]
    assert [(p["name"], p["type"], p["meaning"]) for p in found["parameters"]] == [
        (p["name"], p["type"], p["meaning"]) for p in wanted["parameters"]
    ]
    defaults = {p["name"]: p["default"] for p in found["parameters"]}
    assert all(defaults[p["name"]] == p["default"] for p in wanted["parameters"] if "default" in p)
    assert found["styles"] == wanted["styles"]
    assert {o["id"] for o in found["operations"]} >= {o["id"] for o in wanted["operations"]}
    assert found["invariants"] == wanted["invariants"]
    assert found["node_naming"] == wanted["node_naming"]
