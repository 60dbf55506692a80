"""The ladder of owners: steps in grayscale and under color blindness, and readable texts."""

from itertools import combinations

import pytest

from tikzgen.model.looks import PALETTES, owner_look, vision
from tikzgen.model.looks.owner_fills import FEW, MANY, MOST_OWNERS_COUNT

LADDERS = [(len(FEW), (12.1, 12.2), 18.5), (len(MANY), (3.9, 3.8), 7.1)]
BLIND = [eyes for eyes in vision.EYES if eyes != "in greyscale"]


@pytest.mark.parametrize(("count", "steps", "difference"), LADDERS)
def test_the_least_steps_are_those_of_the_design(count, steps, difference):
    for palette, least in zip(PALETTES, steps, strict=True):
        fills = [owner_look(owner, count).fill(palette) for owner in range(count)]
        light = [vision.compute_lightness(fill) for fill in fills]
        assert round(min(abs(one - other) for one, other in combinations(light, 2)), 1) == least
    found = min(
        vision.compute_difference(one, other, eyes)
        for palette in PALETTES
        for one, other in combinations([owner_look(owner, count).fill(palette) for owner in range(count)], 2)
        for eyes in BLIND
    )
    assert round(found, 1) == difference


@pytest.mark.parametrize("count", [len(FEW), len(MANY)])
def test_texts_are_readable_in_both_palettes(count):
    for owner in range(count):
        look = owner_look(owner, count)
        assert look.contrast(look.text) >= vision.LEAST_CONTRAST


@pytest.mark.parametrize("palette", PALETTES)
def test_no_fill_looks_like_an_empty_cell(palette):
    paper = vision.color_of_hex(PALETTES[palette]["paper"])
    for count in (len(FEW), len(MANY)):
        for owner in range(count):
            fill = owner_look(owner, count).fill(palette)
            assert abs(vision.compute_lightness(fill) - vision.compute_lightness(paper)) > 5


def test_hue_and_depth_of_twelve_owners_are_the_axes_of_a_mesh():
    hues = [owner_look(owner, 12).color for owner in range(12)]
    assert hues == hues[:4] * 3
    assert len({*hues[:4]}) == 4


def test_every_owner_has_a_look_of_its_own():
    looks = {(look.color, look.tint, look.hatch) for look in (owner_look(k, 72) for k in range(MOST_OWNERS_COUNT))}
    assert len(looks) == MOST_OWNERS_COUNT == 72
    assert owner_look(12, 13).tint == owner_look(0, 13).tint
    assert owner_look(12, 13).hatch != "none"
