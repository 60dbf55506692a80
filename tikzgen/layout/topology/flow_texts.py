"""How large the texts of flows are: long ones are broken into lines, more where a width presses."""

from __future__ import annotations

from tikzgen.layout.attempt import Plan
from tikzgen.model.topology import Flow
from tikzgen.text import Extent as TextExtent

_LONG, _PRESSED = 3.6, 1.8  # cm of a line at most, and where captions are set narrow


def flow_text(plan: Plan, flow: Flow) -> tuple[TextExtent, float]:
    """The size of a flow's text, and the width in cm that it is broken to, 0 where it is not."""
    return plan.in_lines(flow.label, _PRESSED if plan.limit else _LONG)
