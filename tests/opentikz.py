"""The schema of OpenTikZ and its first figure, which tikzgen did not write."""

from __future__ import annotations

import json

from conftest import ROOT

__all__ = ["OPENTIKZ", "SCHEMA", "SEED"]

OPENTIKZ = ROOT / "tests" / "cases" / "opentikz"
SCHEMA = json.loads((OPENTIKZ / "meta.schema.json").read_text(encoding="utf-8"))
SEED = OPENTIKZ / "distributed-training.tex"
