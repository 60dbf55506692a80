"""What the layout records as drawn is in the .tex, the SVG and the PDF; what has no room is told; nothing else is lost.

Texts are single words (`q17x`) that stand once in a figure: each is found again as it is.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from random import Random
from typing import Any

import pytest
from conftest import NIGHTLY

from tikzgen import Figure, SpecError, loads
from tikzgen.compile.formats_without_tex import drawn_pdf, drawn_svg
from tikzgen.edit.find_words import find_words
from tikzgen.emit.render_figure import render
from tikzgen.layout import layout
from tikzgen.layout.scene.scene import Scene
from tikzgen.model.looks.icons import icons_of_figure
from tikzgen.model.part import shorten_description
from tikzgen.model.topology.topology import Topology
from tikzgen.spec.embedded_spec import extract_spec
from tikzgen.texfile.scan_source import scan

WORD = re.compile(r"q\d+x(?:z*)")
FIGURES = 2000 if NIGHTLY else 200
BATCHES = 20


class Words:
    """Words that nobody has used, some of them long."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0

    def __call__(self, share: float = 1.0) -> str:
        if self.random.random() > share:
            return ""
        self.count += 1
        return f"q{self.count}x" + "z" * self.random.choice([0, 0, 0, 6, 20])


def topology(random: Random, word: Words) -> dict[str, Any]:
    names = [f"n{place}" for place in range(random.randint(1, 9))]
    kinds = ["worker", "server", "node", "data-source"]
    nodes = [{"kind": random.choice(kinds), "id": name, "label": word(), "sublabel": word(0.2)} for name in names]
    pairs = {tuple(random.sample(names, 2)) for _ in range(random.randint(0, 8))} if len(names) > 1 else set()
    flows = [
        {"source": one, "target": other, "label": word(0.5), **({"step": place + 1} if random.random() < 0.2 else {})}
        for place, (one, other) in enumerate(sorted(pairs))
    ]
    made: dict[str, Any] = {"type": "topology", "nodes": nodes, "flows": flows}
    if len(names) > 3 and random.random() < 0.4:
        made["groups"] = [{"id": "g", "label": word(), "members": names[:2]}]
    if random.random() < 0.2:
        made["notes"] = [{"text": word(), "about": names[0]}]
    if random.random() < 0.3:
        made["layout"] = {"type": random.choice(["row", "column", "ring"])}
    return made


def timeline(random: Random, word: Words) -> dict[str, Any]:
    lanes = [{"id": f"l{place}", "label": word(0.8)} for place in range(random.randint(1, 6))]
    spans = []
    for lane in lanes:
        time = 0
        for number in range(random.randint(1, 8)):
            time += random.randint(0, 2)
            long = random.choice([1, 1, 2, 5, 12])
            said = {"label": word(), "short": word(0.3)} if random.random() < 0.5 else {"number": number}
            phase = random.choice(["forward", "backward", "compute", "communication"])
            spans.append({"lane": lane["id"], "start": time, "duration": long, "phase": phase, **said})
            time += long
    end = max(span["start"] + span["duration"] for span in spans)
    made: dict[str, Any] = {"type": "timeline", "lanes": lanes, "spans": spans, "title": word(0.2)}
    if random.random() < 0.3:
        made["braces"] = [{"start": 0, "end": end, "label": word()}]
    if random.random() < 0.3:
        made["events"] = [{"time": random.randint(0, end), "lane": lanes[0]["id"], "label": word()}]
    return made


def spacetime(random: Random, word: Words) -> dict[str, Any]:
    names = [f"p{place}" for place in range(random.randint(2, 6))]
    lifelines = [{"id": name, "label": word()} for name in names]
    messages = []
    for time in range(random.randint(1, 10)):
        one, other = random.sample(names, 2)
        messages.append(
            {"source": one, "target": other, "sent": 2 * time, "received": 2 * time + 1, "label": word(0.7)}
        )
    made: dict[str, Any] = {"type": "spacetime", "lifelines": lifelines, "messages": messages}
    if random.random() < 0.3:
        made["notes"] = [{"lifeline": names[0], "time": 1, "text": word()}]
    return made


RECIPES = [
    {"recipe": "data-parallel", "workers": 5},
    {"recipe": "data-parallel", "workers": {"count": 64, "show": 4}},
    {"recipe": "parameter-server", "workers": 4},
    {"recipe": "pipeline", "devices": 4, "microbatches": 8},
    {"recipe": "pipeline", "schedule": "interleaved-1f1b", "devices": 4, "microbatches": 16},
    {"recipe": "gradient-accumulation", "devices": 3},
    {"recipe": "raft-election"},
    {"recipe": "all-reduce", "ranks": 4},
]


