"""Timelines of many spans, in a figure."""

from __future__ import annotations

from fractions import Fraction

from tikzgen import Figure, Lane, Panel, Span, Timeline

__all__ = ["LANES", "figure", "spans"]

LANES = [Lane(id=f"gpu{place}", label=f"GPU {place}") for place in range(4)]


def spans(count: int, *, duration: Fraction | int = 2, **facts: object) -> list[Span]:
    """Spans that follow each other on four lanes, forward and backward in turns."""
    return [
        Span.model_validate(
            {
                "lane": f"gpu{place % 4}",
                "start": place // 4 * duration,
                "duration": duration,
                "phase": ("forward", "backward")[place // 4 % 2],
                **facts,
            }
        )
        for place in range(count)
    ]


def figure(timeline: Timeline, **facts: object) -> Figure:
    return Figure.model_validate({"panels": [Panel(content=[timeline])], **facts})
