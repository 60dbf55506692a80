"""`python -m tikzgen.base.child.worker_main`, a worker: reads requests from standard input and writes notes to standard
output.
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

from tikzgen.base.child.child_messages import begin, tell
from tikzgen.base.child.child_state import ResourceLimits, exhausted
from tikzgen.base.child.signals import heeding
from tikzgen.base.child.spawn_workers import LENGTH
from tikzgen.base.errors import TikzgenError
from tikzgen.base.trust import trusting

_SELDOM = (50_000, 20, 20)  # new objects before Python looks for those in circles: an answer makes about as many


def serve() -> None:
    """Do what is asked for until nobody asks any more."""
    requests = sys.stdin.buffer
    notes = os.dup(1)
    os.dup2(2, 1)  # whatever is printed is not taken for a note
    servant, trusted = pickle.loads(_read(requests))
    warm_up = getattr(servant, "warm_up", None)
    if warm_up is not None:
        warm_up()
    gc.freeze()  # what is there now stays: no search for what is gone looks through it
    gc.set_threshold(*_SELDOM)
    with trusting(everywhere=True) if trusted else nullcontext():
        while asked := _read(requests):
            act, subject, seconds = pickle.loads(asked)
            begin(notes, subject, seconds, ResourceLimits().memory_mib)
            tell(*_answered(act, servant, subject))


def _answered(act: Callable[[Any], Any], servant: Any, subject: str) -> tuple[str, bytes]:
    """Tell what comes of it; how that ended."""
    try:
        for made in _made(act(servant)):
            tell("made", pickle.dumps(made))
    except (MemoryError, RecursionError) as error:
        return "raised", pickle.dumps(exhausted(error))
    except (TikzgenError, OSError) as error:
        return "raised", pickle.dumps(error)
    except Exception as error:
        traceback.print_exception(error)
        return "raised", pickle.dumps(TikzgenError(f"{subject}: tikzgen failed: {type(error).__name__}: {error}"))
    return "done", b""


def _made(result: Any) -> Iterator[Any]:
    """Each thing that is yielded, or the one that is given."""
    if isinstance(result, Iterator):
        yield from result
    else:
        yield result


def _read(requests: BinaryIO) -> bytes:
    """The next request; nothing where there is none."""
    head = requests.read(LENGTH.size)
    return requests.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""


if __name__ == "__main__":
    try:
        with heeding():
            serve()
    except KeyboardInterrupt:
        os._exit(130)
