"""Measured runs from files of profilers: ranks, streams, events and annotations, with exact times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

__all__ = ["read"]

if TYPE_CHECKING:
    from tikzgen.trace.annotated_operations import MeasuredOperation as MeasuredOperation
    from tikzgen.trace.annotated_operations import find_unmet as find_unmet
    from tikzgen.trace.choose_run import choose_ranks as choose_ranks
    from tikzgen.trace.choose_run import choose_replica as choose_replica
    from tikzgen.trace.choose_run import choose_time as choose_time
    from tikzgen.trace.choose_run import set_clocks as set_clocks
    from tikzgen.trace.event_classes import ClassRules as ClassRules
    from tikzgen.trace.event_classes import class_rules as class_rules
    from tikzgen.trace.exact_times import Time as Time
    from tikzgen.trace.parallelism import find_parallelism as find_parallelism
    from tikzgen.trace.parallelism import hint_axes as hint_axes
    from tikzgen.trace.picture_model import Period as Period
    from tikzgen.trace.picture_model import PictureCell as PictureCell
    from tikzgen.trace.picture_model import PictureLane as PictureLane
    from tikzgen.trace.picture_model import TracePicture as TracePicture
    from tikzgen.trace.picture_run import NothingFound as NothingFound
    from tikzgen.trace.picture_run import find_drawable as find_drawable
    from tikzgen.trace.picture_run import picture_of as picture_of
    from tikzgen.trace.rank_measures import MOST_UNKNOWN as MOST_UNKNOWN
    from tikzgen.trace.rank_measures import DeviceKey as DeviceKey
    from tikzgen.trace.readers.read_run import read_run as read
    from tikzgen.trace.run_model import TraceRun as TraceRun
    from tikzgen.trace.survey_run import clock_facts as clock_facts
    from tikzgen.trace.survey_run import clock_text as clock_text
    from tikzgen.trace.survey_run import survey as survey
    from tikzgen.trace.survey_run import survey_text as survey_text
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "annotated_operations": "MeasuredOperation find_unmet",
            "choose_run": "choose_ranks choose_replica choose_time set_clocks",
            "event_classes": "ClassRules class_rules",
            "exact_times": "Time",
            "parallelism": "find_parallelism hint_axes",
            "picture_model": "Period PictureCell PictureLane TracePicture",
            "picture_run": "NothingFound find_drawable picture_of",
            "rank_measures": "DeviceKey MOST_UNKNOWN",
            "readers.read_run": "read=read_run",
            "run_model": "TraceRun",
            "survey_run": "clock_facts clock_text survey survey_text",
        },
    )
