"""Marks of timelines: events, barriers, braces, strips, and the layout of their labels."""
