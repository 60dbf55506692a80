"""The palettes, light and dark: their colours by name."""

from typing import Literal, get_args

PaletteName = Literal["light", "dark"]
"""Of which a figure takes one."""

# Okabe and Ito, "Color Universal Design" (2008). The dark values are the same hues, so deep that the tints of phases
# rise from the dark paper by the same steps of lightness by which they sink from the white one; lines and texts are
# mixed with ink.
PALETTES: dict[str, dict[str, str]] = {
    "light": {
        "paper": "FFFFFF",
        "ink": "1A1A1A",
        "otblue": "0072B2",
        "otorange": "E69F00",
        "otteal": "009E73",
        "otpurple": "CC79A7",
        "otgray": "5A5A5A",
    },
    "dark": {
        "paper": "15181E",
        "ink": "ECEFF4",
        "otblue": "2F80BE",
        "otorange": "744A00",
        "otteal": "08765A",
        "otpurple": "93527A",
        "otgray": "A9B0BA",
    },
}

Color = Literal["otblue", "otorange", "otteal", "otpurple", "otgray"]
HUES: tuple[str, ...] = get_args(Color)
"""The palette's names, without paper and ink."""
ColorBy = Literal["phase", "microbatch", "layer", "bucket", "chunk", "lane"]
