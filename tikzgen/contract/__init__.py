"""The edit contract: what may be changed in a figure, and what must hold after."""
