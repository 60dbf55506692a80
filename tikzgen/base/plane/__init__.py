"""Plane geometry: lengths, boxes, polygons, curves and intersections.

The layout uses it in cm, the rules about compiled figures in pt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.base.plane.affine import IDENTITY as IDENTITY
    from tikzgen.base.plane.affine import Matrix as Matrix
    from tikzgen.base.plane.affine import inverse as inverse
    from tikzgen.base.plane.affine import map_point as map_point
    from tikzgen.base.plane.affine import shift as shift
    from tikzgen.base.plane.affine import times as times
    from tikzgen.base.plane.affine import turn as turn
    from tikzgen.base.plane.near_places import CROSSING_COST as CROSSING_COST
    from tikzgen.base.plane.near_places import OVERLAP_COST as OVERLAP_COST
    from tikzgen.base.plane.near_places import Near as Near
    from tikzgen.base.plane.near_places import PlaceIndex as PlaceIndex
    from tikzgen.base.plane.path import COARSE_CUBIC_STEPS as COARSE_CUBIC_STEPS
    from tikzgen.base.plane.path import LOOSENESS_SHARE as LOOSENESS_SHARE
    from tikzgen.base.plane.path import Path as Path
    from tikzgen.base.plane.path import arms as arms
    from tikzgen.base.plane.path import auto_shift as auto_shift
    from tikzgen.base.plane.path import bow_arms as bow_arms
    from tikzgen.base.plane.path import clearest as clearest
    from tikzgen.base.plane.path import direction_at as direction_at
    from tikzgen.base.plane.path import flatten_curve as flatten_curve
    from tikzgen.base.plane.path import flatten_path as flatten_path
    from tikzgen.base.plane.path import pieces as pieces
    from tikzgen.base.plane.path import strikes as strikes
    from tikzgen.base.plane.polygons import chord as chord
    from tikzgen.base.plane.polygons import contains as contains
    from tikzgen.base.plane.polygons import depth as depth
    from tikzgen.base.plane.polygons import distance as distance
    from tikzgen.base.plane.polygons import gap as gap
    from tikzgen.base.plane.polygons import hull as hull
    from tikzgen.base.plane.polygons import narrow as narrow
    from tikzgen.base.plane.polygons import reach_beyond as reach_beyond
    from tikzgen.base.plane.polygons import shrunk as shrunk
    from tikzgen.base.plane.rectangles import Box as Box
    from tikzgen.base.plane.rectangles import Point as Point
    from tikzgen.base.plane.rectangles import crosses as crosses
    from tikzgen.base.plane.rectangles import grow_box as grow_box
    from tikzgen.base.plane.rectangles import intersect_boxes as intersect_boxes
    from tikzgen.base.plane.rectangles import is_within as is_within
    from tikzgen.base.plane.rectangles import lines_cross as lines_cross
    from tikzgen.base.plane.rectangles import meets as meets
    from tikzgen.base.plane.rectangles import middle as middle
    from tikzgen.base.plane.rectangles import overlap as overlap
    from tikzgen.base.plane.rectangles import surround as surround
    from tikzgen.base.plane.rectangles import touch as touch
    from tikzgen.base.plane.sides import BoxSide as BoxSide
    from tikzgen.base.plane.sides import Compass as Compass
    from tikzgen.base.plane.sides import is_level as is_level
    from tikzgen.base.plane.sides import outward as outward
    from tikzgen.base.plane.units import CM_PER_PT as CM_PER_PT
    from tikzgen.base.plane.units import PAGE_LIMIT_CM as PAGE_LIMIT_CM
    from tikzgen.base.plane.units import PT_PER_BP as PT_PER_BP
    from tikzgen.base.plane.units import PT_PER_CM as PT_PER_CM
    from tikzgen.base.plane.units import PT_PER_IN as PT_PER_IN
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "affine": "IDENTITY Matrix inverse map_point shift times turn",
            "near_places": "CROSSING_COST Near OVERLAP_COST PlaceIndex",
            "path": "COARSE_CUBIC_STEPS LOOSENESS_SHARE Path arms auto_shift bow_arms clearest "
            "direction_at flatten_curve flatten_path pieces strikes",
            "polygons": "chord contains depth distance gap hull narrow reach_beyond shrunk",
            "rectangles": "Box Point crosses grow_box intersect_boxes is_within lines_cross meets middle "
            "overlap surround touch",
            "sides": "BoxSide Compass is_level outward",
            "units": "CM_PER_PT PAGE_LIMIT_CM PT_PER_BP PT_PER_CM PT_PER_IN",
        },
    )
