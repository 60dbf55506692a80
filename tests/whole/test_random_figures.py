"""What every figure keeps, whatever it shows: properties of the emitted text and metadata, without TeX."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
import strategies
from command import run
from conftest import NIGHTLY
from folded import unfold
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from opentikz import SCHEMA
from pydantic import ValidationError
from strategies import many, rendered

from tikzgen import Figure, SpecError, loads, render
from tikzgen.emit.figure_files import Rendered
from tikzgen.layout import layout
from tikzgen.layout.scene.scene import Scene
from tikzgen.model.looks.icons import icons_of_figure
from tikzgen.model.looks.palettes import PALETTES
from tikzgen.model.looks.widths import WIDEST, width_in_cm
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.spec.embedded_spec import extract_spec, is_untouched

pytestmark = pytest.mark.slow


def plan(figure: Figure) -> tuple[Scene, dict[str, float]]:
    """The scene of a figure, and its lengths in cm."""
    scene = layout(figure, icons_of_figure(figure))
    return scene, {p.name: float(p.value) for p in scene.parameters if p.type == "length-cm"}


# ---- the parts of a file ----


def body(tex: str) -> str:
    """What TeX sees between the document's begin and end."""
    return tex.partition("\\begin{document}")[2].partition("\\end{document}")[0]


def parameters(tex: str) -> dict[str, str]:
    """The macros of the parameter block with their contents."""
    block = tex.partition("% ==== parameters (edit these) ====\n")[2].partition("% ====\n")[0]
    found = [re.fullmatch(r"\\def\\([A-Za-z]+)(?:#1)?\{(.*)\}% .+", line) for line in block.splitlines()]
    assert all(found), block
    return {match[1]: match[2] for match in found if match}


# The only line that asks who reads it; what it sets ends with the picture.
FOR_LATEXML = r"  \ifcsname lxSVG@picture\endcsname\tikzset{align/.code=}\fi"


# The only lines that set keys outside of the picture, within the file's group.
SETTINGS = re.compile(r"% --- defaults of LaTeX and TikZ.*?\}\}%\n", re.DOTALL)


def below_parameters(tex: str) -> str:
    """The body from the palette on, without comments, default settings and the line for LaTeXML."""
    _, mark, rest = body(tex).partition("% ====\n% --- palette")
    assert mark
    assert len(SETTINGS.findall(rest)) == 1
    found = re.sub(r"(?<!\\)%.*", "", SETTINGS.sub("", rest).partition("\n")[2])
    assert found.count(FOR_LATEXML) == 1
    return found.replace(FOR_LATEXML, "")


def picture(tex: str) -> str:
    """The statements of the picture, with every loop written out, without rows of many spans."""
    found = below_parameters(tex).rpartition("\n  ]\n")[2].rpartition("\\end{tikzpicture}")[0]

    def repeat(loop: re.Match[str]) -> str:
        return "".join(loop[2].replace("\\w", member) for member in loop[1].split(","))

    # rows of many spans are a small language of their own, between \begingroup and \endgroup
    found = re.sub(r"\\begingroup\n.*?\\endgroup\n", "", found, flags=re.DOTALL)
    return re.sub(r"\\foreach \\w in \{(.*?)\} \{\n(.*?)\n *\}\n", repeat, unfold(found), flags=re.DOTALL)


def named(drawn: str) -> Iterator[str]:
    """Every name that the picture gives, in order."""
    for line in drawn.splitlines():
        if re.match(r" *\\(node|path\[.*\] node)", line):
            yield from re.findall(r"\] \(([^()]+)\) (?:at |\{)", line)
            yield from re.findall(r"label=\{\[slbl, name=([^],]+)[],]", line)
        else:
            yield from re.findall(r"coordinate(?:\[[a-z0-9.=]+\])? \(([^()]+)\)", line)


def referred(drawn: str) -> Iterator[str]:
    """Every name that the picture goes back to."""
    name = r"[A-Za-z][A-Za-z0-9-]*"
    places = rf"\((?:\[[^\[\]]*\])?({name})(?:\.[a-z ]+)?\)"
    for line in drawn.splitlines():
        is_node = re.match(r" *\\(node|path\[.*\] node)", line)
        # a node's own name stands in parentheses as well
        line = re.sub(r"(\]) \([^()]+\)(?= at | \{)", r"\1", line) if is_node else line
        line = re.sub(r"coordinate(?:\[[a-z0-9.=]+\])? \([^()]+\)", "", line)
        yield from re.findall(places, line)
        yield from re.findall(rf"below=2pt of ({name})", line)


