"""Several files at a time: in processes of this machine, or on a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing.connection import wait
from pathlib import Path

from tikzgen.base.child import send_message
from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.extras import how_to_install
from tikzgen.trace.readers.trace_places import Place, is_url

SCHEDULER, JOBS = "TIKZGEN_SCHEDULER", "TIKZGEN_JOBS"
"""Environment variables for all commands."""
JOB_LIMIT = 256  # processes that read a run
_WORTH_BYTES = 16 << 20
"""Bytes that are worth processes: reading fewer takes no longer than they take to begin."""
_PATIENCE = "15s"


@contextmanager
def processes(places: Sequence[Place], jobs: int | None) -> Iterator[Executor | None]:
    """Provide an executor with `jobs` processes, by default one per processor; None if one suffices.

    The processes end with this process. By default only a process without threads starts them, because a forked process
    may hang otherwise.
    """
    alone = sys.platform == "linux" and threading.active_count() == 1
    count = min(jobs or (_processors() if alone and _are_worth_it(places) else 1), len(places))
    if count < 2:
        yield None
        return
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("fork" if alone else "spawn")
    executor = ProcessPoolExecutor(count, mp_context=context, initializer=_end_with_parent)
    for _ in range(count):
        executor.submit(os.getpid)  # all begin now, before there are threads
    ours = set(multiprocessing.active_children()) - others
    for each in ours:
        send_message("started", each.pid or 0)
    try:
        yield executor
    except BaseException:
        for each in ours:
            each.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)
        for each in ours:
            send_message("ended", each.pid or 0)


def as_the_environment_says(places: Sequence[Place]) -> AbstractContextManager[Executor | None]:
    """Provide the cluster of TIKZGEN_SCHEDULER, else TIKZGEN_JOBS processes.

    Raise `TikzgenError` if TIKZGEN_JOBS is not a number.
    """
    scheduler, jobs = (os.environ.get(name, "").strip() for name in (SCHEDULER, JOBS))
    if scheduler:
        return cluster(scheduler)
    if jobs and not (jobs.isascii() and jobs.isdecimal() and len(jobs) < 4 and 0 < int(jobs) <= JOB_LIMIT):
        raise TikzgenError(f"{JOBS} is {quote(jobs)}", hint=f"a number from 1 to {JOB_LIMIT}")
    return processes(places, int(jobs) if jobs else None)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _are_worth_it(places: Sequence[Place]) -> bool:
    size = 0
    for place in places:
        with suppress(OSError):
            size += _WORTH_BYTES if is_url(place) else Path(place).stat().st_size
    return size >= _WORTH_BYTES


def _end_with_parent() -> None:
    """Start a process group, which a watching process can end, and end with the parent process."""
    with suppress(AttributeError, OSError):
        os.setpgid(0, 0)
    parent = multiprocessing.parent_process()
    if parent:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Provide the workers of a Dask cluster, which read files from their own storage and need tikzgen.

    Raise `TikzgenError` if no scheduler answers, or it has no workers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise TikzgenError("a cluster is reached by dask.distributed", hint=how_to_install("cluster")) from None
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except Exception:  # each transport has its own errors
        hint = "dask scheduler starts one and prints its address, tcp://…:8786"
        raise TikzgenError(f"no scheduler answers at {quote(address)}", hint=hint) from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise TikzgenError(f"the scheduler at {quote(address)} has no workers", hint=f"dask worker {address}")
        yield client.get_executor(pure=False)  # type: ignore[no-untyped-call]  # a file that changed is another one
