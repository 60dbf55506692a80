"""Descriptions in earlier formats: their defaults are added, so that their figures stay the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tikzgen.spec.embedded_spec import FORMAT, WITHDRAWN_FORMAT, identity_of

_EVERY = "every recipe"
_FORMER_DEFAULTS = {name: {"show": 4096} for name in ("ddp", "fsdp", "local-sgd", "recovery", "stale-synchronous")}
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
        **_FORMER_DEFAULTS,
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
_FORMER_DEFAULTS_ALONE: Mapping[str, Mapping[str, Any]] = {"fsdp": {"backward": 4, "reduce_scatter": 1}}
"""What was by default in the format that was taken back."""


def _with_blank_labels(data: Mapping[str, Any]) -> dict[str, Any]:
    """Add empty labels to nodes and lifelines without a label, as earlier formats drew them.

    Descriptions embedded in figures include every nonempty label. Only handwritten descriptions omit labels.
    """
    if not isinstance(data.get("panels"), list):
        return dict(data)
    return {**data, "panels": [_map_parts(panel, "content", _label_parts) for panel in data["panels"]]}


def _label_parts(content: Any) -> Any:
    for field in ("nodes", "lifelines"):
        content = _map_parts(content, field, lambda part: {"label": "", **part} if _takes_label(part) else part)
    return content


def _takes_label(part: Any) -> bool:
    return isinstance(part, dict) and part.get("kind") != "ellipsis" and not part.get("ellipsis")


def _map_parts(whole: Any, field: str, change: Callable[[Any], Any]) -> Any:
    """Change one field of a mapping, a list of parts or one part."""
    if not isinstance(whole, dict) or field not in whole:
        return whole
    parts = whole[field]
    return {**whole, field: [change(part) for part in parts] if isinstance(parts, list) else change(parts)}


def as_it_was(data: Mapping[str, Any]) -> dict[str, Any]:
    """Add the defaults of a description's format that differ from the current ones."""
    identity = identity_of(data)
    if identity is None:
        return dict(data)
    data = _with_blank_labels(data)
    if identity.format == FORMAT:
        return data
    alone = identity.format == WITHDRAWN_FORMAT
    facts: dict[str, Any] = dict(_FORMER_DEFAULTS_ALONE.get(str(data.get("recipe")), {})) if alone else {}
    texts: dict[str, Any] = {}
    for last, recipes in _DEFAULTS.items():
        for name in (_EVERY, str(data.get("recipe"))) if identity.format <= last else ():
            then = recipes.get(name, {})
            facts |= {fact: value for fact, value in then.items() if fact != "labels"}
            texts |= then.get("labels", {})
    labels = data.get("labels", {})
    said = {"labels": {**texts, **labels}} if texts and isinstance(labels, dict) else {}
    return {**facts, **data, **said}