# ---- what every file keeps ----


def description_inside_gives_same_figure_and_bytes(figure: Figure, found: Rendered) -> None:
    tex = found.tex
    inside = extract_spec(tex)
    assert inside is not None
    again = loads(inside)
    assert again.__dict__ == figure.__dict__
    assert again.tex() == tex
    assert is_untouched(tex)
    assert not is_untouched(tex.replace("\\begin{tikzpicture}", "\\begin{tikzpicture} ", 1))


def description_stands_in_comments(figure: Figure, found: Rendered) -> None:
    tail = found.tex.partition("\\end{document}\n")[2]
    # TeX ends lines at \n only; editors and Python know more line ends
    assert all(line.startswith("% ") for line in tail.splitlines())


def metadata_is_valid_and_true(figure: Figure, found: Rendered) -> None:
    Draft202012Validator(SCHEMA).validate(found.metadata)
    contract = found.metadata.get("edit_contract")
    if contract is None:  # the schema wants a parameter and a style at least; empty ones are none
        own = re.search(r"^    (?!background rectangle)[^/\n]*/\.style=\{[^}]", found.tex, flags=re.MULTILINE)
        assert not parameters(found.tex) or not own
        return
    assert {p["name"][1:]: p.get("default", "") for p in contract["parameters"]} == parameters(found.tex)
    styles = [line for line in found.tex.splitlines() if line.startswith("    ")]
    for style in contract["styles"]:
        assert any(
            line.startswith((f"    {style}/.style=", f"    {style}/.style 2 args=", f"    {style}/.style n args="))
            for line in styles
        ), style
    for needed in found.metadata["requires"]:
        assert needed in found.tex.partition("\\begin{document}")[0]
    json.dumps(found.metadata)


def macros_are_defined_once_and_used(figure: Figure, found: Rendered) -> None:
    tex = found.tex
    macros = parameters(tex)
    rest = below_parameters(tex)
    for macro in macros:
        assert re.search(rf"\\{macro}(?![A-Za-z])", rest), f"\\{macro} is never used"
    defined = re.findall(r"^\\def\\([A-Za-z]+)", body(tex), flags=re.MULTILINE)
    assert len(defined) == len(set(defined))
    spoken = set(re.findall(r"\\([A-Za-z]+)", picture(tex)))
    known = {
        *defined,
        *("node", "draw", "path", "begin", "end", "textbf", "shortstack", "hyphenpenalty", "relax", "color"),
        *("leftskip", "rightskip"),
        *("foreach", "t", "n"),  # what the ticks of a ruler are listed by
        *_SIZES,
    }
    assert spoken <= known, "used but never defined"
    assert not re.search(r"\\[^A-Za-z]", picture(tex).replace("\\\\", ""))


_SIZES = ("sffamily", "rmfamily", "bfseries", "fontsize", "selectfont", "scriptsize", "footnotesize", "small", "large",
          "normalsize")  # fmt: skip


def file_is_balanced_and_a_good_neighbour(figure: Figure, found: Rendered) -> None:
    tex = found.tex
    depth = 0
    for char in re.sub(r"\\[^A-Za-z]", "", re.sub(r"(?<!\\)%.*", "", body(tex))):
        depth += {"{": 1, "}": -1}.get(char, 0)
        assert depth >= 0
    assert depth == 0
    for begin, end in (("\\begin{scope}", "\\end{scope}"), ("\\begingroup", "\\endgroup")):
        assert body(tex).count(begin) == body(tex).count(end)
    words = set(re.findall(r"\\([A-Za-z]+)", below_parameters(tex)))
    assert not words & {"newcommand", "renewcommand", "global", "gdef", "xdef", "pgfsetlayers", "pgfdeclarelayer"}
    assert not words & {"usetikzlibrary", "usepackage", "tikzset", "tikzstyle"}
    assert not re.search(r"[ \t]$", body(tex), flags=re.MULTILINE), "blanks at the end of a line"


def names_are_unique_and_those_referred_to_exist(figure: Figure, found: Rendered) -> None:
    drawn = picture(found.tex)
    names = list(named(drawn))
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)
    assert set(referred(drawn)) <= set(names)


def names_come_before_they_are_used(figure: Figure, found: Rendered) -> None:
    known: set[str] = set()
    for line in picture(found.tex).splitlines():
        known.update(named(line))
        assert set(referred(line)) <= known, line


