r"""The figures of a file: outermost groups that draw, from `\\begingroup` to `\\endgroup`, or single pictures."""

from __future__ import annotations

from tikzgen.texfile.scan_source import Facts
from tikzgen.texfile.source_text import TextSpan


def list_figure_spans(facts: Facts) -> tuple[TextSpan, ...]:
    r"""Return the spans of the figures in a file: the outermost `\begingroup` around a picture, or the picture.

    Pictures inside icons and macros are parts of a figure.
    """
    marks = [(span.start, 1) for span in facts.uses.get("\\begingroup", ())]
    marks += [(span.end, -1) for span in facts.uses.get("\\endgroup", ())]
    groups: list[TextSpan] = []
    depth, begin = 0, 0
    for at, step in sorted(marks):
        if depth == 0 and step > 0:
            begin = at
        depth = max(depth + step, 0)
        if depth == 0 and step < 0:
            groups.append(TextSpan(begin, at))
    found: dict[TextSpan, None] = {}
    for picture in facts.pictures:
        if picture.parent is None and picture.macro is None:
            around = (each for each in groups if each.start <= picture.span.start < each.end)
            found[next(around, picture.span)] = None
    return tuple(found)
