r"""Report on the measures of a figure, panel by panel: JSON, a table, and macros for a paper.

With the macros, text and figure of a paper cannot disagree: `\pipelineBubbleOverTotalPercent`. A name consists of the
figure's id, the panel's id if there are several, and the measure; numbers are written in words. Names do not depend on
values, so a paper compiles with any parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.plain_words import format_percent, in_columns, spell_rounded
from tikzgen.base.record import Record
from tikzgen.emit.environment import fill
from tikzgen.layout.scene import spell_identifier
from tikzgen.lint.measures.known_measures import CATALOGUE, MeasureKind, PanelMeasures, Value
from tikzgen.schedule import is_measured, spell_exact_number

MARK = "% tikzgen metrics of "
"""First characters of a file of macros."""


class _Macro(Record):
    name: str
    body: str
    meaning: str


class _Section(Record):
    name: str
    macros: tuple[_Macro, ...]


def write_macros(figure: str, panels: Sequence[PanelMeasures], ratios: Sequence[Fraction], source: str = "") -> str:
    """Return the contents of a file of macros; `source` names the spec of the numbers.

    Raise `TikzgenError` if two panels' ids give the same macro names.
    """
    several = len(panels) > 1
    sections = []
    seen: dict[str, str] = {}
    for index, panel in enumerate(panels):
        prefix = _spell_lower_camel(figure) + (_spell_upper_camel(panel.panel) if several else "")
        if prefix in seen:
            message = f"the panels {quote(seen[prefix])} and {quote(panel.panel)} would both have macros \\{prefix}…"
            raise TikzgenError(message, hint="give one of them another id")
        seen[prefix] = panel.panel
        found = list(_make_panel_macros(prefix, panel))
        if ratios:
            found += _make_measure_macros(prefix, "speed_up", ratios[index])
        sections.append(_Section(panel.panel if several else "", tuple(found)))
    if several and ratios:
        found = list(
            _make_value_macros(
                f"{_spell_lower_camel(figure)}SpeedUp", ratios[-1], "the last panel's", MeasureKind.RATIO
            )
        )
        sections.append(_Section("the whole figure", tuple(found)))
    return fill("metrics.tex.j2", figure=figure, source=_replace_unprintable(source), panels=sections)


def _make_panel_macros(prefix: str, panel: PanelMeasures) -> Iterator[_Macro]:
    for key, value in panel.values.items():
        yield from _make_measure_macros(prefix, key, value)
    for name, times in panel.classes.items():
        yield from _list_values(
            f"{prefix}Class{_spell_upper_camel(name)}", times, f"class {name}, by device", MeasureKind.TIME
        )
    for key, text in panel.said.items():
        yield _Macro(prefix + _spell_upper_camel(key), text, key.replace("_", " "))


def _make_measure_macros(prefix: str, key: str, value: Value) -> Iterator[_Macro]:
    """Yield the macros of one measure: exact; rounded or in percent; for a list also its greatest entry."""
    measure = CATALOGUE[key]
    name, meaning = prefix + _spell_upper_camel(key), measure.title
    if isinstance(value, tuple):
        yield from _list_values(
            name, value, f"{meaning}, {'by device' if measure.by_device else 'in order'}", measure.kind
        )
    else:
        yield from _make_value_macros(name, value, meaning, measure.kind)


def _list_values(name: str, values: tuple[Fraction | int, ...], meaning: str, kind: MeasureKind) -> Iterator[_Macro]:
    yield _Macro(name, ", ".join(map(_spell_legibly, values)), meaning)
    greatest = f"{meaning.rpartition(', ')[0]}: the greatest"
    yield from _make_value_macros(f"{name}Max", max(values, default=0), greatest, kind)


_TIME_DIGITS = 9  # decimals of a measured time in seconds: a ns is 0.000000001 s


def _spell_legibly(value: Fraction | int) -> str:
    """Return an exact value as a fraction; a measured value with a large denominator as decimals."""
    if value.denominator > 100 and not 10**_TIME_DIGITS % value.denominator:
        return spell_rounded(value, _TIME_DIGITS)
    return str(spell_exact_number(value))


def _make_value_macros(name: str, value: Fraction | int, meaning: str, kind: MeasureKind) -> Iterator[_Macro]:
    yield _Macro(name, _spell_legibly(value), meaning)
    if kind is MeasureKind.SHARE:
        yield _Macro(f"{name}Percent", format_percent(value), "the same in percent, without the sign")
    if kind in (MeasureKind.TIME, MeasureKind.RATIO):
        yield _Macro(f"{name}Rounded", spell_rounded(value), "the same, to three decimals")


def _spell_upper_camel(identifier: str) -> str:
    """Return an identifier in camel case: `bubble_over_total` is BubbleOverTotal, `zb-h1` is ZbHOne."""
    parts = re.findall(r"[A-Za-z]+|[0-9]+", identifier)
    return "".join(word[:1].upper() + word[1:] for word in map(spell_identifier, parts))


def _spell_lower_camel(identifier: str) -> str:
    word = _spell_upper_camel(identifier)
    return word[:1].lower() + word[1:]


def _replace_unprintable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


class Report(Record):
    """Measures of a figure called `figure`: one entry for each panel with a timeline."""

    figure: str
    panels: tuple[PanelMeasures, ...]

    @property
    def speed_ups(self) -> tuple[Fraction, ...]:
        """Speed of each panel relative to the first, at equal work; empty if not comparable.

        Workers that run until a fixed time are compared by completed clocks. Panels are not comparable if one takes no
        time, or if they do different work.
        """
        if len(self.panels) < 2 or any(not panel.makespan for panel in self.panels):
            return ()
        clocks = [panel.total("clocks") for panel in self.panels]
        work = [clock or panel.total("busy") for clock, panel in zip(clocks, self.panels, strict=True)]
        if not all(clocks) and len(set(work)) > 1:
            return ()
        rates = [
            each / panel.makespan if each else 1 / panel.makespan for each, panel in zip(work, self.panels, strict=True)
        ]
        return tuple(rate / rates[0] for rate in rates)

    def as_json(self) -> dict[str, object]:
        """Return the measures of a single panel at the top level, or a list of panels under `panels`.

        The `speed_up` of each panel is relative to the first one. The value of the last panel is also at the top
        level.
        """
        if len(self.panels) == 1:
            return self.panels[0].as_json()
        ratios = self.speed_ups
        panels = [{"panel": panel.panel, **panel.as_json()} for panel in self.panels]
        for panel, ratio in zip(panels, ratios, strict=False):
            panel["speed_up"] = spell_exact_number(ratio)
        return {"panels": panels, "speed_up": spell_exact_number(ratios[-1]) if ratios else None}

    def as_text(self) -> str:
        """Return a table for people: every measure by its full name, exact and rounded."""
        return write_table(self.figure, self.panels, self.speed_ups)

    def as_tex(self, source: str = "") -> str:
        r"""Return macros for a paper's preamble: `\pipelineMakespan`; `source` names the spec in a comment.

        Raise `TikzgenError` if two panels would have the same macros.
        """
        return write_macros(self.figure, self.panels, self.speed_ups, source)


_SHOWN_ITEMS = 12
"""Number of entries that are shown of a longer list."""

_BUBBLES = {"bubble_over_total", "bubble_over_ideal", "worst_span_idle"}


def write_table(figure: str, panels: Sequence[PanelMeasures], speed_ups: Sequence[Fraction]) -> str:
    """Return the table as text, with a line feed at the end."""
    lines = *_table_of_panels(figure, panels, speed_ups), *_write_device_rows(panels)
    return "\n".join(lines).removeprefix("\n") + "\n"


def _table_of_panels(figure: str, panels: Sequence[PanelMeasures], speed_ups: Sequence[Fraction]) -> Iterator[str]:
    """Yield one line for each measure, one column for each panel."""
    keys = [key for key in CATALOGUE if any(_is_whole(panel, key) for panel in panels)]
    rows = [[CATALOGUE[key].title, *(_spell_cell(panel.values.get(key), key) for panel in panels)] for key in keys]
    if speed_ups:
        ratios = [_spell_cell(ratio, "speed_up") for ratio in speed_ups]
        rows.append([CATALOGUE["speed_up"].title, *ratios])
    head = [[figure, *(panel.panel for panel in panels)]] if len(panels) > 1 else []
    return in_columns([*head, *rows], left=len(panels) + 1)


def _write_device_rows(panels: Sequence[PanelMeasures]) -> Iterator[str]:
    """Yield, for each panel, a line for each device, with a column for each measure."""
    for panel in panels:
        keys = [key for key in panel.values if _is_by_device(panel, key)]
        if keys:
            yield ""
            name = panel.panel if len(panels) > 1 else ""
            columns = [panel.values[key] for key in keys]
            rows = [[name, *(CATALOGUE[key].title for key in keys)]]
            for index, device in enumerate(panel.devices):
                values = (column[index] for column in columns if isinstance(column, tuple))
                rows.append([device, *(_spell_exactly(value) for value in values)])
            yield from in_columns(rows, left=1)
        if panel.classes:
            yield ""
            rows = [["", *(f"class {name}" for name in panel.classes)]]
            for index, device in enumerate(panel.devices):
                rows.append([device, *(_spell_exactly(times[index]) for times in panel.classes.values())])
            yield from in_columns(rows, left=1)
        for key, text in panel.said.items():
            yield ""
            yield f"{key.replace('_', ' ')}: {text}"
        if panel.waits:
            yield ""
            yield from (
                f"{device} waits for {', '.join(f'{cause} {_spell_exactly(time)}' for cause, time in causes.items())}"
                for device, causes in panel.waits.items()
            )


def _is_by_device(panel: PanelMeasures, key: str) -> bool:
    value = panel.values.get(key)
    if not CATALOGUE[key].by_device or not isinstance(value, tuple) or len(value) != len(panel.devices):
        return False
    # Only pipelines hold microbatches.
    return key != "peak_in_flight" or any(value)


def _is_whole(panel: PanelMeasures, key: str) -> bool:
    if key not in panel.values or CATALOGUE[key].by_device:
        return False
    # Without computation there is no bubble.
    return bool(panel.values.get("busy")) or key not in _BUBBLES


def _spell_cell(value: Value | None, key: str) -> str:
    """Return a number, exact and rounded; `-` if a panel lacks it."""
    if value is None:
        return "-"
    if isinstance(value, tuple):
        listed = ", ".join(_spell_exactly(each) for each in value[:_SHOWN_ITEMS])
        return listed + (", …" if len(value) > _SHOWN_ITEMS else "")
    if CATALOGUE[key].kind is MeasureKind.SHARE and value.denominator > 1:
        return (
            f"{format_percent(value)} %"
            if is_measured(value)
            else f"{spell_exact_number(value)} ({format_percent(value)} %)"
        )
    return _spell_exactly(value)


def _spell_exactly(value: Fraction | int) -> str:
    if is_measured(value) and 10**_TIME_DIGITS % value.denominator:
        return spell_rounded(value)
    exact = _spell_legibly(value)
    return f"{exact} ({spell_rounded(value)})" if "/" in exact else exact
