"""A figure that does not fit names sizes and shorter labels with which it fits, and the label that takes the room."""

from __future__ import annotations

import re

import pytest

from tikzgen import Figure, loads
from tikzgen.base.errors import SpecError
from tikzgen.layout import layout
from tikzgen.model.looks.icons import icons_of_figure

NOTE = "appends to its own log before replication starts"
LINES = "[{id: c, label: Client}, {id: l, label: Leader}, {id: f, label: Follower A}, {id: g, label: Follower B}]"
SPACETIME = f"""
width: WIDTH
panels:
- content:
    type: spacetime
    direction: DIRECTION
    lifelines: {LINES}
    messages:
    - {{source: c, target: l, sent: 0, label: "put(x, 1)"}}
    - {{source: l, target: [f, g], sent: 2, received: [3, 4], label: append}}
    - {{source: f, target: l, sent: 4, label: ack}}
    notes:
    - {{lifeline: l, time: 1, text: {NOTE}}}
    separators:
    - {{time: 4, label: a new term begins after the timeout of the election}}
"""
ROW = """
width: 8.4
panels:
- content:
    type: topology
    layout: {type: row}
    nodes: [{id: a, label: Preprocessing service}, {id: b, label: Embedding service}, {id: c, label: Vector database},
      {id: d, label: Generator}, {id: e, label: Reranking service}]
    flows: [{source: a, target: b, label: documents}, {source: b, target: c, label: vectors},
      {source: c, target: d, label: passages}]
"""
COLUMN = """
width: 8.4
height: 5
panels:
- content:
    type: topology
    layout: {type: column}
    nodes: [{id: a}, {id: b}, {id: c}, {id: d}, {id: e}, {id: f}]
    flows: [{source: a, target: b, label: one}, {source: b, target: c, label: two}, {source: c, target: d},
      {source: d, target: e}, {source: e, target: f, label: three}]
"""


def draw(figure: Figure) -> None:
    layout(figure, icons_of_figure(figure))


def message_of(spec: str) -> str:
    with pytest.raises(SpecError) as refused:
        draw(loads(spec))
    return str(refused.value)


def follow(spec: str, way: str) -> str:
    """Return the spec with one way out of a message applied."""
    if sizes := re.findall(r"a (width|height) of ([0-9.]+) cm", way):
        for name, value in sizes:
            spec = f"{name}: {value}\n" + re.sub(rf"^{name}: .*\n", "", spec, flags=re.MULTILINE)
        return spec
    if "characters" in way:
        for count, start in re.findall(r'(\d+) (?:characters )?for "([^"…]+)', way):
            label = next(line for line in re.findall(r"(?:text|label): ([^{}\n]*?)}", spec) if line.startswith(start))
            spec = spec.replace(label, label[: int(count)].strip())
        return spec
    name, value = way.split(": ", 1)
    return re.sub(rf"^( *){name}: .*", rf"\1{name}: {value}", spec, flags=re.MULTILINE)


CASES = {
    **{
        f"{width} {direction}": SPACETIME.replace("WIDTH", width).replace("DIRECTION", direction)
        for width, direction in (("5", "right"), ("3.5", "right"), ("6", "down"), ("5\nheight: 4", "right"))
    },
    "notes": SPACETIME.partition("    separators")[0].replace("WIDTH", "6").replace("DIRECTION", "down"),
    "row": ROW,
    "column": COLUMN,
    "tall": SPACETIME.replace("WIDTH", "8.4\nheight: 2").replace("DIRECTION", "down"),
}


@pytest.mark.slow
@pytest.mark.parametrize("spec", CASES.values(), ids=list(CASES))
def test_every_way_out_of_a_size_works(spec: str) -> None:
    message = message_of(spec)
    hint = re.search(r"\((.*) would do\)$", message)
    assert hint
    ways = [way for way in re.split(r", (?!wider|\d)| or (?=a |at |fewer|\w+: )", hint[1]) if way != "fewer parts"]
    assert ways
    for way in ways:
        draw(loads(follow(spec, way)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "cause"), [("3.5 right", "a new term begins"), ("6 down", "a new term begins"), ("notes", NOTE[:28])]
)
def test_a_width_error_names_the_label_that_causes_it(name: str, cause: str) -> None:
    assert f'mostly for "{cause}' in message_of(CASES[name])


def test_a_width_beyond_a_column_names_the_environment_for_both_columns() -> None:
    assert "cm in a figure*" in message_of(
        CASES["6 down"].replace("width: 6", "width: 8.4").replace("l, time", "g, time")
    )


def test_a_width_beyond_a_page_is_no_way_out_if_another_one_exists() -> None:
    message = message_of(ROW.replace("{id: d", "{id: o, label: Postprocess}, {id: d"))
    assert "layout: {type: auto} would do" in message
    assert "a width of" not in message


def test_a_label_without_a_field_is_not_shortened() -> None:
    ramp = "ramp: {from: 0, to: 1, label: share of all attention}"
    array = f"{{id: a, label: H, size: [1, 12], {ramp}, values: [[{', '.join('1' * 12)}]]}}"
    message = message_of(f"width: 3\npanels:\n- content: {{type: cells, arrays: [{array}]}}\n")
    assert message.endswith("(a width of 5 cm would do)")