_STOCK = (
    *("red", "green", "blue", "cyan", "magenta", "yellow", "black", "white", "gray", "darkgray", "lightgray"),
    *("brown", "lime", "olive", "orange", "pink", "purple", "teal", "violet"),
)


def colours_are_names_of_the_palette(figure: Figure, found: Rendered) -> None:
    rest = below_parameters(found.tex)
    palette, drawn = rest.split("\\def\\backdrop", 1)
    assert re.findall(r"\\definecolor\{(\w+)\}\{HTML\}\{(\w+)\}", palette) == list(PALETTES[figure.palette].items())
    assert not re.search(rf"(?<![A-Za-z-])({'|'.join(_STOCK)})(?![A-Za-z-])", drawn)
    assert not re.search(r"HTML|\brgb\b|\bcmyk\b|definecolor|colorlet|#[0-9A-Fa-f]{6}", drawn)


def palettes_differ_in_colours_alone(figure: Figure, found: Rendered) -> None:
    palette = "dark" if figure.palette == "light" else "light"
    other = rendered(Figure.model_validate({**figure.__dict__, "palette": palette}))
    one, two = (each.tex.partition("\\end{document}")[0] for each in (found, other))
    differing = [(a, b) for a, b in zip(one.splitlines(), two.splitlines(), strict=True) if a != b]
    assert len(differing) == len(PALETTES["light"].items() - PALETTES["dark"].items()) + 2
    assert all(line.startswith(("\\definecolor{", "\\def\\backdrop{", "% --- palette: ")) for line, _ in differing)


KEPT = (
    description_inside_gives_same_figure_and_bytes,
    description_stands_in_comments,
    metadata_is_valid_and_true,
    macros_are_defined_once_and_used,
    file_is_balanced_and_a_good_neighbour,
    names_are_unique_and_those_referred_to_exist,
    names_come_before_they_are_used,
    colours_are_names_of_the_palette,
    palettes_differ_in_colours_alone,
)


@settings(many, max_examples=3000 if NIGHTLY else 12)  # a third is refused
@given(strategies.figures, st.none() | strategies.widths)
def test_a_file_keeps_every_property_or_the_figure_is_refused(figure: Figure, width: Any) -> None:
    """All that a file keeps is looked at in the same file: to make it takes far longer than to read it."""
    sized = Figure.model_validate({**figure.__dict__, "width": width})
    try:
        found = render(sized)
    except SpecError as error:
        is_refused_with_what_would_do(sized, error)
        return
    keeps_its_width(sized)
    for holds in KEPT:
        holds(sized, found)


def is_refused_with_what_would_do(figure: Figure, error: SpecError) -> None:
    assert error.problems
    assert all(problem.message.isprintable() and problem.hint for problem in error.problems)
    (problem, *_) = error.problems
    if problem.path not in ("width", "height"):
        return
    if problem.hint == "fewer parts would do" and problem.path == "width":  # it takes more than any width may be
        with pytest.raises(SpecError):
            plan(figure.model_copy(update={"width": WIDEST}))
    for way in re.split(", | or ", problem.hint):
        if promised := {side: float(cm) for side, cm in re.findall(r"a (width|height) of ([0-9.]+) cm", way)}:
            scene, values = plan(figure.model_copy(update=promised))
            measured = {"width": scene.extent.measure_width(values), "height": scene.extent.measure_height(values)}
            assert all(measured[side] <= cm + 0.005 for side, cm in promised.items()), way


def keeps_its_width(figure: Figure) -> None:
    if figure.width is not None:
        scene, values = plan(figure)
        assert scene.extent.measure_width(values) <= width_in_cm(figure.width) + 0.005


# ---- properties of some figures ----


MOMENTS = ("start", "end", "duration", "time", "until", "ticks")


@many
@given(strategies.timelines(), st.builds(Fraction, st.integers(1, 50), st.integers(1, 50)))
def test_scaling_time_changes_no_name(timeline: Timeline, factor: Fraction) -> None:
    def scaled(part: Any) -> Any:
        fields = {name: getattr(part, name) for name in type(part).model_fields}
        moments = {name: fields[name] * factor for name in MOMENTS if fields.get(name) is not None}
        parts = {name: [scaled(one) for one in fields[name]] for name in ("levels", "breaks") if name in fields}
        return part.model_copy(update={**moments, **parts})

    fields = dict(timeline.__dict__)
    for name in ("spans", "frames", "bubbles", "barriers", "braces", "dimensions", "events", "strips"):
        fields[name] = [scaled(part) for part in fields[name]]
    fields["axis"] = timeline.axis and scaled(timeline.axis)
    slower = Timeline.model_validate(fields)
    assert slower.names() == timeline.names()
    assert slower.end == timeline.end * factor
    both = [rendered(Figure(panels=[{"content": content}])) for content in (timeline, slower)]
    assume(not any("drawn without a node" in note or "joined" in note for one in both for note in one.notes))
    # a longer time may leave a number no room, and the legend says so
    of_spans = [[name for name in named(picture(one.tex)) if not name.startswith("legend-")] for one in both]
    assert of_spans[0] == of_spans[1]


