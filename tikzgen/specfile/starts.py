"""Specs to start from that name no recipe: a figure of several panels, and one of each kind of content."""

from __future__ import annotations

from tikzgen.base.shipped import template_folder

STARTS = ("figure", "topology", "timeline", "sequence")


def start(name: str) -> str:
    """The text of one of `STARTS`, with comments."""
    return (template_folder() / "new" / f"{name}.yaml").read_text(encoding="utf-8")
