"""Refusal of operations after which the figure breaks a rule that held before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any

from tikzgen.base.errors import EditRefused, quote
from tikzgen.edit.own_figure import make_document
from tikzgen.emit.figure_files import spelt_metadata
from tikzgen.lint.check_figure import broken_rules, broken_written
from tikzgen.lint.inventory import Metadata
from tikzgen.lint.registry import Finding, Severity
from tikzgen.lint.written_tex import read_written
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import HUES
from tikzgen.model.operations import kinds_of
from tikzgen.texfile import encode


def errors_of_figure(
    tex: str, metadata: Mapping[str, Any], floors: Mapping[str, float] | None = None
) -> dict[str, list[Finding]]:
    """Return the errors in a figure and its metadata, by the rules' codes."""
    beside = Metadata.parse_file("fig.meta.json", spelt_metadata(metadata).encode())
    return errors_by_code(broken_written(read_written("fig.tex", encode(tex), beside, floors)))


def errors_by_code(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Return the errors among findings, by the codes of the rules."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.severity is Severity.ERROR:
            found.setdefault(finding.code, []).append(finding)
    return found


def keep(
    before: Mapping[str, list[Finding]],
    after: Mapping[str, list[Finding]],
    says: Callable[[Finding], str] = attrgetter("name"),
) -> None:
    """Raise `EditRefused` for a new error of a rule; earlier errors are tolerated.

    `says` returns the promise of the contract for a finding.
    """
    if new := find_new(before, after):
        raise EditRefused("invariant", new.message, invariant=f"{new.code}: {says(new)}", nearest=new.hint)


def find_new(before: Mapping[str, list[Finding]], after: Mapping[str, list[Finding]]) -> Finding | None:
    """Return an error of a rule that has more errors than before; None without one."""
    for code, findings in after.items():
        known = [finding.message for finding in before.get(code, ())]
        if len(findings) > len(known):
            return next((finding for finding in findings if finding.message not in known), findings[-1])
    return None


def errors_of_description(figure: FigureModel, name: str) -> dict[str, list[Finding]]:
    """Return the errors in the times and marks that a description states, by the rules' codes."""
    return errors_by_code(broken_rules(figure, make_document(name, {}), figure=lambda: figure))


def keep_colors_apart(before: FigureModel, after: FigureModel) -> None:
    """Raise `EditRefused` if a kind of flow gets the color of another kind."""
    kinds = sorted(kinds_of(before) & kinds_of(after))
    for kind in kinds:
        color = after.kind(kind).color
        other = next((each for each in kinds if each != kind and after.kind(each).color == color), "")
        if other and before.kind(kind).color != color:
            used = {after.kind(each).color for each in kinds_of(after)}
            free = next((each for each in HUES if each not in used), "otgray")
            message = f"the flows of kind {quote(other)} are {color} already"
            invariant = "flows of different kinds stay in distinct palette colors"
            raise EditRefused("same-color", message, invariant=invariant, nearest=f"recolor {kind} {free}")
