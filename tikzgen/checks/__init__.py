"""Whether what a description says can be: rules over schedules and timelines, findings with their places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.checks.findings import Finding, Severity

if TYPE_CHECKING:
    from tikzgen.model.figure import Options
    from tikzgen.spec import Document

__all__ = ["Finding", "Severity", "broken_rules", "check"]


def check(path: str | Path, *, schedule: str | None = None, settings: Sequence[str] = ()) -> tuple[Finding, ...]:
    """Every rule that a spec, a rendered figure or a PyTorch schedule CSV breaks, in the order of the file.

    `schedule` names the pipeline schedule that listed operations are to be, such as `1f1b`; without it, and where the
    spec names none, data dependencies alone are looked at. `settings` are overrides, as in `load`.

    Raises `FileRefused` for a file that cannot be read and `SpecError` for one that is no description.

    >>> import tikzgen
    >>> len(tikzgen.check("examples/overlap.yaml"))
    0
    """
    from tikzgen.loading import described, read_document

    document = read_document(path)
    given = [f"schedule={schedule}"] if schedule is not None and "operations" in document.data else []
    return broken_rules(*described(document, [*settings, *given]))


def broken_rules(found: Options, document: Document) -> tuple[Finding, ...]:
    """Every rule that `found`, a figure or a recipe read from `document`, breaks; in the order of the file."""
    from tikzgen.checks.registry import look
    from tikzgen.checks.subjects import subjects

    findings = [finding for subject in subjects(found, document) for finding in look(subject)]
    return tuple(sorted(findings, key=lambda each: (each.place.line or 0, each.place.column or 0, each.code)))
