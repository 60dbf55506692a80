"""The ladder of owners: steps in grayscale and under color blindness, and readable texts."""

from itertools import combinations, pairwise

import pytest

from tikzgen import Figure
from tikzgen.base.cache import Cache
from tikzgen.layout.cells.cells_facts import RAMP_LOOKS
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.model.looks import PALETTES, owner_look, vision
from tikzgen.model.looks.owner_fills import FEW, MANY, MOST_OWNERS_COUNT, OWNER_HATCHES
from tikzgen.model.looks.phase_and_flow_looks import ROLES

LADDERS = [(len(FEW), (7.0, 6.6), 11.1), (len(MANY), (3.9, 3.8), 7.1)]
BLIND = [eyes for eyes in vision.EYES if eyes != "in grayscale"]


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
def test_fills_of_owners_roles_and_values_differ_from_the_ground(palette):
    paper = vision.color_of_hex(PALETTES[palette]["paper"])
    ladders = [owner_look(owner, count) for count in (len(FEW), len(MANY)) for owner in range(count)]
    for look in [*ladders, *ROLES.values(), *RAMP_LOOKS]:
        assert vision.compute_contrast(look.fill(palette), paper) >= 1.2, (look.label, look.tint)
        assert vision.compute_lightness(look.fill("light")) < 94, look.label


@pytest.mark.parametrize("palette", PALETTES)
def test_classes_of_a_ramp_keep_apart_and_their_texts_are_readable(palette):
    light = [vision.compute_lightness(look.fill(palette)) for look in RAMP_LOOKS]
    assert min(abs(one - other) for one, other in pairwise(light)) >= 6.5
    assert min(look.contrast(look.text) for look in RAMP_LOOKS) >= vision.LEAST_CONTRAST


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("count", [len(FEW), MOST_OWNERS_COUNT])
def test_texts_are_readable_on_the_hatch_of_every_owner(palette, count):
    text_colors = {name: vision.color_of_hex(value) for name, value in PALETTES[palette].items()}
    for owner in range(count):
        look = owner_look(owner, count).model_copy(update={"hatch": OWNER_HATCHES[1]})
        lines = look.model_copy(update={"tint": look.hatch_tint}).fill(palette)
        least = 3.4 if look.text == "otblack" else vision.LEAST_CONTRAST  # lines are thinner than strokes of texts
        assert vision.compute_contrast(text_colors[look.text], lines) >= least, owner
        light = [vision.compute_lightness(fill) for fill in (lines, look.fill(palette))]
        assert abs(light[0] - light[1]) >= 7, owner


@pytest.mark.parametrize("palette", PALETTES)
def test_the_check_accepts_the_numbers_of_all_owners(palette):
    letters = [chr(ord("A") + owner) for owner in range(MOST_OWNERS_COUNT)]
    rows = [range(start, start + 12) for start in range(0, MOST_OWNERS_COUNT, 12)]
    array = {
        "id": "a",
        "fill": "\n".join("".join(letters[owner] for owner in row) for row in rows),
        "keys": {letter: {"owner": owner} for owner, letter in enumerate(letters)},
        "values": [[*row] for row in rows],
    }
    content = {"type": "cells", "arrays": [array]}
    figure = Figure.model_validate({"panels": [{"content": content}], "width": 17.8, "palette": palette})
    found = judge_figure("fig", figure.tex(), None, Cache(None)).findings
    assert not [one for one in found if one.code == "TG309"]


def test_hue_and_depth_of_twelve_owners_are_the_axes_of_a_mesh():
    hues = [owner_look(owner, 12).color for owner in range(12)]
    assert hues == hues[:4] * 3
    assert len({*hues[:4]}) == 4


def test_every_owner_has_a_look_of_its_own():
    looks = {(look.color, look.tint, look.hatch) for look in (owner_look(k, 72) for k in range(MOST_OWNERS_COUNT))}
    assert len(looks) == MOST_OWNERS_COUNT == 72
    assert owner_look(12, 13).tint == owner_look(0, 13).tint
    assert owner_look(12, 13).hatch != "none"


@pytest.mark.parametrize("palette", PALETTES)
def test_equal_ramps_have_one_strip_that_the_check_accepts(palette):
    ramp = {"from": -3, "to": 3, "label": "score"}
    arrays = [{"id": name, "values": [[-3, -1.5, None, 3]], "ramp": ramp} for name in "ab"]
    content = {"type": "cells", "arrays": arrays}
    tex = Figure.model_validate({"panels": [{"content": content}], "palette": palette}).tex()
    assert tex.partition("\\end{document}")[0].count("{\\ramplabel}") == 1
    assert not [one for one in judge_figure("fig", tex, None, Cache(None)).findings if one.code in ("TG309", "TG311")]
