"""Links across a figure: their courses, and which of them strikes fewest texts."""
