"""`python -m tikzgen.apart.serving`: a worker. Requests come on standard input, and notes go to standard output."""

from __future__ import annotations

import os
import pickle
import sys
import traceback
from collections.abc import Iterator
from typing import Any, BinaryIO

from tikzgen.apart.notes import begin, tell
from tikzgen.apart.signals import heeding
from tikzgen.apart.watched import Bounds, exhausted
from tikzgen.apart.workers import LENGTH
from tikzgen.errors import TikzgenError

__all__ = ["serve"]


def serve() -> None:
    """Do what is asked for until nobody asks any more."""
    requests = sys.stdin.buffer
    notes = os.dup(1)
    os.dup2(2, 1)  # whatever is printed is not taken for a note
    servant = pickle.loads(_read(requests))
    bounds = Bounds()
    begin(notes, "tikzgen", bounds.seconds, bounds.memory_mib)
    while asked := _read(requests):
        act, subject, seconds = pickle.loads(asked)
        begin(notes, subject, seconds, bounds.memory_mib)
        try:
            for made in _made(act(servant)):
                tell("made", pickle.dumps(made))
        except (MemoryError, RecursionError) as error:
            tell("raised", pickle.dumps(exhausted(error)))
        except (TikzgenError, OSError) as error:
            tell("raised", pickle.dumps(error))
        except Exception as error:
            traceback.print_exception(error)
            tell("raised", pickle.dumps(TikzgenError(f"{subject}: tikzgen failed: {type(error).__name__}: {error}")))
        else:
            tell("done")


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
