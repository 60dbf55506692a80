"""`fig.meta.json`: a figure's metadata with its edit contract, from the same scene that its text comes from."""

from __future__ import annotations

from typing import Any

from tikzgen.contract.rules import invariants, naming, operations
from tikzgen.describe import About
from tikzgen.describe.speech import spoken
from tikzgen.layout.scene import Parameter, Scene
from tikzgen.model.figure import Figure

__all__ = ["metadata"]


def metadata(figure: Figure, scene: Scene, words: About) -> dict[str, Any]:
    """The metadata as OpenTikZ's schema has it (`additionalProperties` are refused there); `words` describe it."""
    meta = figure.meta
    found: dict[str, Any] = {
        "id": figure.id,
        "name": meta.name or spoken(figure.title) or figure.id,
        "type": "template",
        "domain": list(dict.fromkeys(meta.domain)),
        "tags": list(dict.fromkeys(meta.tags)),
    }
    if meta.venue:
        found["venue"] = list(dict.fromkeys(meta.venue))
    found |= {
        "author": meta.author,
        "license": meta.license,
        "requires": ["tikz", *scene.libraries, *scene.packages, *(_CJK if scene.cjk else ())],
        "preview": f"{figure.id}.svg",
    }
    icons = list(dict.fromkeys(picture.icon for picture in scene.icons))
    if icons:
        found["composed_of"] = icons
    found["description"] = words.description
    if scene.parameters and scene.styles:  # a lone node without text has nothing to edit
        found["edit_contract"] = {
            "parameters": [_parameter(parameter) for parameter in scene.parameters],
            "node_naming": naming(figure, scene),
            # how a curve runs is no look
            "styles": [style.name for style in scene.styles if style.kind != "bow"],
            "operations": operations(figure, scene),
            "invariants": invariants(figure, scene),
        }
    return found


_CJK = ("iftex", "CJKutf8", "xeCJK", "luatexja-fontspec")


def _parameter(parameter: Parameter) -> dict[str, str]:
    entry = {"name": parameter.macro, "type": parameter.type, "meaning": parameter.meaning}
    entry |= {"default": parameter.value} if parameter.value else {}
    return entry | (
        {"invariant": f"at least {min(parameter.least, float(parameter.value)):g}"} if parameter.least else {}
    )
