"""Rules that read a .tex as it is written: mutants of a figure of others, and tikzgen's own figures."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

from tikzgen.checks import broken_written, check
from tikzgen.checks.registry import rules
from tikzgen.checks.written import written
from tikzgen.errors import SpecError

SEED = ROOT / "tests" / "cases" / "opentikz" / "distributed-training.tex"
OWN = sorted((ROOT / "tests" / "goldens").glob("*.tex"))

SPEC = "% tikzgen spec: what this figure was rendered from; `tikzgen render` reads it"

# what is wrong with the template as it is: its parameters leave blanks, and all its definitions leak
ALWAYS = Counter(["TG212", "TG213"])

MUTANTS = [
    ("a brace too few", "{\\datalabel};", "{\\datalabel;", "TG201"),
    ("a brace too many", "{\\datalabel};", "{\\datalabel}};", "TG201 TG214"),
    ("no semicolon", "{\\titlelabel};", "{\\titlelabel}", "TG201"),
    ("an environment left open", "\\end{tikzpicture}\n\\end{document}", "\\end{document}", "TG201 TG214"),
    ("a parameter renamed", "\\def\\batchlabel", "\\def\\batchtext", "TG202 TG214"),
    ("a parameter removed", "\\def\\weightlabel{$\\theta$}\n", "", "TG202"),
    ("a parameter in a comment", "\\def\\rowsep", "% \\def\\rowsep", "TG202"),
    ("another default", "\\def\\colsep{4.6}", "\\def\\colsep{4.2}", "TG203"),
    ("a node with a blank", "(w1) at", "(w 1) at", "TG204"),
    ("a node with an underscore", "(w1) at", "(w_1) at", "TG204"),
    ("a node like a style", "(w1) at", "(grad) at", "TG205"),
    ("a style like a node", "wts/.style", "ps/.style={}, wts/.style", "TG205"),
    ("a worker not synchronised", "{w1,w2,w3}", "{w1,w2}", "TG206"),
    (
        "a worker more, not synchronised",
        "  % title",
        "  \\node[icon] (w4) at (0,9) {\\gpupic};\n  % title",
        "TG206 TG215",
    ),
    ("flows in one colour", "grad/.style={draw=otpurple!85!black", "grad/.style={draw=otteal!85!black", "TG207"),
    ("flows in one gray", "wts/.style={draw=otteal!70!black", "wts/.style={draw=otgray", "TG207"),
    ("a stock colour in a style", "draw=otgray!75", "draw=red", "TG208"),
    ("a stock colour in a tint", "draw=otgray!75", "draw=otgray!75!yellow", "TG208"),
    ("a stock colour in an icon", "\\filldraw[otteal]", "\\filldraw[green]", "TG208"),
    ("a colour in numbers", "{\\titlelabel};", "{\\color[HTML]{FF0000}\\titlelabel};", "TG208"),
    ("a palette value", "{0072B2}", "{0072B3}", "TG209"),
    ("a library more", "positioning, arrows.meta", "positioning, arrows.meta, calc", "TG210"),
    ("a library less", "positioning, arrows.meta", "positioning", "TG210"),
    ("a package more", "\\usepackage{tikz}", "\\usepackage{tikz}\\usepackage{amsmath}", "TG210"),
    (
        "a flow from a coordinate",
        "\\draw[data] (data.east) -- (w3.west)",
        "\\draw[data] (0.8,0) -- (w3.west)",
        "TG211 TG215",
    ),
    ("a flow to a coordinate", "(data.east) -- (w1.west)", "(data.east) -- (3.5,2.5)", "TG211 TG215"),
    ("a worker without data", "  \\draw[data] (data.east) -- (w3.west);\n", "", "TG215"),
    ("layers set for all", "\\begin{document}", "\\begin{document}\\pgfsetlayers{main}", "TG213"),
    ("a library in the body", "\\begin{document}", "\\begin{document}\\usetikzlibrary{positioning}", "TG213"),
    ("a style renamed", "slbl/.style", "label/.style", "TG214"),
    ("a parameter more", "% labels\n", "% labels\n\\def\\more{1}\n", "TG214"),
]


def codes(folder: Path, text: str, metadata: str) -> Counter[str]:
    """The rules that a figure with its metadata breaks, and how often."""
    place = folder / "fig.tex"
    place.write_text(text, encoding="utf-8")
    (folder / "fig.meta.json").write_text(metadata, encoding="utf-8")
    return Counter(finding.code for finding in broken_written(written(place)))


@pytest.fixture(scope="module")
def template() -> tuple[str, str]:
    return SEED.read_text(encoding="utf-8"), SEED.with_suffix(".meta.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(("before", "after", "wanted"), [each[1:] for each in MUTANTS], ids=[m[0] for m in MUTANTS])
def test_mutants_are_found(tmp_path: Path, template: tuple[str, str], before: str, after: str, wanted: str) -> None:
    text, metadata = template
    assert before in text
    found = codes(tmp_path, text.replace(before, after, 1), metadata)
    assert sorted(found - ALWAYS) == wanted.split()


def test_the_template_as_it_is(tmp_path: Path, template: tuple[str, str]) -> None:
    assert codes(tmp_path, *template) == ALWAYS


@pytest.mark.parametrize(
    "change",
    [{"requires": None}, {"id": None}, {"edit_contract": {"styles": ["nowhere"], "parameters": []}}, None],
    ids=["no requires", "no id", "another contract", "no JSON"],
)
def test_broken_metadata_are_found(tmp_path: Path, template: tuple[str, str], change: dict[str, Any] | None) -> None:
    text, metadata = template
    data = {key: value for key, value in (json.loads(metadata) | (change or {})).items() if value is not None}
    assert "TG214" in codes(tmp_path, text, json.dumps(data) if change else "{")


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_own_figures_break_no_rule(path: Path) -> None:
    assert check(path) == ()


def test_a_figure_of_others_is_checked_without_a_description() -> None:
    found = check(SEED)
    assert [(each.code, each.place.line, each.place.column) for each in found] == [("TG213", 17, 1), ("TG212", 50, 17)]


def test_a_description_of_another_version_is_still_looked_at(tmp_path: Path) -> None:
    place = tmp_path / "fig.tex"
    place.write_text((ROOT / "tests" / "goldens" / "overlap.tex").read_text(encoding="utf-8").replace('": 1,', '": 2,'))
    assert written(place).described
    spec = '{"recipe": "nowhere"}'
    place.write_text(place.read_text(encoding="utf-8").partition("% tikzgen spec")[0] + f"{SPEC}\n% {spec}\n")
    with pytest.raises(SpecError, match="nowhere"):
        check(place)


def test_every_rule_is_broken_by_some_mutant() -> None:
    broken = {code for mutant in MUTANTS for code in mutant[3].split()} | set(ALWAYS)
    assert broken == {rule.code for rule in rules() if "TG2" <= rule.code < "TG3"}
