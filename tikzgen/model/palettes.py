"""The palettes: what each name stands for in the light and in the dark variant."""

from __future__ import annotations

__all__ = ["PALETTES"]

# Okabe and Ito, "Color Universal Design" (2008). The dark values are the same hues, lightened for a dark paper.
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
        "otblue": "4FA8E0",
        "otorange": "F2B53A",
        "otteal": "35C49A",
        "otpurple": "E09AC2",
        "otgray": "A9B0BA",
    },
}
