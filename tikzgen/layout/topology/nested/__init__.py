"""Entities in nested frames, placed in layers and joined by right-angled lines: numbers in, numbers out."""
