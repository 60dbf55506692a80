"""Reading of a command's input, with errors for schedules that break rules unless they are allowed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.errors import ExitStatus, TikzgenError
from tikzgen.base.plain_words import count_of
from tikzgen.base.trust import allow_drawing
from tikzgen.model.figure import FigureModel
from tikzgen.model.timeline import Timeline
from tikzgen.spec.load_figure import expand_recipe, settings_allowing_invalid, validate_description
from tikzgen.spec.read_document import read_document

if TYPE_CHECKING:
    from tikzgen.emit.spec_in_three_stages import SpecReading
    from tikzgen.model.figure_options import Options
    from tikzgen.spec.document import Document


class BrokenRules(TikzgenError):
    """A schedule that breaks rules: one line for each, as `tikzgen check` prints them."""

    exit_status = ExitStatus.FINDINGS


def read_valid(
    spec: str | Path, settings: Sequence[str], *, allow_invalid: bool, drawn: bool = True
) -> tuple[Options, Document]:
    """Return the figure or recipe that `spec` describes, not expanded, and its description.

    `drawn` states whether it will be drawn. Raise `BrokenRules` if its schedule breaks rules, unless `allow_invalid`
    or its field of that name is set.
    """
    document = read_document(spec)
    with allow_drawing() if drawn else nullcontext():
        return validate_document(document, settings, allow_invalid=allow_invalid)


def read_figure(spec: str | Path, settings: Sequence[str], allow_invalid: bool) -> FigureModel:
    """Read and expand the figure that `spec` describes; raise `BrokenRules` as `read_valid` does."""
    return expand_recipe(*read_valid(spec, settings, allow_invalid=allow_invalid)).left_alone()


def validate_document(document: Document, settings: Sequence[str], *, allow_invalid: bool) -> tuple[Options, Document]:
    """Validate a description that was already read, as `read_valid` does."""
    if allow_invalid:
        settings = [*settings, *settings_allowing_invalid(document)]
    found, document = validate_description(document, settings)
    if not allow_invalid:
        refuse_broken(found, document)
    return found, document


def valid_reading(reading: SpecReading, *, allow_invalid: bool) -> SpecReading:
    """Return the reading for drawing a file whose reading is shared, as `read_valid` does."""
    if not allow_invalid:
        refuse_broken(*reading.facts)
        return reading
    more = settings_allowing_invalid(reading.document)
    return reading.with_settings(*more) if more else reading


def _cannot_be(found: Options) -> bool:
    """Return whether a timeline has arrows backwards in time, or gathers something a second time."""
    if not isinstance(found, FigureModel):
        return False
    from tikzgen.lint.measures.panel_measures import (
        gathered_twice,  # recipes do not load this module
    )

    return any(
        True
        for _, _, timeline in found.parts(Timeline)
        for _ in chain(timeline.backward_arrows(), gathered_twice(timeline))
    )


def refuse_broken(found: Options, document: Document) -> None:
    """Raise `BrokenRules` if a schedule breaks rules and its field `allow_invalid` is not set.

    A listed timeline must not have arrows backwards in time or gather data a second time. A span that it marks as a
    `fault` is allowed.
    """
    if any(plan.findings for plan in found.compute_plans()) or _cannot_be(found):
        from tikzgen.lint.check_figure import broken_rules  # not loaded for valid figures

        findings = broken_rules(found, document)
        if findings and not getattr(found, "allow_invalid", False):
            count = count_of(len(findings), "finding")
            verdict = f"{document.name}: rejected because of {count} (accept the schedule with --allow-invalid)"
            raise BrokenRules("\n".join([*map(str, findings), verdict]))
