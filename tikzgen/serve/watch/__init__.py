"""Figures rebuilt on save, on a page in the browser, for `tikzgen watch`.

    files -> Watcher -> Studio -> View (frozen) -> Board -> server -> the page
                           ^                                           |
                           +--------- editing (the form) <-------------+

No error of a file ends the server: the page shows the error in place of the figure.
"""
