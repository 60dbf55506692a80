"""Trace files for the tests: recorded and synthetic ones, and files that a test writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import ROOT

from tikzgen.trace.run_model import RankTrace

__all__ = ["SYNTHETIC", "TRACES", "events_of", "kernel", "written"]

TRACES = ROOT / "tests" / "cases" / "traces"


SYNTHETIC = TRACES / "synthetic"


def events_of(rank: RankTrace) -> list[tuple[Any, ...]]:
    """The device events, in order of time, whatever numbers their names have."""
    events = rank.events
    return sorted(
        (
            events.starts[at] + rank.base,
            events.ends[at] + rank.base,
            rank.kinds[events.kinds[at]].name,
            rank.streams[events.streams[at]].name,
        )
        for at in range(len(events))
    )


def kernel(start: object, length: object = 1, name: str = "k", **more: object) -> dict[str, Any]:
    """A kernel as Kineto writes it."""
    args = {"stream": 7, "correlation": 3}
    return {
        "ph": "X",
        "cat": "kernel",
        "name": name,
        "pid": 0,
        "tid": 7,
        "ts": start,
        "dur": length,
        "args": args,
        **more,
    }


def written(folder: Path, content: object, name: str = "t.json") -> Path:
    """A file that holds this."""
    path = folder / name
    match content:
        case bytes():
            path.write_bytes(content)
        case str():
            path.write_text(content, encoding="utf-8")
        case _:
            path.write_text(json.dumps(content), encoding="utf-8")
    return path
