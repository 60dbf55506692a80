"""A trace format of a third party: JSON with one list `[start, end, name]` per kernel, times in ns."""

import json

from tikzgen.trace.readers.trace_formats import TraceFile, TraceFormat
from tikzgen.trace.run_model import RankBuilder, RankTrace, Stream


class TicksFormat(TraceFormat):
    phrase = "JSON of ticks"
    suffixes = (".ticks",)

    def matches(self, head: bytes) -> bool:
        return head.startswith(b'{"ticks":')

    def read_ranks(self, file: TraceFile) -> list[RankTrace]:
        rank = RankBuilder(file.name, "ticks", absolute=False)
        with file.open() as stream:
            for start, end, name in json.load(stream)["ticks"]:
                rank.event(start, end, "kernel", name, Stream("0", "7"))
        return [rank.build_rank()]
