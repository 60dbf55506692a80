"""LaTeXML, which makes arXiv's HTML: figures convert without an error, keep their size, and say what they say.

It takes 10 s to read TikZ and 10 to 60 s for a figure, so small figures of every form stand for the examples; the
nightly size converts these, too.
"""

from __future__ import annotations

import html
import re
import subprocess
from pathlib import Path

import pytest
from command import run
from conftest import EXAMPLES, NIGHTLY
from example_texts import TEXTS

from tikzgen import Figure, Lane, Panel, Span, Timeline, load, loads
from tikzgen.layout import layout
from tikzgen.model.looks.icons import icons_of_figure

pytestmark = pytest.mark.tex


def on_one_gpu(*spans: Span, width: float | None = None) -> Figure:
    lanes = [Lane(id="gpu", label="GPU")]
    return Figure(panels=[Panel(content=[Timeline(lanes=lanes, spans=list(spans))])], width=width)


# A topology in Chinese with a caption of two lines, hatched spans, and more spans than nodes can draw.
FORMS = {
    "topology": loads('{recipe: data-parallel, workers: 1, title: 同步训练, labels: {server: "Store\\nof weights"}}'),
    "timeline": on_one_gpu(
        Span(lane="gpu", start=0, duration=3, phase="communication"),
        Span(lane="gpu", start=3, duration=2, phase="input-grad", number=7),
    ),
    "mass": on_one_gpu(*(Span(lane="gpu", start=k, duration=1, phase="forward") for k in range(601)), width=12),
}
SAID = {
    "topology": ["同步训练", "Worker 1", "Store", "of weights", "batch"],
    "timeline": ["GPU", "communication", "input gradient", "7", "time"],
    "mass": ["GPU", "forward", "time"],
}
PAPERS: dict[str, dict[str, Figure]] = {"forms": {name: FORMS[name] for name in FORMS if NIGHTLY or name == "topology"}}
if NIGHTLY:
    for part in range(4):
        PAPERS[f"examples {part + 1} of 4"] = {example.stem: load(example) for example in EXAMPLES[part::4]}

PAPER = r"""
\documentclass{article}
\input{preamble}
\begin{document}
%s
\end{document}
"""
PX_PER_CM = 100 / 2.54  # LaTeXML's pixels


@pytest.mark.parametrize("paper", PAPERS)
def test_figures_become_html(tmp_path: Path, paper: str) -> None:
    figures = PAPERS[paper]
    for name, figure in figures.items():
        (tmp_path / f"{name}.tex").write_text(figure.tex(), "utf-8")
    printed = run("preamble", *(str(tmp_path / f"{name}.tex") for name in figures))
    (tmp_path / "preamble.tex").write_text(printed.out, "utf-8")
    taken = "\n\n".join(rf"\section{{{name}}}\input{{{name}}}" for name in figures)
    (tmp_path / "paper.tex").write_text(PAPER.lstrip() % taken, "utf-8")
    done = subprocess.run(["latexmlc", "--dest=paper.html", "paper.tex"], cwd=tmp_path, capture_output=True, text=True)
    log = (tmp_path / "paper.latexml.log").read_text("utf-8")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^(?:Error|Fatal):.*", log, re.MULTILINE) == []
    assert "Missing number" not in log, "what LaTeXML makes of aligned nodes"
    assert re.findall(r"Warning:missing_file:(?!CJKutf8|border=0pt)\S+", log) == []
    page = (tmp_path / "paper.html").read_text("utf-8")
    pictures = re.findall(r'<svg [^>]*class="ltx_picture"[^>]*>.*?</svg>', page, re.DOTALL)
    assert len(pictures) == len(figures)
    for (name, figure), picture in zip(figures.items(), pictures, strict=True):
        size = [float(side) for side in re.findall(r' (?:width|height)="([\d.]+)"', picture.partition(">")[0])]
        assert sorted(size) == pytest.approx(sorted(planned(figure)), rel=0.1), f"{name} keeps its size"
        found = "".join(html.unescape(re.sub("<[^>]*>", "", picture)).split())
        said = SAID.get(name) or TEXTS[name]
        assert [text for text in said if "".join(text.split()) not in found] == [], name


def planned(figure: Figure) -> list[float]:
    """Width and height of the page in LaTeXML's pixels."""
    scene = layout(figure, icons_of_figure(figure))
    values = {p.name: float(p.value) for p in scene.parameters if p.type == "length-cm"}
    return [side * PX_PER_CM for side in (scene.extent.measure_width(values), scene.extent.measure_height(values))]