_FREE = {
    "role": lambda word: {"nodes": [{"kind": "worker", "id": "a", "label": "x", "role": word}]},
    "kind": lambda word: {
        "nodes": [{"kind": "worker", "id": name, "label": name} for name in "ab"],
        "flows": [{"source": "a", "target": "b", "kind": word}],
    },
    "phase": lambda word: {
        "type": "timeline",
        "lanes": [{"id": "a", "label": "x"}],
        "spans": [{"lane": "a", "start": 0, "duration": 1, "phase": word}],
    },
}


@pytest.mark.parametrize("field", _FREE)
@many
@given(word=strategies.wild_texts)
def test_words_that_people_choose_break_no_line(field: str, word: str) -> None:
    content = {"type": "topology", **_FREE[field](word)}
    own = {"phases": {word: {}}} if field == "phase" else {}
    own = {"kinds": {word: {"plural": word}}} if field == "kind" else own
    try:
        figure = Figure.model_validate({"panels": [{"content": content}], **own})
    except ValidationError:
        return
    tex = rendered(figure).tex
    assert "x" in parameters(tex).values() or "a" in parameters(tex).values()
    drawn = picture(tex)
    assert set(referred(drawn)) <= set(named(drawn))
    assert not re.search(r"[^ -~\n]", drawn)


# ---- any text at all, from a file ----

_SPECS = {
    "title": "title: {text}\npanels:\n- content: {{type: topology, nodes: [{{kind: node, id: a}}]}}\n",
    "node": "panels:\n- content:\n    type: topology\n    nodes:\n    - {{kind: worker, id: a, label: {text}}}\n",
    "shard": "panels:\n- content: {{type: topology, nodes: [{{kind: node, id: a, parts: [{{label: {text}}}]}}]}}\n",
    "lane": "panels:\n- content: {{type: timeline, lanes: [{{id: a, label: {text}}}]}}\n",
    "raw": "title: !tex {text}\npanels:\n- content: {{type: topology, nodes: [{{kind: node, id: a}}]}}\n",
    "recipe": "recipe: data-parallel\nlabels: {{server: {text}, batch: {text}}}\n",
    "numbered": "recipe: parameter-server\nlabels:\n  worker: {text}\n",
    "description": "recipe: gradient-accumulation\nmeta: {{description: {text}}}\n",
}


def escaped(text: str) -> str:
    """The text as YAML spells any character."""
    return '"' + "".join(f"\\U{ord(char):08X}" for char in text) + '"'


def quoted(text: str) -> str:
    """The text in double quotes with its characters as they are, printable or not."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@many
@pytest.mark.parametrize("where", _SPECS)
@given(text=strategies.wild_texts, spell=st.sampled_from([escaped, quoted]))
def test_any_text_renders_or_is_refused_with_its_place(where: str, text: str, spell: Any) -> None:
    spec = _SPECS[where].format(text=spell(text))
    try:
        tex = loads(spec, name="spec.yaml").tex()
    except SpecError as error:
        for problem in error.problems:
            assert problem.place is not None
            assert problem.place.file == "spec.yaml"
            assert problem.place.line is not None, str(problem)
            assert str(problem).isprintable()
    else:
        inside = extract_spec(tex)
        assert inside is not None
        assert loads(inside).tex() == tex


@settings(many, max_examples=many.max_examples // 2)
@given(text=strategies.wild_texts)
@example(text="«")
def test_the_command_line_renders_any_text_or_says_where_it_stands(text: str) -> None:
    done = run("render", "-", "-o", "-", stdin=_SPECS["node"].format(text=escaped(text)))
    if done.status == 0:
        assert done.out.endswith("\n")
        assert done.err == ""
    else:
        assert done.status == 2
        assert re.match(r"\S+:5:\d+: panels\[0\]\.content(\[0\])?\.nodes\[0\]\.label: .+\n$", done.err), done.err
        assert done.out == ""
