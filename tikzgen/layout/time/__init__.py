"""Shared layout of timelines and space-time diagrams: time axis, rows, labels next to arrows."""
