"""The palette of a file: which names it defines, of which variant its values are, what a colour given in numbers is."""

from __future__ import annotations

import re
from collections import Counter

from tikzgen.model.look import PALETTES
from tikzgen.texfile import Facts
from tikzgen.texfile.source_facts import Color

_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_SCALES = {"rgb": 255.0, "RGB": 1.0}


def hex_of(model: str, value: str) -> str:
    """A colour as six hexadecimal digits in capitals; empty where the model is none of HTML, rgb, RGB and gray.

    In `rgb,255:red,0;green,114;blue,178` the value begins with what the parts are divided by.
    """
    if model == "HTML":
        return value.strip().upper()
    head, colon, parts = value.partition(":")
    if colon and model in _SCALES and {"red", "green", "blue"} <= set(re.findall("[a-z]+", parts)):
        found = dict(re.findall(r"(red|green|blue)\s*,\s*([\d.]+)", parts))
        scale = 255 / (float(head) or 1)
        given = [float(found.get(name, 0)) * scale for name in ("red", "green", "blue")]
    elif model == "gray":
        given = [float(number) * 255 for number in _NUMBER.findall(value)[:1]] * 3
    elif model in _SCALES:
        given = [float(number) * _SCALES[model] for number in _NUMBER.findall(value)]
    else:
        return ""
    if len(given) != 3 or not all(0 <= part <= 255 for part in given):
        return ""
    return "".join(f"{round(part):02X}" for part in given)


def variant(facts: Facts) -> str:
    """The palette that most colours of the file are from: light or dark."""
    found = Counter(
        name
        for name, palette in PALETTES.items()
        for color in facts.colors
        if palette.get(color.name) == hex_of(color.model, color.value)
    )
    return max(PALETTES, key=lambda name: found[name])


def names_of(facts: Facts) -> dict[str, str]:
    """The palette colours that the file defines, by their values there; the file's own word counts, not ours."""
    known = PALETTES[variant(facts)]
    return {_value(color): color.name for color in reversed(facts.colors) if color.name in known and _value(color)}


def _value(color: Color) -> str:
    return hex_of(color.model, color.value)
