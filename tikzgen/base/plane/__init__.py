"""The plane: lengths, boxes, polygons, curves, and what hits what.

For the layout, which counts in cm, and for the rules on what TeX has set, which count in its points.
"""
