"""Plane geometry: lengths, boxes, polygons, curves and intersections.

The layout uses it in cm, the rules about compiled figures in pt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.base.plane.affine import IDENTITY as IDENTITY
    from tikzgen.base.plane.affine import Matrix as Matrix
    from tikzgen.base.plane.affine import compose_matrices as compose_matrices
    from tikzgen.base.plane.affine import invert_matrix as invert_matrix
    from tikzgen.base.plane.affine import map_point as map_point
    from tikzgen.base.plane.affine import shift as shift
    from tikzgen.base.plane.affine import turn as turn
    from tikzgen.base.plane.near_places import CROSSING_COST as CROSSING_COST
    from tikzgen.base.plane.near_places import OVERLAP_COST as OVERLAP_COST
    from tikzgen.base.plane.near_places import Near as Near
    from tikzgen.base.plane.near_places import PlaceIndex as PlaceIndex
    from tikzgen.base.plane.path import COARSE_CUBIC_STEPS as COARSE_CUBIC_STEPS
    from tikzgen.base.plane.path import LOOSENESS_SHARE as LOOSENESS_SHARE
    from tikzgen.base.plane.path import Path as Path
    from tikzgen.base.plane.path import auto_shift as auto_shift
    from tikzgen.base.plane.path import bow_arms as bow_arms
    from tikzgen.base.plane.path import choose_clearest as choose_clearest
    from tikzgen.base.plane.path import compute_control_offsets as compute_control_offsets
    from tikzgen.base.plane.path import count_crossed_boxes as count_crossed_boxes
    from tikzgen.base.plane.path import direction_at as direction_at
    from tikzgen.base.plane.path import flatten_curve as flatten_curve
    from tikzgen.base.plane.path import flatten_path as flatten_path
    from tikzgen.base.plane.path import make_polyline as make_polyline
    from tikzgen.base.plane.polygons import clip_segment as clip_segment
    from tikzgen.base.plane.polygons import is_point_inside as is_point_inside
    from tikzgen.base.plane.polygons import make_convex_hull as make_convex_hull
    from tikzgen.base.plane.polygons import measure_distance_to_lines as measure_distance_to_lines
    from tikzgen.base.plane.polygons import measure_gap_to_lines as measure_gap_to_lines
    from tikzgen.base.plane.polygons import measure_least_width as measure_least_width
    from tikzgen.base.plane.polygons import measure_penetration as measure_penetration
    from tikzgen.base.plane.polygons import reach_beyond as reach_beyond
    from tikzgen.base.plane.polygons import shrink_rectangle as shrink_rectangle
    from tikzgen.base.plane.rectangles import Box as Box
    from tikzgen.base.plane.rectangles import Point as Point
    from tikzgen.base.plane.rectangles import compute_bounding_box as compute_bounding_box
    from tikzgen.base.plane.rectangles import find_box_center as find_box_center
    from tikzgen.base.plane.rectangles import grow_box as grow_box
    from tikzgen.base.plane.rectangles import has_overlap as has_overlap
    from tikzgen.base.plane.rectangles import intersect_boxes as intersect_boxes
    from tikzgen.base.plane.rectangles import is_polyline_across_box as is_polyline_across_box
    from tikzgen.base.plane.rectangles import is_segment_across_box as is_segment_across_box
    from tikzgen.base.plane.rectangles import is_within as is_within
    from tikzgen.base.plane.rectangles import lines_cross as lines_cross
    from tikzgen.base.plane.rectangles import touch as touch
    from tikzgen.base.plane.sides import BoxSide as BoxSide
    from tikzgen.base.plane.sides import Compass as Compass
    from tikzgen.base.plane.sides import find_outward_sign as find_outward_sign
    from tikzgen.base.plane.sides import is_level as is_level
    from tikzgen.base.plane.units import CM_PER_PT as CM_PER_PT
    from tikzgen.base.plane.units import PAGE_LIMIT_CM as PAGE_LIMIT_CM
    from tikzgen.base.plane.units import PT_PER_BP as PT_PER_BP
    from tikzgen.base.plane.units import PT_PER_CM as PT_PER_CM
    from tikzgen.base.plane.units import PT_PER_IN as PT_PER_IN
    from tikzgen.base.plane.units import round_up as round_up
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "affine": "IDENTITY Matrix compose_matrices invert_matrix map_point shift turn",
            "near_places": "CROSSING_COST Near OVERLAP_COST PlaceIndex",
            "path": "COARSE_CUBIC_STEPS LOOSENESS_SHARE Path auto_shift bow_arms choose_clearest "
            "compute_control_offsets count_crossed_boxes direction_at flatten_curve flatten_path "
            "make_polyline",
            "polygons": "clip_segment is_point_inside make_convex_hull measure_distance_to_lines "
            "measure_gap_to_lines measure_least_width measure_penetration reach_beyond shrink_rectangle",
            "rectangles": "Box Point compute_bounding_box find_box_center grow_box has_overlap intersect_boxes "
            "is_polyline_across_box is_segment_across_box is_within lines_cross touch",
            "sides": "BoxSide Compass find_outward_sign is_level",
            "units": "CM_PER_PT PAGE_LIMIT_CM PT_PER_BP PT_PER_CM PT_PER_IN round_up",
        },
    )
