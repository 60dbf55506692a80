"""Output of rocprofv3 with `--output-format json`: one rank per process."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from tikzgen.base.errors import FileRefused
from tikzgen.trace.readers.trace_formats import TraceFile, TraceFormat, is_json
from tikzgen.trace.run_model import Annotation, RankBuilder, RankTrace, Stream

KEY = "rocprofiler-sdk-tool"
_NAMES = ("formatted_kernel_name", "demangled_kernel_name", "truncated_kernel_name", "kernel_name")
_HINT = "write it anew: rocprofv3 --output-format json"


class RocprofFormat(TraceFormat):
    """JSON of rocprofv3."""

    phrase = "JSON of rocprofv3"
    suffixes = (".json", ".json.gz", ".json.bz2", ".json.xz")

    def matches(self, head: bytes) -> bool:
        """Return whether the JSON begins with records of rocprofv3."""
        return is_json(head) and f'"{KEY}"'.encode() in head

    def read_ranks(self, file: TraceFile) -> list[RankTrace]:
        """Return one rank per process."""
        with file.open() as stream:
            return read_rocprof(stream, file.name)


def read_rocprof(stream: BinaryIO, source: str) -> list[RankTrace]:
    """The ranks in a file. `FileRefused` where it is not whole."""
    try:
        tools = json.loads(stream.read(), parse_float=str, strict=False)[KEY]
    except (ValueError, TypeError, KeyError, RecursionError, EOFError, OSError, zlib.error):
        raise FileRefused(f"{source}: the records of rocprofv3 are no whole JSON", hint=_HINT) from None
    ranks: list[RankTrace] = []
    try:
        for tool in tools:
            ranks += _of_process(tool, source)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
        raise FileRefused(f"{source}: a record of rocprofv3 lacks what every one has", hint=_HINT) from None
    return ranks


def _of_process(tool: Mapping[str, Any], source: str) -> Iterator[RankTrace]:
    """Yield the rank of one process, if an agent ran a kernel; each agent is a device."""
    records = tool.get("buffer_records", {})
    names = {each.get("kernel_id"): _name(each) for each in tool.get("kernel_symbols", [])}
    kernels = records.get("kernel_dispatch", [])
    agents = sorted({_handle(each["dispatch_info"]["agent_id"]) for each in kernels})
    devices = {agent: str(number) for number, agent in enumerate(agents)}
    # timestamps count from the start of the machine, or from an unknown time
    rank = RankBuilder(source, "rocprof", absolute=False)
    for each in kernels:
        info = each["dispatch_info"]
        stream = each.get("stream_id") or info.get("queue_id") or {}
        name = names.get(info.get("kernel_id"), "")
        _add(rank, each, "kernel", name, Stream(devices[_handle(info["agent_id"])], str(stream.get("handle", 0))))
    for each in records.get("memory_copy", []):
        ends = (each.get("src_agent_id"), each.get("dst_agent_id"))
        device = next((devices[_handle(end)] for end in ends if end and _handle(end) in devices), None)
        if device is not None:
            stream = each.get("stream_id") or {}
            _add(rank, each, "memcpy", "Memory copy", Stream(device, str(stream.get("handle", 0))))
    for each in records.get("marker_api", []) if devices else ():
        rank.counts["marker"] += 1
        name = str((each.get("args") or {}).get("message") or each.get("message") or "")
        if name:
            times = int(each["start_timestamp"]), int(each["end_timestamp"])
            rank.annotations.append(Annotation(name, str(each.get("thread_id", "")), *times))
    if devices:
        yield rank.build_rank()


def _handle(agent: Mapping[str, Any]) -> int:
    return int(agent["handle"])


def _add(rank: RankBuilder, record: Mapping[str, Any], filed: str, name: str, stream: Stream) -> None:
    start, end = int(record["start_timestamp"]), int(record["end_timestamp"])
    if end < start:
        raise ValueError("an event ends before it starts")
    rank.counts[filed] += 1
    link = record.get("correlation_id") or {}
    number = int(link.get("internal", 0) if isinstance(link, dict) else link)
    rank.event(start, end, filed, name, stream, number)


def _name(symbol: Mapping[str, Any]) -> str:
    return next((str(symbol[key]) for key in _NAMES if symbol.get(key)), "")
