"""A phase has one word, one colour and one hatch in all recipes, so that the figures of a paper speak one language."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

import pytest
from conftest import EXAMPLES, written
from folded import unfold

from tikzgen import load, loads
from tikzgen.recipe.recipe_names import NAMES, NEEDS

AROUND = """embedding: 1
vocabulary: 1
loss: 1
offload: 1
all_reduce: 2
update: 1
latency: 1
links: true
"""
VARIANTS = {
    "pipeline": [
        *(
            f"schedule: {name}\n"
            for name in ("zb-v", "dualpipe", "chimera", "interleaved-1f1b", "terapipe", "pipedream")
        ),
        f"schedule: zb-h1\n{AROUND}",
        "recompute: 1\n",
        "schedule: overlapped-1f1b\ndispatch: 1\n",
        "microbatches: 64\n",
    ],
    "gradient-accumulation": ["devices: 32\n", "accumulate: [2]\n"],
    "parameter-server": ["workers: 4\nfetch: 1/4\npush: 1/4\nupdate: 1/4\nwidth: 8.4\n"],
    "ddp": ["overlap: [true, false]\nupdate: 1\n"],
    "fsdp": ["reduce_scatter: 1\nbackward: 3\nprefetch: [0, 2]\n"],
    "stale-synchronous": ["joint: false\n", "compute: 2\nworkers: 12\n"],
    "serving": ["rows: machines\n", "policy: disaggregated\n", "policy: [disaggregated, chunked]\nrows: machines\n"],
    "recovery": ["means: [checkpoint, rerouted]\n", "means: rerouted\ninside: true\n"],
}
FIGURES = [
    pytest.param(name, more, id=f"{name}-{place}")
    for name in NAMES
    if name not in NEEDS
    for place, more in enumerate(["", *VARIANTS.get(name, ())])
]
_WORD = re.compile(r"^\\def\\\w+label\{(.*)\}% legend entry for ([\w-]+)$", re.MULTILINE)
_LOOK = re.compile(r"^    ([\w-]+) (phase|shade \d+)/\.style=\{fill=(\w+)!(\d+)!(\w+)(.*)\},$", re.MULTILINE)
_NUMBER = re.compile(r" \([^()]*\)$")  # what the number in a cell is: "update (its staleness)"


class Told:
    """What the figures read so far say of each phase: its words, its colours, its hatches, its fills."""

    def __init__(self) -> None:
        self.words: dict[str, set[str]] = defaultdict(set)
        self.hues: dict[str, set[str]] = defaultdict(set)
        self.hatches: dict[str, set[str]] = defaultdict(set)
        self.fills: dict[str, set[tuple[str, str, str]]] = defaultdict(set)

    def read(self, tex: str) -> None:
        found = _LOOK.findall(tex)
        shaded = {name for name, shade, *_ in found if shade != "phase"}
        for name, _, color, share, other, rest in found:
            self.hues[name].add(color)
            if "hatch" in rest:
                self.hatches[name].add(rest)
            if name not in shaded:
                self.fills[name].add((color, share, other))
        phases = self.hues.keys()
        for word, name in _WORD.findall(tex):
            if name in phases:
                self.words[name].add(_NUMBER.sub("", word))


@cache
def of_recipes() -> Told:
    told = Told()
    for name, more in (each.values for each in FIGURES):
        told.read(unfold(loads(f"recipe: {name}\n{more}").tex()))
    return told


def several(found: dict[str, set[object]]) -> dict[str, set[object]]:
    return {name: values for name, values in found.items() if len(values) > 1}


@pytest.mark.slow
def test_a_phase_has_one_word_one_colour_and_at_most_one_hatch_in_all_recipes() -> None:
    told = of_recipes()
    assert several(told.words) == several(told.hues) == several(told.fills) == {}
    # drawn only where a phase meets one that is as light
    assert several(told.hatches) == {}
    assert told.hatches["all-reduce"]
    # one who reads "update" knows one colour; what a server does and what workers do is one thing to readers
    by_word: dict[str, set[object]] = defaultdict(set)
    for name, words in told.words.items():
        for word in words:
            by_word[word] |= told.fills[name]
    assert several(by_word) == {}
    assert {"forward", "backward", "update", "all-reduce", "idle", "recompute"} <= told.words.keys()


@pytest.mark.slow
def test_examples_have_the_colours_of_recipes() -> None:
    told = of_recipes()
    for example in EXAMPLES:
        figure = load(example)
        own = Told()
        own.read(written(example))
        for phase in own.hues.keys() & told.hues.keys() - figure.phases.keys():
            assert own.hues[phase] <= told.hues[phase], (example.stem, phase)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NEEDS])
def test_subscripts_that_are_words_are_upright(name: str) -> None:
    texts = re.findall(r"^\\def\\\w+\{(.*)\}%", loads(f"recipe: {name}\n").tex(), re.MULTILINE)
    assert texts
    assert [text for text in texts if re.search(r"_\{?[A-Za-z]{2,}", text)] == []