def figure(seed: int) -> Figure:
    """A figure of any kind, of any width."""
    random = Random(seed)
    word = Words(random)
    more: dict[str, Any] = {"title": word(0.3), "width": random.choice([None, None, 8.4, 12.0, 17.8])}
    if random.random() < 0.2:
        facts = {**random.choice(RECIPES), **more}
    else:
        makers = [random.choice([topology, timeline, spacetime]) for _ in range(random.choice([1, 1, 1, 2]))]
        panels = [
            {"id": f"panel{place}", "content": maker(random, word), "caption": word(0.5) if len(makers) > 1 else ""}
            for place, maker in enumerate(makers, 1)
        ]
        facts = {"panels": panels, **more}
    return loads(repr_yaml({name: value for name, value in facts.items() if value not in (None, "")}))


def repr_yaml(data: Any) -> str:
    """JSON, which is YAML, without what says nothing."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: bare(each) for name, each in value.items() if each != ""}
        return [bare(each) for each in value] if isinstance(value, list) else value

    return json.dumps(bare(data))


def words_of(value: Any) -> Counter[str]:
    if isinstance(value, str):
        return Counter(WORD.findall(value))
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum((words_of(each) for each in values), Counter())


def drawn_words(scene: Scene) -> set[str]:
    return {found for fate in scene.fates if fate.outcome in ("drawn", "short") for found in WORD.findall(fate.text)}


def glyphs(pdf: bytes) -> int:
    """How many outlines of characters a PDF of ours draws: its text stands in outlines."""
    streams = re.findall(rb"/FlateDecode>>stream\n(.*?)\nendstream", pdf, re.DOTALL)
    ink = b"\n".join(map(zlib.decompress, streams)).decode("ascii")
    return len(re.findall(r"^q (\S+) 0 0 \1 \S+ \S+ cm .* f Q$", ink, re.MULTILINE))


def check(made: Figure) -> None:
    scene = layout(made, icons_of_figure(made))
    found = render(made)
    svg = drawn_svg(found.tex, find_words(found.tex)).decode()
    seen = {word for text in re.findall(r"<text[^>]*>(.*?)</text>", svg) for word in WORD.findall(text)}
    body = found.tex.partition("\\end{document}")[0]
    drawn = drawn_words(scene)
    asked = words_of(shorten_description(made))
    # each text has a fate: an author's short form, only where it is used
    shorts = set(short_forms(made).values())
    told = {word for fate in scene.fates for word in WORD.findall(fate.text)}
    long_of_short = {long for long, short in short_forms(made).items() if short in drawn}
    assert not set(asked) - shorts - long_of_short - told, set(asked) - shorts - long_of_short - told
    # what is drawn is in every form of the figure, and what is not drawn is in none
    assert drawn == seen, (drawn - seen, seen - drawn)
    assert glyphs(drawn_pdf(found.tex, find_words(found.tex))) == svg.count("<use ") > 0
    assert drawn <= set(WORD.findall(body))
    assert set(asked) <= set(WORD.findall(extract_spec(found.tex) or ""))
    # what has no room is told
    left = [fate for fate in scene.fates if fate.outcome == "left out"]
    assert bool(left) == any("left out" in note for note in found.notes), found.notes
    # the flows that the layout draws are those of the .tex
    flows = Counter(tuple(fate.text.split()) for fate in scene.fates if fate.what == "flow" and fate.outcome == "drawn")
    panels = [panel.id for panel in scene.figure.panels]
    kept = Counter(
        (entity(flow.source.name, panels), entity(flow.target.name, panels)) for flow in scan(unrolled(found.tex)).flows
    )
    assert not flows - kept, flows - kept  # labels may stand on paths of their own
    if all(isinstance(part, Topology) for _, _, part in scene.figure.parts(object)) and not scene.figure.links:
        assert set(kept) == set(flows)


def unrolled(tex: str) -> str:
    """The figure with every loop written out."""

    def repeat(loop: re.Match[str]) -> str:
        return "".join(loop[2].replace("\\w", member) for member in loop[1].split(","))

    return re.sub(r"\\foreach \\w in \{(.*?)\} \{\n(.*?)\n *\}\n", repeat, tex, flags=re.DOTALL)


def entity(node: str, panels: list[str]) -> str:
    """The id of the entity that a flow ends on: at itself or at the caption below its icon."""
    panel = next((f"{panel}-" for panel in panels if node.startswith(f"{panel}-")), "")
    return node.removeprefix(panel).removesuffix("-label")


def short_forms(made: Figure) -> dict[str, str]:
    spans = [span for _, _, part in made.parts(object) for span in getattr(part, "spans", ())]
    return {span.label: span.short for span in spans if span.short}


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_what_is_recorded_as_drawn_is_drawn(batch: int) -> None:
    size = FIGURES // BATCHES
    tried = 0
    for seed in range(batch * size, (batch + 1) * size):
        try:
            made = figure(seed)
            check(made)
            tried += 1
        except SpecError:
            continue  # a width that nothing fits is refused
        except AssertionError as error:
            raise AssertionError(f"figure {seed}") from error
    assert tried > size / 2
