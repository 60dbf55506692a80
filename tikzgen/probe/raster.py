"""A page in pixels, asked for colours that no drawing names: shadings, patterns, images, fadings and blends."""

from __future__ import annotations

from dataclasses import dataclass, field

from tikzgen.plane.rectangles import Point

__all__ = ["MOST_PIXELS", "Raster"]

MOST_PIXELS = 4_000_000
"""What a page is drawn with at most."""

_AROUND = 2  # pixels on each side: a pattern counts by the part that it covers


@dataclass(frozen=True, slots=True)
class Raster:
    """Pixels from the top left, four bytes each: blue, green, red and one that says nothing; `scale` of them a pt."""

    width: int
    height: int
    scale: float
    pixels: bytes = field(repr=False)

    def color(self, point: Point) -> tuple[float, float, float] | None:
        """The mean colour around a point of the page; nothing beyond the page's edge."""
        x, y = int(point[0] * self.scale), self.height - 1 - int(point[1] * self.scale)
        if not (0 <= x < self.width and 0 <= y < self.height):
            return None
        left, right = max(x - _AROUND, 0), min(x + _AROUND + 1, self.width)
        rows = range(max(y - _AROUND, 0), min(y + _AROUND + 1, self.height))
        bytes_ = b"".join(self.pixels[4 * (row * self.width + left) : 4 * (row * self.width + right)] for row in rows)
        count = 255 * len(bytes_) / 4
        return sum(bytes_[2::4]) / count, sum(bytes_[1::4]) / count, sum(bytes_[0::4]) / count
