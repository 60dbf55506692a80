"""Sentences about timelines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tikzgen.base.plain_words import count_of, join_words, list_names
from tikzgen.model.figure import FigureModel
from tikzgen.model.sentences import Known, Sentence, spell_duration, spell_percent
from tikzgen.model.timeline.mark_table import types_on
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.text.spoken_labels import label_to_unicode

_PHASE_LIMIT = 6  # phases that are listed separately


def describe(content: Timeline, figure: FigureModel, known: Known) -> Iterator[Sentence]:
    """Yield sentences about a timeline, the most important one first."""
    axes = [part.axis for _, _, part in figure.parts(Timeline) if part.axis and figure.abreast == 1]
    axis = content.axis or (axes[-1] if axes else None)  # panels below each other share an axis
    unit = axis.unit if axis else ""
    names = [label_to_unicode(lane.label) or lane.id for lane in content.lanes]
    way = {"up": ", time runs upwards", "down": ", time runs downwards"}.get(content.direction, "")
    yield Sentence(0, f"Timeline of {count_of(len(names), 'lane')} ({list_names(list(dict.fromkeys(names)))}){way}")
    if content.spans:
        yield Sentence(1, f"{count_of(len(content.spans), 'span')}: {_spell_phase_counts(content, figure)}")
        share = f", devices idle {spell_percent(known.idle)} of it" if known.idle is not None else ""
        end = known.end if known.end is not None else max(span.end for span in content.spans)
        yield Sentence(0, f"Ends after {spell_duration(end, unit)}{share}")
    # The sentence above has the share of idle time.
    if summary := ", ".join(text for text in label_to_unicode(content.summary).split(", ") if text and "%" not in text):
        yield Sentence(0, summary[:1].upper() + summary[1:])
    if faults := sum(bool(span.fault) for span in content.spans):
        yield Sentence(0, f"{count_of(faults, 'span')} marked as impossible")
    yield from _describe_marks(content)


def _spell_phase_counts(content: Timeline, figure: FigureModel) -> str:
    """Return the number of spans per phase, in order of first appearance."""
    names = Counter((span.phase, span.second.phase if span.second else "") for span in content.spans)
    said: Counter[str] = Counter()
    for (phase, second), many in names.items():
        said[_spell_phase(phase, figure) + (f" with {_spell_phase(second, figure)}" if second else "")] += many
    parts = [f"{many} {name}" for name, many in said.items()]
    if len(parts) > _PHASE_LIMIT:
        rest = sum(list(said.values())[_PHASE_LIMIT - 1 :])
        parts = [*parts[: _PHASE_LIMIT - 1], f"{rest} others"]
    return join_words(parts)


def _spell_phase(name: str, figure: FigureModel) -> str:
    return label_to_unicode(figure.phase(name).label) or name.replace("-", " ")


def _describe_marks(content: Timeline) -> Iterator[Sentence]:
    """Yield the sentences about marks."""
    for kind in sorted(types_on(content), key=lambda kind: kind.telling_order):
        yield from kind.sentences(kind.list_in(content), content)
