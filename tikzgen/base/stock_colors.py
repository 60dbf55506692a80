"""The colours that xcolor knows without being told."""

from __future__ import annotations

from collections.abc import Mapping

STOCK: Mapping[str, tuple[float, float, float]] = {
    "black": (0, 0, 0),
    "white": (1, 1, 1),
    "red": (1, 0, 0),
    "green": (0, 1, 0),
    "blue": (0, 0, 1),
    "yellow": (1, 1, 0),
    "magenta": (1, 0, 1),
    "cyan": (0, 1, 1),
    "gray": (0.5, 0.5, 0.5),
    "darkgray": (0.25, 0.25, 0.25),
    "lightgray": (0.75, 0.75, 0.75),
    "brown": (0.75, 0.5, 0.25),
    "lime": (0.75, 1, 0),
    "olive": (0.5, 0.5, 0),
    "orange": (1, 0.5, 0),
    "pink": (1, 0.75, 0.75),
    "purple": (0.75, 0, 0.25),
    "teal": (0, 0.5, 0.5),
    "violet": (0.5, 0, 0.5),
}
"""Each by its shares of red, green and blue."""
