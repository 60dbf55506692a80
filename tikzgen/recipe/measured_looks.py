"""The looks of measured operations that have none of their own: hues in turn, grey for copies, fills and waits."""

from __future__ import annotations

from collections.abc import Collection

from tikzgen.model.phase_and_flow_looks import PHASES, Phase
from tikzgen.model.timeline_parts import WAIT
from tikzgen.recipe.measured_reading import Reading

_HUES = ("otteal", "otblue", "otorange", "otpurple")
_OWN = {
    "memcpy": Phase(label="copy", color="otgray", tint=85),
    "memset": Phase(label="fill", color="otgray", tint=130),
    WAIT: Phase(label="wait", color="otgray", tint=10, hatch="north east lines"),
}


def looks_of(reading: Reading, classes: Collection[str]) -> dict[str, Phase]:
    """The looks of what is drawn and has none of its own: the user's classes first."""
    used = {cell.phase for cell in reading.cells} | {WAIT for cell in reading.cells if cell.waited}
    looks = {**_OWN, **{name: _hue(place, name) for place, name in enumerate(classes)}}
    own = {name: look for name, look in looks.items() if name in used and name not in PHASES}
    unknown = used - PHASES.keys() - own.keys()
    return own | {name: _hue(place, name) for place, name in enumerate(sorted(unknown))}


def _hue(place: int, name: str) -> Phase:
    return Phase(label=name, color=_HUES[place % len(_HUES)], tint=70)
