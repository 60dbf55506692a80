"""Panels on a page: side by side or stacked, with title, legend, and a target width."""
