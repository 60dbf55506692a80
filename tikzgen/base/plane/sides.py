"""The four sides of a box, by compass direction or by relative position."""

from __future__ import annotations

from typing import Literal, TypeAlias, assert_never

Compass: TypeAlias = Literal["north", "south", "east", "west"]
BoxSide: TypeAlias = Literal["above", "below", "left", "right"]


def is_level(side: Compass | BoxSide) -> bool:
    """Return whether a side is horizontal: the upper or the lower one."""
    match side:
        case "north" | "south" | "above" | "below":
            return True
        case "east" | "west" | "left" | "right":
            return False
        case _:
            assert_never(side)


def find_outward_sign(side: Compass | BoxSide) -> int:
    """Return the direction of a side on its axis: 1 for the upper and right side, -1 for the others."""
    match side:
        case "north" | "east" | "above" | "right":
            return 1
        case "south" | "west" | "below" | "left":
            return -1
        case _:
            assert_never(side)
