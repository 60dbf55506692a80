"""Reader of Mermaid Gantt charts: a lane for each task, a group for each section."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.model.exact_fields import spell_time
from tikzgen.spec.diagrams.diagram_source import MAX_LABEL_CHARS, DiagramSource, Located
from tikzgen.spec.diagrams.gantt_times import (
    DAY_SECONDS,
    date_of,
    format_date,
    list_tick_distances,
    read_date,
    read_duration,
)
from tikzgen.spec.diagrams.import_formats import ImportFormat, Syntax
from tikzgen.spec.diagrams.label_text import clean_mermaid_label, escape_dollars
from tikzgen.spec.diagrams.mermaid_lines import (
    MERMAID_SUFFIXES,
    begin_mermaid,
    first_word_of,
    read_mermaid_lines,
)

_WORD = pattern_of(r"[A-Za-z]+\b")
_TAGS = {"done": "done", "active": "active", "crit": "critical", "milestone": "milestone"}
_PHASES: dict[str, dict[str, Any]] = {
    "task": {"color": "otblue", "tint": 39},
    "done": {"color": "otgray", "tint": 20},
    "active": {"color": "otteal", "tint": 80},
    "critical": {"color": "otorange", "tint": 96},
}
"""Styles of tasks by their tags."""
WIDTH_CM = 12
"""Width of an imported chart in cm: without a width, time units have one length, and labels of short charts overlap."""
_AXIS_CHARS = 50  # characters that fit along the axis
_LABEL_GAP = 3  # characters between labels
_UNSUPPORTED = ("excludes", "includes", "todayMarker", "weekday", "weekend", "inclusiveEndDates", "topAxis", "click")


class MermaidGantt(ImportFormat):
    """Gantt charts of Mermaid."""

    phrase = "Mermaid gantt"
    suffixes = MERMAID_SUFFIXES
    frame = "gantt\ndateFormat YYYY-MM-DD\nBegin :b, 2024-01-01, 3d\n{}\n"
    syntax = (
        Syntax("Task :2024-01-02, 2024-01-05", "lane with a span; time units are days, hours, minutes or seconds"),
        Syntax("Task :2024-01-02, 3d", "span of 3 days; also `w`, `h`, `m`, `s`, `ms`"),
        Syntax("Task :t1, after b, 3d", "span after another one"),
        Syntax("Task :3d", "span after the previous one"),
        Syntax("Task :done, 3d", "phase `done`; also `active`, `crit`"),
        Syntax("Task :milestone, m1, 2024-01-05, 0d", "event"),
        Syntax("section Name\nTask :3d", "group of lanes"),
        Syntax("axisFormat %d %b", "labels of the ticks"),
        Syntax("title Name", "`title`"),
        Syntax("excludes weekends", "nothing", is_taken=False),
        Syntax("todayMarker off", "nothing", is_taken=False),
        Syntax("tickInterval 1week", "nothing", is_taken=False),
        Syntax('click b href "https://example.org"', "nothing", is_taken=False),
    )

    def recognizes_text(self, text: str) -> bool:
        """Return whether the first word is `gantt`."""
        return first_word_of(text) == "gantt"

    def read_diagram(self, source: DiagramSource) -> dict[str, Any]:
        """Return the data of a timeline."""
        return _GanttReader(source).read_chart()


class _Task:
    def __init__(self, name: str, label: str, offset: int, tags: list[str], start: Fraction, end: Fraction) -> None:
        self.name = name
        self.label = label
        self.offset = offset
        self.tags = tags
        self.start = start
        self.end = end


class _GanttReader:
    def __init__(self, source: DiagramSource) -> None:
        self._source = source
        self._cursor, self._about = begin_mermaid(source)
        self._date_format = "YYYY-MM-DD"
        self._axis_format = "%Y-%m-%d"
        self._tasks: list[_Task] = []
        self._named: dict[str, _Task] = {}
        self._sections: list[tuple[str, int, list[_Task]]] = []

    def read_chart(self) -> dict[str, Any]:
        """Read all statements."""
        read_mermaid_lines(self._cursor, self._about, self._read_statement)
        if not self._tasks:
            self._source.refuse_empty("the chart has no tasks", "add a task: Name :2024-01-01, 3d")
        return self._about.make_fields() | self._make_data()

    def _read_statement(self) -> None:
        cursor = self._cursor
        begin = cursor.at
        line = cursor.text[begin : cursor.find_line_end()].rstrip(" \t;")
        word = _WORD.match(line)
        name = word[0] if word else ""
        rest = line[len(name) :].strip()
        if name == "section" and ":" not in rest:
            label = clean_mermaid_label(rest[:MAX_LABEL_CHARS], self._source, begin)
            self._sections.append((label, begin, []))
        elif name == "dateFormat":
            self._date_format = rest[:MAX_LABEL_CHARS]
        elif name == "axisFormat":
            self._axis_format = rest[:MAX_LABEL_CHARS]
        elif name in _UNSUPPORTED or name == "tickInterval":
            self._source.report(f"unsupported statement {quote(name)}", begin)
        else:
            self._read_task(line, begin)

    def _read_task(self, line: str, begin: int) -> None:
        """Read a task: `Name :tags, id, start, end`."""
        label, colon, facts = line.partition(":")
        if not colon:
            self._source.reject(f"unknown statement {quote(line.strip())}", begin, 'a task is "Name :2024-01-01, 3d"')
        fields = [field.strip() for field in facts.split(",")]
        tags = []
        while fields and fields[0] in _TAGS:
            tags.append(_TAGS[fields.pop(0)])
        if fields and fields[0] == "vert":
            self._source.report("unsupported tag vert", begin)
            fields.pop(0)
        if not 1 <= len(fields) <= 3:
            self._source.reject("a task needs a time", begin, 'write "Name :2024-01-01, 3d"')
        name = fields[0] if len(fields) == 3 else ""
        start = self._read_start(fields[-2], begin) if len(fields) > 1 else self._find_previous_end(begin)
        end = self._read_end(fields[-1], start, begin)
        if end < start:
            self._source.reject("a task ends before it begins", begin, "correct its end")
        self._source.count_part(begin)
        text = clean_mermaid_label(label[:MAX_LABEL_CHARS], self._source, begin)
        task = _Task(name, text, begin, tags, start, end)
        self._tasks.append(task)
        if self._sections:
            self._sections[-1][2].append(task)
        if name:
            self._named[name] = task

    def _find_previous_end(self, begin: int) -> Fraction:
        if not self._tasks:
            self._source.reject("the first task has no start", begin, 'write "Name :2024-01-01, 3d"')
        return self._tasks[-1].end

    def _read_start(self, text: str, begin: int) -> Fraction:
        if text.startswith("after "):
            return max(task.end for task in self._find_tasks(text, begin))
        date = read_date(text, self._date_format)
        if date is None:
            self._source.reject(f"unknown date {quote(text)}", begin, f"write it as {self._date_format[:20]}")
        return date

    def _read_end(self, text: str, start: Fraction, begin: int) -> Fraction:
        if text.startswith("until "):
            return min(task.start for task in self._find_tasks(text, begin))
        duration = read_duration(text)
        if duration is not None:
            return start + duration
        date = read_date(text, self._date_format)
        if date is None:
            self._source.reject(f"unknown end {quote(text)}", begin, "write a duration such as 3d, or a date")
        return date

    def _find_tasks(self, text: str, begin: int) -> list[_Task]:
        names = text.split()[1:]
        if not names or (unknown := next((name for name in names if name not in self._named), "")):
            self._source.reject(f"unknown task {quote(unknown if names else text)}", begin, "name a task above")
        return [self._named[name] for name in names]

    def _make_data(self) -> dict[str, Any]:
        """Return the data of a spec, in the largest time unit that makes all times whole numbers."""
        first = min(task.start for task in self._tasks)
        times = [time - first for task in self._tasks for time in (task.start, task.end)]
        units = (Fraction(DAY_SECONDS), Fraction(3600), Fraction(60), Fraction(1))
        unit = next((each for each in units if all((time / each).denominator == 1 for time in times)), Fraction(1))
        lanes, spans, events, own = [], [], [], {}
        for task in self._tasks:
            own[task] = self._source.make_id(task.name or task.label, task.offset)
            lanes.append(Located(task.offset, id=own[task], label=task.label))
            start, duration = spell_time((task.start - first) / unit), spell_time((task.end - task.start) / unit)
            if "milestone" in task.tags or task.end == task.start:
                middle = spell_time(((task.start + task.end) / 2 - first) / unit)
                events.append(Located(task.offset, time=middle, lane=own[task]))
            else:
                phase = next((tag for tag in ("critical", "active", "done") if tag in task.tags), "task")
                spans.append(Located(task.offset, lane=own[task], start=start, duration=duration, phase=phase))
        groups = [
            Located(offset, lanes=[own[task] for task in tasks], **({"label": label} if label else {}))
            for label, offset, tasks in self._sections
            if tasks
        ]
        used = [phase for phase in _PHASES if any(span["phase"] == phase for span in spans)]
        content: dict[str, Any] = {"type": "timeline", "lanes": lanes}
        content |= {"groups": groups} if groups else {}
        content |= {"spans": spans} | ({"events": events} if events else {})
        content["axis"] = {"label": "", "ticks": self._make_ticks(first, max(times), unit), "grid": True}
        hidden = {"label": ""} if used == ["task"] else {}  # the legend needs no entry for the only phase
        phases = {phase: _PHASES[phase] | hidden for phase in used}
        return {"width": WIDTH_CM, "phases": phases, "panels": [{"content": content}]}

    def _make_ticks(self, first: Fraction, length: Fraction, unit: Fraction) -> list[dict[str, Any]]:
        """Return ticks with dates from the beginning to the end."""
        for distance in list_tick_distances(length):
            times = [number * distance for number in range(int(length / distance) + 1)]
            labels = [escape_dollars(format_date(date_of(first + time), self._axis_format)) for time in times]
            if len(set(labels)) == len(labels) and sum(len(label) + _LABEL_GAP for label in labels) <= _AXIS_CHARS:
                return [
                    {"at": spell_time(time / unit), "label": label} for time, label in zip(times, labels, strict=True)
                ]
        return []
