"""Marks of timelines: events, barriers, braces, strips, and the shelves that their labels stand on."""
