"""The whole message of each refusal, as reviewed: of specs, and of drawings that take TeX."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from conftest import ROOT
from ruamel.yaml import YAML

from tikzgen import TikzgenError, loads, render
from tikzgen.compile.draw.draw_tex import draw

CASES = ROOT / "tests" / "cases"
SHELL = r"""\documentclass[border=0pt]{standalone}
\usepackage{tikz}
\begin{document}
\begin{tikzpicture}
%s
\end{tikzpicture}
\end{document}
"""


def _message(make: Callable[[], object]) -> str:
    try:
        make()
    except TikzgenError as error:
        return str(error)
    return "not refused"


def test_specs_are_refused_as_reviewed(golden: Callable[[Path, str], None]) -> None:
    lines = []
    for spec in YAML(typ="safe").load((CASES / "refusals.yaml").read_text(encoding="utf-8")):
        text = json.dumps(spec)
        lines += [text, f"  {_message(lambda text=text: render(loads(text)))}"]
    golden(ROOT / "tests" / "goldens" / "refusals" / "specs.txt", "\n".join(lines) + "\n")


def test_drawings_are_refused_as_reviewed(golden: Callable[[Path, str], None]) -> None:
    lines = []
    for body in (CASES / "drawing" / "refused-bodies.txt").read_text(encoding="utf-8").splitlines():
        lines += [body, f"  {_message(lambda body=body: draw(SHELL % body))}"]
    whole = SHELL % ""
    for name, text in {
        "no document": whole.replace(r"\begin{document}", ""),
        "no end": whole.replace(r"\end{document}", ""),
        "no picture": whole.replace("tikzpicture", "center"),
        "no end of the picture": whole.replace(r"\end{tikzpicture}", ""),
        "two pictures": whole.replace(r"\end{document}", r"\begin{tikzpicture}\end{tikzpicture}\end{document}"),
        "another package": whole.replace("{tikz}", "{tikz,tabularx}"),
        "another class": whole.replace("border=0pt", "tikz"),
        "long": whole + "%" * 20_000_000,
    }.items():
        lines += [name, f"  {_message(lambda text=text: draw(text))}"]
    golden(ROOT / "tests" / "goldens" / "refusals" / "drawings.txt", "\n".join(lines) + "\n")
