"""Draw recipes without TeX, and print how well each one fills its page.

`python tools/page_survey.py [--width CM] [--palette dark] [--count N] [--pictures FOLDER] [NAME...]` prints the width
and height in cm, the share of the width that ink covers, and the share of the page within 3 mm of ink. It names the
rules of a printable figure that a page breaks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
from gallery_pictures import drawn_picture
from recipes_page import DRAWN

from tikzgen import TikzgenError
from tikzgen.layout.constants import COLUMN_HEIGHT_CM
from tikzgen.recipe.recipe_names import recipe

_DPI = 60
_CM = _DPI / 2.54  # pixels
_NEAR_CM = 0.3  # cm from ink
_INK = 30  # of 765: difference from the background, in the sum of three channels
_TOLERANCE_CM = 0.05  # about one pixel
_LEAST_USED_SHARE = 0.8
_LEAST_NEAR_SHARE = 0.5


class PageTerms(NamedTuple):
    """Size of a page in cm, the share of the asked width that is used, and the share near ink."""

    width: float
    height: float
    used: float
    near: float

    def list_broken_rules(self) -> Iterator[str]:
        """Yield the rules of a printable figure in a column that the page breaks."""
        if self.height > COLUMN_HEIGHT_CM + _TOLERANCE_CM:
            yield "tall"
        if self.used < _LEAST_USED_SHARE:
            yield "narrow"
        if self.near < _LEAST_NEAR_SHARE:
            yield "blank"


def write_spec(name: str, width: float, palette: str = "light", count: int | None = None) -> str:
    """Return the spec of a recipe; `count` sets the parameter that counts its workers."""
    counted = getattr(recipe(name), "counts", "") if count is not None else ""
    return f"recipe: {name}\nwidth: {width}\npalette: {palette}\n" + (f"{counted}: {count}\n" if counted else "")


def measure_page(png: bytes, asked: float) -> PageTerms:
    """Return the terms of a picture with 60 dpi for an asked width in cm."""
    import pymupdf

    page = pymupdf.Pixmap(png)
    step = page.n
    ground, inked = page.samples[:3], set()
    for place in range(0, len(page.samples), step):
        point = page.samples[place : place + 3]
        if point != ground and sum(abs(one - other) for one, other in zip(point, ground, strict=True)) > _INK:
            y, x = divmod(place // step, page.width)
            inked.add((x, y))
    columns = [x for x, _ in inked]
    reach = round(_NEAR_CM * _CM)
    spread = range(-reach, reach + 1)
    beside = {(x + by, y) for x, y in inked for by in spread if 0 <= x + by < page.width}
    near = {(x, y + by) for x, y in beside for by in spread if 0 <= y + by < page.height}
    used = (max(columns) - min(columns) + 1) / _CM if columns else 0.0
    return PageTerms(page.width / _CM, page.height / _CM, used / asked, len(near) / (page.width * page.height))


def survey_recipe(spec: str, asked: float) -> PageTerms:
    """Return the terms of the page of a spec."""
    return measure_page(drawn_picture(spec, _DPI), asked)


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(DRAWN))
@click.option("--width", default=8.4, help="Set the width in cm.")
@click.option("--palette", default="light", type=click.Choice(["light", "dark"]))
@click.option("--count", type=int, help="Set the number of workers, servers or experts.")
@click.option("--pictures", type=click.Path(path_type=Path), help="Write the pictures to this folder.")
def main(names: tuple[str, ...], width: float, palette: str, count: int | None, pictures: Path | None) -> None:
    """Print the terms of the pages of recipes."""
    printable = 0
    for name in names or DRAWN:
        spec = write_spec(name, width, palette, count)
        try:
            terms = survey_recipe(spec, width)
        except TikzgenError as error:
            click.echo(f"{name:24} {error}")
            continue
        broken = list(terms.list_broken_rules())
        printable += not broken
        size = f"{terms.width:5.1f} x {terms.height:4.1f} cm"
        click.echo(f"{name:24} {size}  used {terms.used:4.0%}  near ink {terms.near:4.0%}  {' '.join(broken)}")
        if pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
            (pictures / f"{name}.png").write_bytes(drawn_picture(spec, 200))
    click.echo(f"{printable} of {len(names or DRAWN)} are printable")


if __name__ == "__main__":
    main()
