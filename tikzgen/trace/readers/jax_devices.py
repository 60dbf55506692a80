"""Events without a category, as JAX and XProf write them: one file holds all devices of a host.

A device is a process named `/device:GPU:0`. Its streams are threads named `Stream #16(Kernel)`; all other threads tell
the same time again (`XLA Ops - from #16`, `XLA Modules …`) and are not counted. A TPU has no streams: `XLA Ops` is what
ran.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tikzgen.trace.exact_times import Time
from tikzgen.trace.run_model import RankBuilder, RankTrace, Stream

_DEVICE = re.compile(r"/device:(?:GPU|TPU|CUSTOM)[^\d]*(\d+)")
_STREAM = re.compile(r"Stream #(\w+)")
_OPERATIONS = "XLA Ops"
_COPIES = re.compile(r"memcpy|^copy(device|host)to|copyBuffer", re.IGNORECASE)
_FILLS = re.compile(r"memset|fillBuffer", re.IGNORECASE)
_ROUND = (1_000_000, 2_000_000)  # events per file
"""Converters stop at such a number of events."""


class UnfiledEvents:
    """What is known of events without a category until the whole file is read: names may come last."""

    def __init__(self) -> None:
        self._processes: dict[str, str] = {}
        self._threads: dict[tuple[str, str], str] = {}
        self._events: list[tuple[str, str, str, Time, Time]] = []

    def name(self, event: Mapping[str, Any]) -> None:
        """Take the name of a process or a thread."""
        args, process = event.get("args"), str(event.get("pid", ""))
        if not isinstance(args, dict):
            return
        if event.get("name") == "process_name":
            self._processes[process] = str(args.get("name", ""))
        elif event.get("name") == "thread_name":
            self._threads[process, str(event.get("tid", ""))] = str(args.get("name", ""))

    def add(self, event: Mapping[str, Any], start: Time, end: Time) -> None:
        """Take an event, if it may be a device's."""
        process = str(event.get("pid", ""))
        if _DEVICE.search(self._processes.get(process, "/device:GPU:0")):
            self._events.append((process, str(event.get("tid", "")), str(event.get("name", "")), start, end))

    def devices(self) -> dict[str, int]:
        """The processes that are devices, each with its number."""
        found = {process: _DEVICE.search(name) for process, name in self._processes.items()}
        return {process: int(match[1]) for process, match in found.items() if match}

    def ranks(self, file: RankBuilder) -> list[RankTrace]:
        """A rank a device, without a number: which rank a device is, the file does not say."""
        devices = self.devices()
        several = len(devices) > 1
        made = {}
        for process, number in sorted(devices.items(), key=lambda item: item[1]):
            source = f"{file.source}, device {number}" if several else file.source
            made[process] = RankBuilder(source, "jax", host=file.host, absolute=False, warnings=list(file.warnings))
            made[process].counts.update(file.counts)
            if file.counts.total() in _ROUND:
                made[process].warnings.append(
                    f"{file.source}: holds exactly {file.counts.total()} events; a converter stops there"
                )
        streams = {each: match[1] for each, name in self._threads.items() if (match := _STREAM.match(name))}
        with_streams = {process for process, _ in streams}
        for process, thread, name, start, end in self._events:
            stream = streams.get((process, thread))
            if stream is None and process not in with_streams:
                stream = _OPERATIONS if self._threads.get((process, thread), "").startswith(_OPERATIONS) else None
            if process in made and stream is not None:
                filed = "memcpy" if _COPIES.search(name) else "memset" if _FILLS.search(name) else "kernel"
                made[process].event(start, end, filed, name, Stream(str(devices[process]), stream))
        return [each.build_rank() for each in made.values()]
