"""What earlier formats took for granted, said where a description of theirs is read: its picture stays as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tikzgen.tikz.embedded_spec import FORMAT, TAKEN_BACK, identity_of

_EVERY = "every recipe"
_MANY = {name: {"show": 4096} for name in ("ddp", "fsdp", "local-sgd", "recovery", "stale-synchronous")}
_DEFAULTS: Mapping[int, Mapping[str, Mapping[str, Any]]] = {
    3: {
        "gradient-accumulation": {"labels": {"update": "gradient update"}},
        "parameter-server": {"labels": {"compute": "minibatch"}},
        "pipeline": {"durations": "stage"},
        "serving": {"labels": {"waiting": "waiting"}},
    },
    2: {
        _EVERY: {"title": ""},
        "data-parallel": {"title": "Distributed data-parallel training"},
        "gradient-accumulation": {"first": 1, "show": 1024},
        "parameter-server": {"first": 1, "labels": {"device": "on GPU{n} (G{n})", "lane": "G{n}"}},
        **_MANY,
    },
    1: {
        "gradient-accumulation": {"labels": {"device": "GPU{n}"}},
        "local-sgd": {"labels": {"device": "worker {n}"}},
        "parameter-server": {
            "labels": {
                "rule": r"$\mathbf{w}_{new} = \mathbf{w} - \alpha\cdot\frac{\partial L}{\partial\mathbf{w}}$",
                "weights": r"$\mathbf{w}_{new}$",
            }
        },
        "ring-all-reduce": {"labels": {"device": "rank {n}"}},
        "stale-synchronous": {"labels": {"device": "worker {n}"}},
    },
}
"""What facts and texts of recipes were by default up to a format, where they are something else today."""
_THEN_ALONE: Mapping[str, Mapping[str, Any]] = {"fsdp": {"backward": 4, "reduce_scatter": 1}}
"""What was by default in the format that was taken back."""


def as_it_was(data: Mapping[str, Any]) -> dict[str, Any]:
    """A description with what its format had by default, where that is another default today."""
    identity = identity_of(data)
    if identity is None or identity.format == FORMAT:
        return dict(data)
    alone = identity.format == TAKEN_BACK
    facts: dict[str, Any] = dict(_THEN_ALONE.get(str(data.get("recipe")), {})) if alone else {}
    texts: dict[str, Any] = {}
    for last, recipes in _DEFAULTS.items():
        for name in (_EVERY, str(data.get("recipe"))) if identity.format <= last else ():
            then = recipes.get(name, {})
            facts |= {fact: value for fact, value in then.items() if fact != "labels"}
            texts |= then.get("labels", {})
    labels = data.get("labels", {})
    said = {"labels": {**texts, **labels}} if texts and isinstance(labels, dict) else {}
    return {**facts, **data, **said}
