"""Sizes of type within a figure differ for a reason only: what a text is, or the room that it has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from conftest import ROOT, SWEPT, some
from ruamel.yaml import YAML

from tikzgen import loads
from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.layout import layout
from tikzgen.layout.constants import SIZES
from tikzgen.layout.scene.items import Item
from tikzgen.layout.scene.scene import Scene
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks.icons import discover_icons
from tikzgen.recipe.recipe_names import NAMES, NEEDS

LESS_ROOM = YAML(typ="safe").load(ROOT / "tests/cases/sizes.yaml")


def all_of(items: Iterable[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        yield from all_of(getattr(item, "items", ()))


def scene_of(figure: FigureModel) -> Scene:
    return layout(figure, discover_icons())


def roles(scene: Scene) -> dict[tuple[object, ...], dict[float, list[str]]]:
    """The texts of each kind by their size in pt. Numbers of axes and levels, and clocks, are kinds of their own."""
    words = {each.name: each.value for each in scene.parameters}
    found: dict[tuple[object, ...], dict[float, list[str]]] = defaultdict(lambda: defaultdict(list))
    for item in all_of(scene.items):
        for field in ("size", "cap_size"):
            size, macros = getattr(item, field, None), [each for each in item.iterate_macros() if each]
            if isinstance(size, str) and (macros or size):
                kind = type(item).__name__, field, getattr(item, "styles", ()), bool(getattr(item, "number", ""))
                found[kind][float(size or scene.size)].append(" ".join(words.get(each, each) for each in macros))
    return found


def one_size_each(scene: Scene, less_room: Counter[str]) -> None:
    smaller: Counter[str] = Counter()
    for kind, sizes in roles(scene).items():
        usual = max(sizes)
        if kind[0] in ("TicksItem", "ClockItem", "StepCurveItem"):
            assert usual in (max(SIZES[-1], scene.size - 1), SIZES[-1]), kind
        for size, texts in sizes.items():
            assert size in SIZES, kind
            assert size <= scene.size, kind
            if size != usual:
                smaller.update(texts)
    assert smaller == less_room


@pytest.mark.parametrize("width", some(["8.4", "17.8"]))
@pytest.mark.parametrize("example", SWEPT)
def test_texts_of_a_kind_have_one_size_in_every_example(example: Path, width: str) -> None:
    scene = scene_of(SpecReading(example, [f"width={width}"]).figure)
    one_size_each(scene, Counter(LESS_ROOM.get(f"{example.stem} {width}", ())))


@pytest.mark.parametrize("recipe", some(name for name in NAMES if name not in NEEDS))
def test_texts_of_a_kind_have_one_size_in_every_recipe(recipe: str) -> None:
    one_size_each(scene_of(loads(f"recipe: {recipe}\n")), Counter(LESS_ROOM.get(recipe, ())))


@pytest.mark.parametrize("recipe", ["ddp", "fsdp"])
def test_longer_labels_of_brackets_are_as_large_as_shorter_ones(recipe: str) -> None:
    found = roles(scene_of(loads(f"recipe: {recipe}\nworkers: 64\nwidth: 8.4\n"))).values()
    sizes = [size for kind in found for size, texts in kind.items() if any(text.startswith("GPU") for text in texts)]
    assert len(sizes) == 1


@pytest.mark.parametrize("recipe", ["stale-synchronous", "rollouts"])
def test_longer_labels_of_lanes_make_all_of_them_smaller(recipe: str) -> None:
    text = f"recipe: {recipe}\nwidth: 8.4\nlabels: {{device: 'Accelerator {{n}} in rack seven'}}\n"
    found = roles(scene_of(loads(text))).values()
    sizes = [size for kind in found for size, texts in kind.items() if any(text.startswith("Acc") for text in texts)]
    assert len(sizes) == 1
    assert all(size in sizes for kind in found for size, texts in kind.items() if {"server", "trainer"} & {*texts})
