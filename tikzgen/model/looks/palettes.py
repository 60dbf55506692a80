"""Palettes, light and dark, with their colors by name; colors of the author as palette entries."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError, core_schema

from tikzgen.base.errors import quote
from tikzgen.base.stock_colors import COLORS_BY_NAME
from tikzgen.base.suggest import did_you_mean

PaletteName = Literal["light", "dark"]
"""Palettes of figures."""

# Okabe and Ito, "Color Universal Design" (2008). The dark values have similar hues. Fills mix a hue with `otbase`.
# It is lighter than the dark background, so that the main work has a contrast of 2:1 and keeps its chroma. Lines and
# labels are mixed with ink.
PALETTES: dict[str, dict[str, str]] = {
    "light": {
        "paper": "FFFFFF",
        "ink": "1A1A1A",
        "otbase": "FFFFFF",
        "otblack": "000000",
        "otblue": "0072B2",
        "otorange": "E69F00",
        "otteal": "009E73",
        "otpurple": "CC79A7",
        "otgray": "5A5A5A",
    },
    "dark": {
        "paper": "181B22",
        "ink": "ECEFF4",
        "otbase": "333A46",
        "otblack": "000000",
        "otblue": "3A9BFF",
        "otorange": "B0741A",
        "otteal": "2FBF93",
        "otpurple": "BC78A2",
        "otgray": "A9B0BA",
    },
}

Hue = Literal["otblue", "otorange", "otteal", "otpurple", "otgray"]
HUES: tuple[Hue, ...] = get_args(Hue)
"""Names of the palette's colors, without background and ink."""
_OWN_COLOR_NAME = re.compile(r"own(?:[0-9A-F]{6}|[a-z]+)")
_HEX = re.compile(r"#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})")


class OwnColor(str):
    """A color of the author, by its name in the .tex: `ownCC0000` for #cc0000, `ownred` for red."""

    __slots__ = ()

    @property
    def spelling(self) -> str:
        """Color as a spec spells it: `#CC0000`, `red`."""
        name = self.removeprefix("own")
        return name if name in COLORS_BY_NAME else f"#{name}"

    @property
    def value(self) -> str:
        """Six hexadecimal digits."""
        name = self.removeprefix("own")
        return COLORS_BY_NAME.get(name, name)


def own_color(name: str) -> OwnColor | None:
    """Return the author's color that a .tex defines under this name, or None."""
    found = OwnColor(name)
    known = _OWN_COLOR_NAME.fullmatch(name) is not None and re.fullmatch("[0-9A-F]{6}", found.value) is not None
    return found if known else None


def read_color(value: Any) -> str:
    """Return a palette name unchanged, and any other color as an `OwnColor`.

    Raise `PydanticCustomError` if the value is not a color.
    """
    if isinstance(value, str):
        if value in HUES or isinstance(value, OwnColor):
            return value
        if found := _HEX.fullmatch(value):
            digits = found[1] if len(found[1]) == 6 else "".join(2 * digit for digit in found[1])
            return OwnColor(f"own{digits.upper()}")
        name = value.lower().replace(" ", "")
        if name in COLORS_BY_NAME:
            return OwnColor(f"own{name}")
        if found_name := own_color(value):
            return found_name
    message = f"{quote(str(value))} is not a color"
    text = isinstance(value, str)
    of_palette = text and value.startswith("ot")
    known = [*HUES, *(() if of_palette else COLORS_BY_NAME)]
    is_other_hue = of_palette and value.removeprefix("ot") in COLORS_BY_NAME  # otgreen does not mean otgray
    hint = did_you_mean(value, known) if text and not is_other_hue else ""
    digits = str(value)
    if isinstance(value, (int, str)) and re.fullmatch("[0-9]{3}|[0-9]{6}", digits):
        hint = f'write it in quotes: "#{digits}"'
    hint = hint or f'write a name of the palette ({", ".join(HUES)}), of CSS (red), or digits in quotes ("#cc0000")'
    context: dict[str, Any] = {"message": message, "path": (), "hint": hint, "impossible": False}
    raise PydanticCustomError("tikzgen", "{message}", context)


class _Read:
    """Annotation that reads a color of a spec."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(read_color)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"anyOf": [{"enum": list(HUES)}, {"type": "string"}]}


Color = Annotated[
    str,
    _Read(),
    Field(description='A name of the palette, six hexadecimal digits ("#cc0000"), or a color name of CSS (red).'),
]
ColorBy = Literal["phase", "microbatch", "layer", "bucket", "chunk", "lane"]
