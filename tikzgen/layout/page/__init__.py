"""Panels on a page: side by side or below each other, title, legend, a width to reach."""
