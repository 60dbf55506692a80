"""Layered layout of nodes in nested frames with orthogonal routes, in plain numbers (cm)."""
