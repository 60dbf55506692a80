"""Read what a verb is given, and refuse a schedule that breaks rules unless it is allowed to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.errors import ExitStatus, TikzgenError
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
    """The figure or recipe that `spec` describes, not expanded, and its description; is it to be `drawn`?

    `BrokenRules` where its schedule breaks rules, and neither `allow_invalid` nor its field of that name is set.
    """
    document = read_document(spec)
    with allow_drawing() if drawn else nullcontext():
        return valid(document, settings, allow_invalid=allow_invalid)


def read_figure(spec: str | Path, settings: Sequence[str], allow_invalid: bool) -> FigureModel:
    """Read and expand the figure that `spec` describes; `BrokenRules` as in `read_valid`."""
    return expand_recipe(*read_valid(spec, settings, allow_invalid=allow_invalid)).left_alone()


def valid(document: Document, settings: Sequence[str], *, allow_invalid: bool) -> tuple[Options, Document]:
    """The same for a description that was read already."""
    if allow_invalid:
        settings = [*settings, *settings_allowing_invalid(document)]
    found, document = validate_description(document, settings)
    if not allow_invalid:
        refuse_broken(found, document)
    return found, document


def valid_reading(reading: SpecReading, *, allow_invalid: bool) -> SpecReading:
    """The same for a file that others ask of, too: the reading to draw it from."""
    if not allow_invalid:
        refuse_broken(*reading.facts)
        return reading
    more = settings_allowing_invalid(reading.document)
    return reading.with_settings(*more) if more else reading


def _cannot_be(found: Options) -> bool:
    """Whether a timeline has arrows that run backwards in time, or gathers what is there."""
    if not isinstance(found, FigureModel):
        return False
    from tikzgen.lint.measures.panel_measures import (
        gathered_twice,  # nor does who draws a recipe load what measures spans
    )

    return any(
        True
        for _, _, timeline in found.parts(Timeline)
        for _ in chain(timeline.backward_arrows(), gathered_twice(timeline))
    )


def refuse_broken(found: Options, document: Document) -> None:
    """Raise `BrokenRules` where a schedule breaks rules and its field `allow_invalid` is not set.

    A timeline by hand is broken by arrows that run backwards in time and by gathers of what is there; a span
    that it marks as a `fault` it knows of.
    """
    if any(plan.findings for plan in found.plans()) or _cannot_be(found):
        from tikzgen.lint.check_figure import broken_rules  # who draws a figure that may be drawn needs no rules

        findings = broken_rules(found, document)
        if findings and not getattr(found, "allow_invalid", False):
            lines = [*map(str, findings), f"{document.name}: refused; --allow-invalid takes it all the same"]
            raise BrokenRules("\n".join(lines))
