"""Styles of phases that a figure names without a color: the steps of a ladder of lightness.

The steps are plain first, then hatched.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from tikzgen.model.looks.palettes import Hue
from tikzgen.model.looks.phase_and_flow_looks import Hatch, Phase
from tikzgen.model.looks.vision import are_distinct

Palettes: TypeAlias = Mapping[str, Mapping[str, str]]

# Two steps are distinct in both palettes.
LADDER: tuple[tuple[Hue, int], ...] = (
    ("otblue", 39),
    ("otorange", 96),
    ("otteal", 80),
    ("otpurple", 130),
    ("otblue", 152),
    ("otgray", 176),
)
HATCHES: tuple[Hatch, ...] = ("none", "north east lines", "horizontal lines", "dots", "crosshatch", "north west lines")
STEPS = tuple(Phase(color=color, tint=tint, hatch=hatch) for hatch in HATCHES for color, tint in LADDER)


def are_alike(one: Phase, other: Phase, palettes: Palettes) -> bool:
    """Return whether two phases have the same hatch and similar fills."""
    return one.hatch == other.hatch and not all(
        are_distinct(one.fill(name, colors), other.fill(name, colors)) for name, colors in palettes.items()
    )


def needs_step(look: Phase) -> bool:
    """Return whether a phase has neither a color nor a tint."""
    return not {"color", "tint"} & look.stated_fields()


def take_steps(own: Mapping[str, Phase], taken: Iterable[Phase], palettes: Palettes) -> dict[str, Phase]:
    """Return the figure's own phases on free steps of the ladder, in an unused hue if possible.

    A step is free if no phase before it is similar. The legend entry is the phase's name, unless it has a label. If no
    step is free, steps are reused.
    """
    seen, found = list(taken), {}
    for place, (name, look) in enumerate(own.items()):
        hues = {other.color for other in seen}
        free = [step for step in STEPS if not any(are_alike(step, other, palettes) for other in seen)]
        step = min(free, key=lambda each: (each.hatch != "none", each.color in hues), default=STEPS[place % len(STEPS)])
        found[name] = look.over(step.model_copy(update={"label": name.replace("-", " ")}))
        seen.append(found[name])
    return found
