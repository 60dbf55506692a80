"""What the tests of the scanner share: the sources in the repository, and facts as short text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conftest import ROOT
from hypothesis import strategies as st

from tikzgen.texfile import Facts, TextSpan
from tikzgen.texfile.names_in_loops import node_names, pairs_of_flow
from tikzgen.texfile.source_facts import Option

__all__ = ["CASES", "SOURCES", "TEXTS", "told"]

CASES = sorted((ROOT / "tests" / "cases" / "source").glob("*.tex"))
SOURCES = sorted(path for folder in ("tests", "examples") for path in (ROOT / folder).rglob("*.tex"))

PIECES = [
    *(
        "\\",
        "%",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ";",
        ",",
        "=",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\ufeff",
        "$",
        "é",
        "中",
        "\udcff",
    ),
    *("\\node", "\\draw", "\\verb|", "\\verb*+", "\\iffalse", "\\ifx", "\\else", "\\fi", "\\foreach \\w in ", "\\tikz"),
    *(
        "\\begin{tikzpicture}",
        "\\end{tikzpicture}",
        "\\begin{scope}",
        "\\end{scope}",
        "\\begin{verbatim}",
        "\\begin {x}",
    ),
    *("\\end{verbatim}", "\\begin{document}", "\\end{document}", "\\end{", "\\def\\x", "\\newcommand{\\y}[1]", "#1"),
    *(
        "a/.style=",
        "fit=(a)",
        "right=of ",
        "node",
        " at ",
        "edge",
        "--",
        "..",
        "controls",
        "(a.east)",
        "($(a)!.5!(b)$)",
    ),
    *(
        "% ==== parameters (edit these) ====\n",
        "% ====\n",
        "\\definecolor{a}{HTML}{",
        "red!20",
        "...",
        "1/",
        "\\tikzset{",
    ),
]

TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.text(max_size=60))
"""Pieces of TeX in any order, or any text."""


def told(facts: Facts) -> dict[str, Any]:
    """Facts as data that a person can review: each with its place."""
    return {
        "errors": [f"{_at(facts, error.at)} {error.message}" for error in facts.errors],
        "loaded": [
            f"{_place(facts, each.span)} {each.command} {each.name}{_keys(each.options)}" for each in facts.loaded
        ],
        "definitions": [
            f"{_place(facts, each.span)} {each.command} {each.name}{each.parameters} = {each.value}"
            + (f" % {each.comment}" if each.comment else "")
            for each in facts.definitions
        ],
        "parameters": [each.name for each in facts.parameters.parameters] if facts.parameters else None,
        "colors": [f"{_place(facts, each.span)} {each.name} {each.model} {each.value}" for each in facts.colors],
        "color uses": [f"{_place(facts, each.span)} {each.name}{' stock' * each.stock}" for each in facts.color_uses],
        "color literals": [f"{_place(facts, each.span)} {each.model} {each.value}" for each in facts.color_literals],
        "styles": [
            f"{_place(facts, each.span)} {each.name}{' +' * each.extends} {_keys(each.options)}"
            for each in facts.styles
        ],
        "pictures": [f"{_place(facts, each.span)} in {each.parent}, {each.macro}" for each in facts.pictures],
        "scopes": [f"{_place(facts, each.span)} {each.name}{_keys(each.options)}" for each in facts.scopes],
        "loops": [
            f"{_place(facts, each.span)} {','.join(each.variables)} in {[member.text for member in each.members]}"
            for each in facts.loops
        ],
        "statements": list(_statements(facts)),
        "nodes": list(_nodes(facts)),
        "references": [
            f"{_place(facts, each.span)} {each.name}.{each.anchor} {each.role}" for each in facts.references
        ],
        "flows": list(_flows(facts)),
        "inclusions": [f"{_place(facts, each.span)} {each.command} {each.path}" for each in facts.inclusions],
    }


def _statements(facts: Facts) -> Iterator[str]:
    for each in facts.statements:
        where = f"picture {each.picture}, scope {each.scope}, loop {each.loop}"
        yield f"{_place(facts, each.span)} {each.command}{_keys(each.options)} {where}"


def _flows(facts: Facts) -> Iterator[str]:
    for each in facts.flows:
        how = f"{each.operator}{_keys(each.options)} {each.style} {each.labels}"
        yield f"{_place(facts, each.span)} {pairs_of_flow(facts, each)} {how}"


def _nodes(facts: Facts) -> Iterator[str]:
    for index, each in enumerate(facts.nodes):
        at = f" at {each.at.kind} {each.at.text}" if each.at else ""
        how = f"{at}{_keys(each.options)} {each.text!r}"
        yield f"{_place(facts, each.span)} {each.kind} {node_names(facts, index)}{how}"


def _keys(options: tuple[Option, ...]) -> str:
    return f"{[option.key if option.value is None else (option.key, option.value) for option in options]}"


def _place(facts: Facts, span: TextSpan) -> str:
    return f"{_at(facts, span.start)}-{_at(facts, span.end)}"


def _at(facts: Facts, at: int) -> str:
    place = facts.place_of(at)
    return f"{place.line}:{place.column}"
