"""How a broken rule of a schedule is said: its class first, then device and operation, counted from 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tikzgen.schedule import Finding

__all__ = ["said"]


def said(broken: Finding) -> str:
    """`data dependency: device 3, operation 1: 3F0 is missing, but 3B0 needs it`."""
    text = str(broken)
    return f"data {text}" if text.startswith("dependency: ") else text
