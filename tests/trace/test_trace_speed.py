"""Reading a trace takes no longer than `json.loads` of it, and little memory, however long it is."""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import NIGHTLY, ROOT

from tikzgen.trace.readers.json_events import EventCutter
from tikzgen.trace.readers.read_trace import read_trace

pytestmark = pytest.mark.slow

V100 = ROOT / "tests" / "cases" / "traces" / "v100_rank1of2.json.gz"
CPU = ROOT / "tests" / "cases" / "traces" / "pp_1f1b_p4_m8_rank0.json.gz"


def seconds(act: Callable[[], object]) -> float:
    """How long it takes the processor."""
    begun = time.process_time()
    act()
    return time.process_time() - begun


def written_out(trace: Path, folder: Path, times: int = 1) -> Path:
    """The trace, unpacked; its events so many times."""
    path = folder / "t.json"
    text = gzip.decompress(trace.read_bytes())
    first, last = re.search(rb'"traceEvents"\s*:\s*\[', text), text.rindex(b"]")
    assert first
    events = text[first.end() : last].rstrip()
    path.write_bytes(text[: first.end()] + b",".join([events] * times) + text[last:])
    return path


@pytest.mark.skipif(not NIGHTLY, reason="a machine that does other things beside it measures those")
@pytest.mark.parametrize(("trace", "times", "most"), [(V100, 3, 1.0), (CPU, 40, 1.1)], ids=["device", "cpu"])
def test_a_trace_is_read_as_fast_as_json(trace: Path, times: int, most: float, tmp_path: Path) -> None:
    """In turns, for the machine is not always as fast; the least of each counts."""
    path = written_out(trace, tmp_path, times)
    turns = [
        (seconds(lambda: read_trace(path)), seconds(lambda: json.loads(path.read_text(encoding="utf-8"))))
        for _ in range(5)
    ]
    ours, theirs = (min(times) for times in zip(*turns, strict=True))
    assert ours < most * theirs


_PEAK = """
import sys
from pathlib import Path
before = {name: int(line.split()[1]) for line in open("/proc/self/status") if (name := line[:5]) == "VmHWM"}
from tikzgen.trace.readers.read_trace import read_trace
for path in sys.argv[1:]:
    read_trace(Path(path))
after = {name: int(line.split()[1]) for line in open("/proc/self/status") if (name := line[:5]) == "VmHWM"}
print((after["VmHWM"] - before["VmHWM"]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the peak of a process")
def test_a_trace_takes_little_memory(tmp_path: Path) -> None:
    path = str(written_out(V100, tmp_path, 3))
    done = subprocess.run([sys.executable, "-c", _PEAK, path], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 150


class Endless(io.RawIOBase):
    """A trace of so many bytes, of which one event in 16 is a kernel, that is never held."""

    def __init__(self, bytes_: int) -> None:
        ours = '{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1.5, "dur": 2, "args": {}},\n'
        other = '{"ph": "X", "cat": "python_function", "name": "' + "f" * 60 + '", "pid": 1, "ts": 1, "dur": 3},\n'
        self._block = (ours + other * 15).encode() * 64
        self._left = bytes_ // len(self._block)
        self._begun = False

    def read(self, size: int = -1) -> bytes:
        if not self._begun:
            self._begun = True
            return b'{"traceEvents": ['
        if self._left <= 0:
            return b""
        self._left -= 1
        return self._block


def test_what_is_held_does_not_grow_with_the_file() -> None:
    held = []
    for mebibytes in (8, 64):
        cutter = EventCutter(Endless(mebibytes << 20), {"kernel": ""})  # type: ignore[arg-type]
        kernels = most = 0
        for _ in cutter.events():
            kernels += 1
            most = max(most, len(cutter._held))
        assert sum(cutter.sorts.values()) == 16 * kernels
        held.append(most)
    assert held[1] <= held[0] + 4096 < 2 << 20
