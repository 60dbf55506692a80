"""Child processes with limits of time and memory, which process untrusted input.

Python code cannot be stopped safely from within its process. So each command works in a child; the parent waits.

- `child_messages`: messages of a child, and its own limits;
- `child_state`: the state of a child in the parent, and why it ended;
- `fork_children`: children of the command line, which has one thread;
- `spawn_workers` and `worker_main`: children of servers, which have many threads;
- `second_clock`: a limit for work in this process;
- `signals`: requests to end, handled like Ctrl-C.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.base.child.child_messages import is_watched as is_watched
    from tikzgen.base.child.child_messages import pause_clock as pause_clock
    from tikzgen.base.child.child_messages import program_ended as program_ended
    from tikzgen.base.child.child_messages import program_started as program_started
    from tikzgen.base.child.child_messages import send_file_count as send_file_count
    from tikzgen.base.child.child_messages import send_message as send_message
    from tikzgen.base.child.child_messages import so_far as so_far
    from tikzgen.base.child.child_messages import working_at as working_at
    from tikzgen.base.child.child_messages import working_on as working_on
    from tikzgen.base.child.child_state import ResourceLimits as ResourceLimits
    from tikzgen.base.child.child_state import TooMuch as TooMuch
    from tikzgen.base.child.child_state import Watched as Watched
    from tikzgen.base.child.child_state import limit_error as limit_error
    from tikzgen.base.child.fork_children import can_fork as can_fork
    from tikzgen.base.child.fork_children import run_each as run_each
    from tikzgen.base.child.second_clock import limit_cpu_time as limit_cpu_time
    from tikzgen.base.child.signals import end_was_requested as end_was_requested
    from tikzgen.base.child.signals import handle_signals as handle_signals
    from tikzgen.base.child.signals import wait_for_request as wait_for_request
    from tikzgen.base.child.spawn_workers import WorkerCall as WorkerCall
    from tikzgen.base.child.spawn_workers import WorkerPool as WorkerPool
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "child_messages": "is_watched pause_clock program_ended program_started send_file_count "
            "send_message so_far working_at working_on",
            "child_state": "ResourceLimits TooMuch Watched limit_error",
            "fork_children": "can_fork run_each",
            "second_clock": "limit_cpu_time",
            "signals": "end_was_requested handle_signals wait_for_request",
            "spawn_workers": "WorkerCall WorkerPool",
        },
    )
