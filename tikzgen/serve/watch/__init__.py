"""Figures rebuilt on save, on a page in the browser: what `tikzgen watch` does.

    files -> Watcher -> Studio -> View (frozen) -> Board -> server -> the page
                           ^                                           |
                           +--------- editing (the form) <-------------+

Nothing here is ever a reason to stop: whatever is wrong with a file is shown in place of its figure.
"""
