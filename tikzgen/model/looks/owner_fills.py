"""Fills of owners: a ladder of hues and tints, which depends on how many owners a figure has.

The ladders were found by annealing over hues and tints, for the largest steps in grayscale, in both palettes, and under
color blindness. Each fill has a contrast of 1.2:1 to the ground. Of twelve owners, four in a row have four hues, and
every fourth one is deeper.
"""

from __future__ import annotations

from collections.abc import Sequence

from tikzgen.model.looks.palettes import Hue
from tikzgen.model.looks.phase_and_flow_looks import Hatch, Phase

Fill = tuple[Hue, int]
FEW: tuple[Fill, ...] = (("otblue", 16), ("otteal", 54), ("otorange", 56), ("otpurple", 91))
"""Fills of up to four owners."""
MANY: tuple[Fill, ...] = (
    *(("otblue", 64), ("otorange", 51), ("otteal", 63), ("otpurple", 26)),
    *(("otblue", 84), ("otorange", 69), ("otteal", 126), ("otpurple", 123)),
    *(("otblue", 127), ("otorange", 121), ("otteal", 172), ("otpurple", 158)),
)
"""Fills of up to twelve owners."""
OWNER_HATCHES: tuple[Hatch, ...] = (
    "none",
    "north east lines",
    "horizontal lines",
    "dots",
    "crosshatch",
    "north west lines",
)
MOST_OWNERS_COUNT = len(MANY) * len(OWNER_HATCHES)
"""Maximum number of owners: each hatch repeats the fills."""


def owner_ladder(count: int) -> Sequence[Fill]:
    """Return the fills for a number of owners."""
    return FEW if count <= len(FEW) else MANY


def owner_look(owner: int, count: int) -> Phase:
    """Return the style of an owner, counted from 0, in a figure with `count` owners."""
    fills = owner_ladder(count)
    color, tint = fills[owner % len(fills)]
    hatch = OWNER_HATCHES[owner // len(fills) % len(OWNER_HATCHES)]
    return Phase(label=f"owner {owner}", color=color, tint=tint, hatch=hatch)
