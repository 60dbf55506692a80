"""Whether what a description says can be: rules over schedules and timelines, findings with their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from tikzgen.layout.page.variants import formed
from tikzgen.lint.drawn_timelines import Timed
from tikzgen.lint.findings import Finding
from tikzgen.lint.registry import look, rules_in
from tikzgen.lint.subjects import subjects
from tikzgen.lint.written import Written, written
from tikzgen.loading import described, expanded
from tikzgen.model.figure import Figure, Options
from tikzgen.reading import Reading
from tikzgen.specfile import Document
from tikzgen.tikz.embedded_spec import identity_of

RULES = "tikzgen.lint.rules"
"""Where the rules are that need no TeX."""


def check(path: str | Path, *, schedule: str | None = None, settings: Sequence[str] = ()) -> tuple[Finding, ...]:
    """Every rule that a spec, a .tex or a PyTorch schedule CSV breaks, in the order of the file.

    `schedule` names the pipeline schedule that listed operations are to be, such as `1f1b`; without it, and where the
    spec names none, data dependencies alone are looked at. A .tex is looked at as it is written, too, and its
    description where it has one. `settings` are overrides, as in `load`.

    Raises `FileRefused` for a file that cannot be read and `SpecError` for one that is no description.

    >>> import tikzgen
    >>> len(tikzgen.check("examples/overlap.yaml"))
    0
    """
    return check_read(Reading(path, settings), schedule=schedule)


def check_read(reading: Reading, *, schedule: str | None = None) -> tuple[Finding, ...]:
    """The same for what somebody else asks of, too."""
    path = str(reading.path)
    figure = _as_written(Path(path)) if path.endswith(".tex") else None
    if figure is not None and (not figure.described or (figure.as_drawn and not reading.settings)):
        return _sorted(broken_written(figure))
    if schedule is not None and "operations" in reading.document.data:
        found = broken_rules(*described(reading.document, [*reading.settings, f"schedule={schedule}"]))
    else:
        found = broken_rules(*reading.facts, figure=lambda: reading.figure)
    if figure is None:
        return found
    return _sorted([*found, *broken_written(figure), *_drifts(figure, reading)])


def _drifts(figure: Written, reading: Reading) -> Iterator[Finding]:
    """Where the timelines of a .tex that was edited by hand are no longer those of its description."""
    if figure.bars and figure.inventory.own and not figure.inventory.origin.untouched:
        identity = identity_of(reading.document.data)
        drawn = formed(reading.figure, identity.form) if identity else None
        subject = Timed(figure, drawn or reading.figure, "recipe" in reading.document.data)
        yield from look(subject, rules_in(RULES))


def broken_rules(
    found: Options, document: Document, *, figure: Callable[[], Figure] | None = None
) -> tuple[Finding, ...]:
    """Every rule that `found`, a figure or a recipe read from `document`, breaks; in the order of the file.

    `figure` gives the expanded one where somebody has it.
    """
    drawn = figure or partial(expanded, found, document)
    return _sorted(
        [finding for subject in subjects(found, document, drawn) for finding in look(subject, rules_in(RULES))]
    )


def _as_written(path: Path) -> Written:
    return written(path)


def broken_written(figure: Written) -> tuple[Finding, ...]:
    """Every rule that a .tex breaks as it is written, in the order of the file."""
    return _sorted(look(figure, rules_in(RULES)))


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda each: (each.place.line or 0, each.place.column or 0, each.code)))
