"""The table of rules has every rule, and packages may add some."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from command import run
from conftest import ROOT
from extension_packages import install

from tikzgen.base.errors import TikzgenError
from tikzgen.lint.rule_table import GEOMETRY, RULES, WRITTEN, all_rules, rules_in

SPEC = "recipe: data-parallel\nworkers: 6\n"


MODULES = [
    path for package in (WRITTEN, GEOMETRY) for path in sorted((ROOT / package.replace(".", "/")).glob("[a-z]*.py"))
]


def defined_in(module: Path) -> dict[str, str]:
    """Return the address of each rule that a module defines, by code."""
    name = ".".join(module.relative_to(ROOT).with_suffix("").parts)
    found = re.findall(r"@rule\(\s*\"(\w+)\".*?\ndef (\w+)", module.read_text("utf-8"), re.DOTALL)
    return {code: f"{name}:{function}" for code, function in found}


def test_the_table_has_every_rule_that_is_defined_in_the_order_of_codes() -> None:
    assert dict(RULES.built_in) == {code: place for path in MODULES for code, place in defined_in(path).items()}
    assert list(RULES.built_in) == sorted(RULES.built_in)
    assert [rule.code for rule in all_rules()] == list(RULES)
    assert {RULES[code].code for code in RULES.built_in} == set(RULES.built_in)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_the_docstring_of_a_module_of_rules_names_their_codes(module: Path) -> None:
    named = re.findall(r"TG\d+", ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "")
    assert sorted(defined_in(module)) == named


def test_modules_are_left_out() -> None:
    every, fewer = rules_in(GEOMETRY), rules_in(GEOMETRY, without=("against_tex",))
    left_out = {rule.code for rule in every} - {rule.code for rule in fewer}
    assert left_out == {code for code, place in RULES.built_in.items() if f"{GEOMETRY}.against_tex:" in place} != set()


def test_a_package_adds_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "acme-rule")
    monkeypatch.chdir(tmp_path)
    Path("fig.yaml").write_text(SPEC, "utf-8")
    drawn = run("render", "fig.yaml")
    assert (drawn.status, "ACME" in drawn.err) == (0, False)  # only `check` looks for rules of packages
    written = run("check", "fig.tex")
    assert written.status == 1
    assert re.search(r"^fig.tex:1: ACME001 \d+ nodes \(draw fewer workers\)$", written.out, re.MULTILINE)
    geometry = run("check", "fig.tex", "--geometry", "--engine", "none", "--select", "ACME002")
    assert re.fullmatch(r"fig.tex:1: ACME002 \d+ nodes on the page", geometry.out.strip())
    assert run("check", "fig.tex", "--ignore", "ACME").status == 0
    assert "ACME001" in run("check", "--rules").out
    assert run("edit", "fig.tex", "add-worker").status == 0  # rules of others do not forbid operations


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("TG999 = acme_rule:few_nodes", "is not a code: two to eight capitals, not TG, and three digits"),
        ("few = acme_rule:few_nodes", "is not a code: two to eight capitals, not TG, and three digits"),
        ("ACME002 = acme_rule:few_nodes", "has the code ACME001"),
        ("ACME001 = acme_rule:SPEC", "lacks code, name, summary"),
    ],
)
def test_an_entry_that_is_not_a_rule_of_its_code_is_refused(
    entry: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, tmp_path / "site", "acme-rule", append="\nSPEC = 1\n")
    (tmp_path / "site/acme_rule-1.0.dist-info/entry_points.txt").write_text(f"[tikzgen.rules]\n{entry}\n", "utf-8")
    name = entry.partition(" ")[0]
    with pytest.raises(TikzgenError) as caught:
        RULES[name]
    assert str(caught.value).startswith(f'package "acme-rule": entry "{name}" of tikzgen.rules {problem}')
    (tmp_path / "fig.yaml").write_text(SPEC, "utf-8")
    done = run("check", str(tmp_path / "fig.yaml"))
    assert (done.status, problem in done.err) == (2, True)
