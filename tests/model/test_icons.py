"""The icons: their files' headers, their colours, and the size that LaTeX gives them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import dist
from pathlib import Path

import pytest
from conftest import ENGINES, ROOT

from tikzgen.base.errors import FileRefused, SpecError, TikzgenError
from tikzgen.compile.draw.canvas import Clipped, DrawnGroup, Item, PaintedPath, Shifted, TextOnCanvas
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.emit.environment import make_environment
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks.icons import COLORS, Icon, discover_icons, icons_of_figure, parse_header
from tikzgen.model.looks.palettes import HUES, PALETTES
from tikzgen.model.panel_parts import Panel
from tikzgen.model.topology.entities import Node, Worker
from tikzgen.model.topology.topology import Topology

ICONS = discover_icons()
GOOD = "<#-\ndescription: A box.\nsize: 1.9 x 1\norigin: 0 -0.12\ncolor: otteal\n-#>\n\\draw (0,0);\n"
MIXED = re.compile(rf"(paper|ink|({'|'.join(COLORS)})(!(12|28|50|70)!(paper|ink))?)")
COLORED = {"draw", "fill", "text"}
PLAIN = {"line width", "line cap", "dash pattern", "rounded corners", "sharp corners", "font", "inner sep", "radius"}
PLAIN |= {"x radius", "y radius"}
CM = 2.54 / 72.27  # a point
SLACK = 0.02 + 0.3 * CM  # cm: what the size may be off, and half of the outline


def drawing(icon: Icon) -> str:
    return make_environment().get_template(f"icons/{icon.name}.tex.j2").render(color=icon.color)


def options(tex: str) -> list[tuple[str, str]]:
    """The keys and values of every [...]; a colour without a key belongs to `fill`."""
    found = []
    for group in re.findall(r"\[([^]]*)\]", tex):
        for option in group.split(","):
            key, equals, value = (part.strip() for part in option.partition("="))
            found.append((key, value) if equals or key in PLAIN else ("fill", key))
    return found


def test_there_are_twenty_nine_icons_in_order() -> None:
    assert " ".join(ICONS) == (
        "browser checkpoint clock cloud container cpu database dataset disk document edge-device gear gpu laptop "
        "load-balancer lock memory model network nic node queue rack robot server ssd switch tpu user"
    )


@pytest.mark.parametrize("name", ICONS)
def test_icon_is_plain_and_keeps_to_the_ladder(name: str) -> None:
    icon = ICONS[name]
    assert icon.name == name
    assert re.fullmatch(r"[A-Z].*\.", icon.description)
    assert 0.9 <= icon.width <= 1.9
    assert 0.8 <= icon.height <= 1.25
    tex = drawing(icon)
    assert "#" not in tex
    assert "\n\n" not in tex.strip() + "\n"
    for line in tex.strip().splitlines():
        assert re.fullmatch(r"\\(filldraw|draw|fill|node)\[.*\] .*;( % [\w ]+)?", line)
    for key, value in options(tex):
        assert key in COLORED | PLAIN
        if key in COLORED:
            assert MIXED.fullmatch(value), value


@pytest.mark.parametrize("name", ICONS)
def test_icon_takes_another_main_color(name: str) -> None:
    template = make_environment().get_template(f"icons/{name}.tex.j2")
    assert template.render(color="otpurple") != template.render(color="otgray")


@pytest.mark.parametrize("name", ICONS)
def test_icon_is_drawn_in_the_size_of_its_header(name: str) -> None:
    icon = ICONS[name]
    left, bottom, right, top = (length * CM for length in draw(_document(icon)).box)
    assert (left, bottom) == pytest.approx(icon.origin, abs=SLACK)
    assert (right - left, top - bottom) == pytest.approx((icon.width, icon.height), abs=SLACK)


def _document(icon: Icon) -> str:
    colors = [rf"\definecolor{{{name}}}{{HTML}}{{{value}}}" for name, value in PALETTES["light"].items()]
    picture = rf"\begin{{tikzpicture}}[line width=0.6pt]{drawing(icon)}\end{{tikzpicture}}"
    begin = [r"\documentclass[border=0pt]{standalone}", r"\usepackage{tikz}", r"\begin{document}"]
    document = [*begin, *colors, picture, r"\end{document}"]
    return "\n".join(document)


def test_what_each_icon_draws_is_as_reviewed(golden: Callable[[Path, str], None]) -> None:
    """A line per element: its colors, its stroke, and its path, by the box and the length of its control points."""
    lines = []
    for name, icon in ICONS.items():
        lines += [f"{name}: {icon.description} {icon.width:g} x {icon.height:g} cm, {icon.color}"]
        lines += [f"  {line}" for item in draw(_document(icon)).items for line in _elements(item)]
    golden(ROOT / "tests" / "goldens" / "icons" / "drawn.txt", "\n".join(lines) + "\n")


def _elements(item: Item) -> Iterator[str]:
    match item:
        case TextOnCanvas():
            yield f"text {_color(item.color)} at {_point(item.matrix[4:])}, {len(item.ink)} characters"
        case PaintedPath():
            points = [point for step in item.path for point in step.points]
            columns, rows = zip(*points, strict=True)
            length = sum(dist(one, other) for one, other in pairwise(points)) * CM
            stroke, dash = item.stroke, [f"{part:.2f}" for part in item.stroke.dash] if item.stroke else []
            drawn = f"stroke {_color(stroke.color)} {stroke.width:.2f} pt {' '.join(dash)}".rstrip() if stroke else ""
            filled = f"fill {_color(item.fill)}" if item.fill else ""
            path = "".join(step.kind for step in item.path)
            corners = f"{_point((min(columns), min(rows)))} {_point((max(columns), max(rows)))}"
            yield f"{', '.join(filter(None, [filled, drawn]))}, {path} in {corners}, {length:.2f} cm"
        case Clipped() | Shifted() | DrawnGroup():
            for part in item.items:
                yield from _elements(part)


def _color(color: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(255 * part):02X}" for part in color)


def _point(point: Sequence[float]) -> str:
    return f"({round(point[0] * CM, 2) + 0.0:.2f},{round(point[1] * CM, 2) + 0.0:.2f})"  # never -0.00


@pytest.mark.tex
@pytest.mark.parametrize("engine", ENGINES)
def test_icons_compile_to_the_size_in_their_header(engine: str, tmp_path: Path) -> None:
    pages = [
        rf"\begin{{tikzpicture}}[line width=0.6pt]{drawing(icon)}\report{{{name}}}\end{{tikzpicture}}"
        for name, icon in ICONS.items()
    ]
    lines = [
        r"\documentclass[tikz]{standalone}",
        *(rf"\definecolor{{{name}}}{{HTML}}{{{value}}}" for name, value in PALETTES["light"].items()),
        r"\makeatletter",
        r"\def\report#1{\typeout{icon: #1 \corner\pgf@picminx\pgf@picminy\corner\pgf@picmaxx\pgf@picmaxy}}",
        r"\def\corner#1#2{\the#1\space\the#2\space}",
        r"\makeatother",
        r"\begin{document}",
        *pages,
        r"\end{document}",
    ]
    (tmp_path / "icons.tex").write_text("\n".join(lines), encoding="utf-8")
    command = [engine, "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", "icons.tex"]
    done = subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    log = (tmp_path / "icons.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert f"({len(ICONS)} pages" in log
    assert "LaTeX Font Warning" not in log
    boxes = {name: box.split() for name, box in re.findall(r"^icon: (\S+) (.*)$", log, re.MULTILINE)}
    assert boxes.keys() == ICONS.keys()
    for name, icon in ICONS.items():
        left, bottom = icon.origin
        box = [float(length.removesuffix("pt")) * 2.54 / 72.27 for length in boxes[name]]
        assert box == pytest.approx([left, bottom, left + icon.width, bottom + icon.height], abs=SLACK), name


def test_the_colors_are_those_of_the_palette() -> None:
    assert HUES == COLORS


def test_header_is_read() -> None:
    assert parse_header(GOOD, "mine/icons/my-box.tex.j2") == Icon("my-box", "A box.", 1.9, 1.0, (0.0, -0.12), "otteal")


def test_origin_and_color_may_be_left_out() -> None:
    icon = parse_header("<#\n\nsize: 1x.5\ndescription: Ratio 1:2.\n#>\n", "box.tex.j2")
    assert (icon.description, icon.width, icon.height) == ("Ratio 1:2.", 1.0, 0.5)
    assert (icon.origin, icon.color) == ((0.0, 0.0), "otgray")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<#-", "", "f/box.tex.j2:1: no header (begin with the lines <#-, description: …, size: 1.9 x 1.12, -#>)"),
        ("size: 1.9 x 1\n", "", 'f/box.tex.j2:5: the header has no "size"'),
        ("description: A box.\n", "", 'f/box.tex.j2:5: the header has no "description"'),
        ("A box.", "", 'f/box.tex.j2:2: expected "field: value", not "description:"'),
        ("size:", "sise:", 'f/box.tex.j2:3: unknown field "sise" (did you mean "size"?)'),
        ("origin:", "size:", "f/box.tex.j2:4: size: duplicate, first on line 3"),
        ("1.9 x 1", "big", 'f/box.tex.j2:3: size: expected two lengths in cm such as "1.9 x 1.12", not "big"'),
        ("1.9 x 1", "-1 x 1", 'f/box.tex.j2:3: size: expected two lengths in cm such as "1.9 x 1.12", not "-1 x 1"'),
        ("1.9 x 1", "1.9 x 0", "f/box.tex.j2:3: size: an icon cannot be empty"),
        ("0 -0.12", "0", 'f/box.tex.j2:4: origin: expected two lengths in cm such as "0 -0.12", not "0"'),
        ("otteal", "otteel", 'f/box.tex.j2:5: color: no palette name "otteel" (did you mean "otteal"?)'),
        (
            "otteal",
            "red",
            'f/box.tex.j2:5: color: no palette name "red" '
            "(the existing ones are otblue, otorange, otteal, otpurple, otgray)",
        ),
        ("(0,0)", "(#1,0)", "f/box.tex.j2:7: # is not allowed in an icon (it becomes part of a macro)"),
    ],
)
def test_bad_file_is_refused_with_its_line(old: str, new: str, message: str) -> None:
    with pytest.raises(TikzgenError) as caught:
        parse_header(GOOD.replace(old, new), "f/box.tex.j2")
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["gpu2", "Box", "my_box", "-box", "café"])
def test_name_that_macros_cannot_bear_is_refused(name: str) -> None:
    with pytest.raises(TikzgenError, match="use the letters a-z and hyphens"):
        parse_header(GOOD, f"{name}.tex.j2")


def test_comments_in_the_drawing_may_hold_anything(tmp_path: Path) -> None:
    assert parse_header(GOOD + "<# 2\n # 1 #>", "box.tex.j2").name == "box"


def folder(path: Path, **icons: str) -> Path:
    (path / "icons").mkdir(parents=True)
    for name, text in icons.items():
        (path / "icons" / f"{name}.tex.j2").write_text(text, encoding="utf-8")
    return path


def test_the_first_folder_counts_as_it_does_for_templates(tmp_path: Path) -> None:
    first = folder(tmp_path / "first", gpu=GOOD.replace("A box", "First"), robot=GOOD)
    second = folder(tmp_path / "second", gpu=GOOD.replace("A box", "Second"), cpu=GOOD.replace("A box", "Second"))
    icons = discover_icons((first, second, tmp_path))
    assert [icons[name].description for name in ("gpu", "cpu", "robot")] == ["First.", "Second.", "A box."]
    assert icons["server"] == ICONS["server"]
    assert list(icons) == sorted(icons)
    loaded = make_environment((first, second)).get_template("icons/gpu.tex.j2")
    assert loaded.filename == str(first / "icons" / "gpu.tex.j2")


def figure(*names: str | None) -> FigureModel:
    nodes = [Worker(id="w1"), *(Node(id=f"n{index}", icon=name) for index, name in enumerate(names))]
    return FigureModel(panels=[Panel(content=[Topology(nodes=nodes)])])


def test_only_the_icons_of_a_figure_are_read(tmp_path: Path) -> None:
    mine = folder(tmp_path, broken="no header", cpu=GOOD)
    assert icons_of_figure(figure("cpu", None), (mine,)) == {
        "gpu": ICONS["gpu"],
        "cpu": parse_header(GOOD, "cpu.tex.j2"),
    }
    with pytest.raises(TikzgenError, match=r"broken\.tex\.j2:1: no header"):
        icons_of_figure(figure("broken"), (mine,))


def test_unknown_icon_is_refused_with_its_place() -> None:
    with pytest.raises(SpecError) as caught:
        icons_of_figure(figure("cpu", "gpuu"))
    assert str(caught.value) == 'panels[0].content[0].nodes[2].icon: unknown icon "gpuu" (did you mean "gpu"?)'


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    mine = folder(tmp_path, box="")
    (mine / "icons" / "box.tex.j2").write_bytes(b"\xff\xfe")
    with pytest.raises(FileRefused, match="cannot be read as UTF-8 text"):
        discover_icons((mine,))["box"]
