"""A timeline on paper: its lanes, spans, arrows, and the marks beside them."""
