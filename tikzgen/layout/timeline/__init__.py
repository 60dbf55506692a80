"""Layout of a timeline: its lanes, spans, arrows, and the marks next to them."""
