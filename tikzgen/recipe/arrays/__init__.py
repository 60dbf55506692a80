"""Recipes of arrays of cells, whose contents are computed."""
