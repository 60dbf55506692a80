"""Main program of a worker process: `python -m tikzgen.base.child.worker_main`.

It reads requests from standard input and writes messages to standard output.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any, BinaryIO

from tikzgen.base.child.child_messages import begin, send_message
from tikzgen.base.child.child_state import ResourceLimits, limit_error
from tikzgen.base.child.signals import handle_signals
from tikzgen.base.child.spawn_workers import LENGTH
from tikzgen.base.errors import TikzgenError
from tikzgen.base.trust import trust_commands

_GC_THRESHOLDS = (50_000, 20, 20)  # one request allocates about 50,000 objects: collect once per request


def serve() -> None:
    """Answer requests until standard input ends."""
    requests = sys.stdin.buffer
    notes = os.dup(1)
    os.dup2(2, 1)  # printed output must not mix with messages
    servant, trusted = pickle.loads(_read_request(requests))
    warm_up = getattr(servant, "warm_up", None)
    if warm_up is not None:
        warm_up()
    gc.freeze()  # exclude permanent objects from garbage collection
    gc.set_threshold(*_GC_THRESHOLDS)
    with trust_commands(everywhere=True) if trusted else nullcontext():
        while asked := _read_request(requests):
            act, subject, seconds = pickle.loads(asked)
            begin(notes, subject, seconds, ResourceLimits().memory_mib)
            send_message(*_answer_request(act, servant, subject))


def _answer_request(act: Callable[[Any], Any], servant: Any, subject: str) -> tuple[str, bytes]:
    """Send each result of the request, and return the final message: `done`, or `raised` with the error."""
    try:
        for made in _iterate_results(act(servant)):
            send_message("made", pickle.dumps(made))
    except (MemoryError, RecursionError) as error:
        return "raised", pickle.dumps(limit_error(error))
    except (TikzgenError, OSError) as error:
        return "raised", pickle.dumps(error)
    except Exception as error:
        traceback.print_exception(error)
        return "raised", pickle.dumps(TikzgenError(f"{subject}: tikzgen failed: {type(error).__name__}: {error}"))
    return "done", b""


def _iterate_results(result: Any) -> Iterator[Any]:
    """Yield each result of a generator, or the single result."""
    if isinstance(result, Iterator):
        yield from result
    else:
        yield result


def _read_request(requests: BinaryIO) -> bytes:
    """Read the next request; empty at the end."""
    head = requests.read(LENGTH.size)
    return requests.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""


if __name__ == "__main__":
    try:
        with handle_signals():
            serve()
    except KeyboardInterrupt:
        os._exit(130)
