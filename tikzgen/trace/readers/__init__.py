"""Readers of trace files: one per format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.trace.readers.find_traces import places_in as places_in
    from tikzgen.trace.readers.read_in_parallel import as_the_environment_says as as_the_environment_says
    from tikzgen.trace.readers.read_in_parallel import cluster as cluster
    from tikzgen.trace.readers.read_in_parallel import processes as processes
    from tikzgen.trace.readers.trace_places import is_url as is_url
    from tikzgen.trace.readers.trace_places import spell_location as spell_location
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "find_traces": "places_in",
            "read_in_parallel": "as_the_environment_says cluster processes",
            "trace_places": "is_url spell_location",
        },
    )
