"""Looks of phases that a figure names without a color: the free steps of a ladder of lightness, then hatched ones."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from tikzgen.model.looks.brand_colors import COLOR_DIFFERENCE_LIMIT
from tikzgen.model.looks.palettes import Hue
from tikzgen.model.looks.phase_and_flow_looks import Hatch, Phase
from tikzgen.model.looks.vision import EYES, lightness

Palettes: TypeAlias = Mapping[str, Mapping[str, str]]

# Each step differs from each other one by `COLOR_DIFFERENCE_LIMIT` in L*, in both palettes and to all eyes.
LADDER: tuple[tuple[Hue, int], ...] = (
    ("otblue", 30),
    ("otorange", 96),
    ("otteal", 104),
    ("otpurple", 136),
    ("otblue", 152),
    ("otgray", 176),
)
HATCHES: tuple[Hatch, ...] = ("none", "north east lines", "horizontal lines", "dots", "crosshatch", "north west lines")
STEPS = tuple(Phase(color=color, tint=tint, hatch=hatch) for hatch in HATCHES for color, tint in LADDER)


def are_alike(one: Phase, other: Phase, palettes: Palettes) -> bool:
    """Return whether nothing but a color tells two phases apart."""
    if one.hatch != other.hatch:
        return False
    fills = [(one.fill(name, colors), other.fill(name, colors)) for name, colors in palettes.items()]
    return any(
        abs(lightness(mine, eyes) - lightness(yours, eyes)) < COLOR_DIFFERENCE_LIMIT
        for mine, yours in fills
        for eyes in EYES
    )


def needs_step(look: Phase) -> bool:
    """Return whether a phase has neither a color nor a tint of its own."""
    return not {"color", "tint"} & look.stated_fields()


def take_steps(own: Mapping[str, Phase], taken: Iterable[Phase], palettes: Palettes) -> dict[str, Phase]:
    """Return each of a figure's own phases on the next step that nothing before it is like, in an unused hue if any.

    Its legend entry is its name, unless it has a label. After all steps are taken, they are used again.
    """
    seen, found = list(taken), {}
    for place, (name, look) in enumerate(own.items()):
        hues = {other.color for other in seen}
        free = [step for step in STEPS if not any(are_alike(step, other, palettes) for other in seen)]
        step = min(free, key=lambda each: (each.hatch != "none", each.color in hues), default=STEPS[place % len(STEPS)])
        found[name] = look.over(step.model_copy(update={"label": name.replace("-", " ")}))
        seen.append(found[name])
    return found
