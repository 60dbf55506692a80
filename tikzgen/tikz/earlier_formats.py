"""What earlier formats took for granted, said where a description of theirs is read: its picture stays as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tikzgen.tikz.embedded_spec import FORMAT, identity_of

# Facts of recipes as they were by default up to format 3,
_THIRD: dict[str, dict[str, Any]] = {"pipeline": {"durations": "stage"}}
# up to format 2,
_FACTS: dict[str, dict[str, Any]] = {
    "data-parallel": {"title": "Distributed data-parallel training"},
    "gradient-accumulation": {"first": 1, "show": 1024},
    "parameter-server": {"first": 1, "labels": {"device": "on GPU{n} (G{n})", "lane": "G{n}"}},
    **{name: {"show": 4096} for name in ("ddp", "fsdp", "local-sgd", "recovery", "stale-synchronous")},
}
# and texts of format 1.
_TEXTS = {
    "gradient-accumulation": {"device": "GPU{n}"},
    "local-sgd": {"device": "worker {n}"},
    "parameter-server": {
        "rule": r"$\mathbf{w}_{new} = \mathbf{w} - \alpha\cdot\frac{\partial L}{\partial\mathbf{w}}$",
        "weights": r"$\mathbf{w}_{new}$",
    },
    "ring-all-reduce": {"device": "rank {n}"},
    "stale-synchronous": {"device": "worker {n}"},
}


def as_it_was(data: Mapping[str, Any]) -> dict[str, Any]:
    """A description with what its format had by default, where that is another default today."""
    identity = identity_of(data)
    if identity is None or identity.format == FORMAT:
        return dict(data)
    recipe = str(data.get("recipe"))
    then = dict(_THIRD.get(recipe, {}))
    if identity.format <= 2:
        then |= {"title": "", **_FACTS.get(recipe, {})}
    texts = {**then.pop("labels", {}), **(_TEXTS.get(recipe, {}) if identity.format == 1 else {})}
    labels = data.get("labels", {})
    if texts and isinstance(labels, dict):
        then["labels"] = {**texts, **labels}
    return {**data, **{name: value for name, value in then.items() if name == "labels" or name not in data}}
