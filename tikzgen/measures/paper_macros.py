r"""A report as macros, so that a paper's text and its figure cannot disagree: `\pipelineBubbleOverTotalPercent`.

A name is the figure's id, the panel's where there are several, and the measure's; numbers are spelt in words. The
macros of one measure do not depend on its value, so a paper compiles with any facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from tikzgen.base.errors import TikzgenError, quoted
from tikzgen.base.record import Record
from tikzgen.base.rounding import percent, rounded
from tikzgen.layout.number_words import wordy
from tikzgen.measures.known_measures import CATALOGUE, Kind, PanelMeasures, Value
from tikzgen.schedule.exact import spell
from tikzgen.tikz.environment import fill

MARK = "% tikzgen metrics of "
"""How a file of macros begins."""


class _Macro(Record):
    name: str
    body: str
    meaning: str


class _Section(Record):
    name: str
    macros: tuple[_Macro, ...]


def macros(figure: str, panels: Sequence[PanelMeasures], ratios: Sequence[Fraction], source: str = "") -> str:
    """The file's text; `source` names the spec that the numbers come from.

    Raises:
        TikzgenError: two panels' ids differ in nothing that a macro's name can show.
    """
    several = len(panels) > 1
    sections = []
    seen: dict[str, str] = {}
    for index, panel in enumerate(panels):
        prefix = _camel(figure) + (_capital(panel.panel) if several else "")
        if prefix in seen:
            message = f"the panels {quoted(seen[prefix])} and {quoted(panel.panel)} would both have macros \\{prefix}…"
            raise TikzgenError(message, hint="give one of them another id")
        seen[prefix] = panel.panel
        found = list(_macros(prefix, panel))
        if ratios:
            found += _numbers(prefix, "speed_up", ratios[index])
        sections.append(_Section(panel.panel if several else "", tuple(found)))
    if several and ratios:
        found = list(_forms(f"{_camel(figure)}SpeedUp", ratios[-1], "the last panel's", Kind.RATIO))
        sections.append(_Section("the whole figure", tuple(found)))
    return fill("metrics.tex.j2", figure=figure, source=_printable(source), panels=sections)


def _macros(prefix: str, panel: PanelMeasures) -> Iterator[_Macro]:
    for key, value in panel.values.items():
        yield from _numbers(prefix, key, value)


def _numbers(prefix: str, key: str, value: Value) -> Iterator[_Macro]:
    """The macros of one measure: exact; rounded or in percent; of a list, its greatest entry."""
    measure = CATALOGUE[key]
    name, meaning = prefix + _capital(key), measure.title
    if isinstance(value, tuple):
        by = "by device" if measure.by_device else "in order"
        yield _Macro(name, ", ".join(str(spell(each)) for each in value), f"{meaning}, {by}")
        yield from _forms(f"{name}Max", max(value, default=0), f"{meaning}: the greatest", measure.kind)
    else:
        yield from _forms(name, value, meaning, measure.kind)


def _forms(name: str, value: Fraction | int, meaning: str, kind: Kind) -> Iterator[_Macro]:
    yield _Macro(name, str(spell(value)), meaning)
    if kind is Kind.SHARE:
        yield _Macro(f"{name}Percent", percent(value), "the same in percent, without the sign")
    if kind in (Kind.TIME, Kind.RATIO):
        yield _Macro(f"{name}Rounded", rounded(value), "the same, to three decimals")


def _capital(identifier: str) -> str:
    """`bubble_over_total` is BubbleOverTotal, `zb-h1` is ZbHOne."""
    parts = re.findall(r"[A-Za-z]+|[0-9]+", identifier)
    return "".join(word[:1].upper() + word[1:] for word in map(wordy, parts))


def _camel(identifier: str) -> str:
    word = _capital(identifier)
    return word[:1].lower() + word[1:]


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)
