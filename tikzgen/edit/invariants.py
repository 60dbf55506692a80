"""After an operation: rules of the contract that held before must hold still."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tikzgen.edit.outcome import EditRefused
from tikzgen.lint import Severity, broken_written
from tikzgen.lint.metadatatext import Metadata
from tikzgen.lint.written import read_written
from tikzgen.tikz.figure_files import spelt_metadata

__all__ = ["broken", "keep"]


def broken(tex: str, metadata: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The errors in a figure and its metadata, by the rules' codes."""
    beside = Metadata.read("fig.meta.json", spelt_metadata(metadata).encode())
    found: dict[str, list[Any]] = {}
    for finding in broken_written(read_written("fig.tex", tex.encode(), beside)):
        if finding.severity is Severity.ERROR:
            found.setdefault(finding.code, []).append(finding)
    return found


def keep(before: Mapping[str, list[Any]], after: Mapping[str, list[Any]]) -> None:
    """Refuse what breaks a rule that held, or breaks one more often; what was broken before is no obstacle."""
    for code, findings in after.items():
        if len(findings) > len(before.get(code, ())):
            first = findings[0]
            raise EditRefused("invariant", first.message, invariant=f"{code}: {first.name}", nearest=first.hint)
