"""Figures of cells: arrays, bars to scale, and the flows between them."""
