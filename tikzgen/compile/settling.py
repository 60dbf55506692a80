"""A job that is run as often as it asks to be: what one run finds out, the next one sets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tikzgen.compile.argv import JOB, Limits
from tikzgen.compile.process import Ended, Running, run
from tikzgen.compile.results import read_made

__all__ = ["read_log", "run_until_settled"]

_RUNS = 3
_SIGNALLED = 128
_LOG_BYTES = 8 * 1024 * 1024


def run_until_settled(
    argv: list[str],
    work: Path,
    env: dict[str, str],
    limits: Limits,
    running: Running | None = None,
    *,
    confined: bool = False,
) -> Ended:
    """Run an engine in `work`, and again as long as the figure asks for it; time and limit are those of all runs."""
    spent, before = 0.0, b""
    for _ in range(_RUNS):
        left = replace(limits, seconds=limits.seconds - spent)
        ended = run(argv, cwd=work, env=env, limits=left, running=running)
        if confined and ended.status > _SIGNALLED:
            ended = replace(ended, status=_SIGNALLED - ended.status)  # bwrap tells it as a shell does
        spent += ended.seconds
        after = read_made(work / f"{JOB}.aux")
        if ended.status != 0 or spent >= limits.seconds or not _asks_again(work, before, after):
            break
        before = after
    return replace(ended, seconds=spent)


def _asks_again(work: Path, before: bytes, after: bytes) -> bool:
    from tikzgen.compile.log import wants_rerun

    # `remember picture` needs a second run, and says nothing
    return (b"\\pgfsyspdfmark" in after and after != before) or wants_rerun(read_log(work))


def read_log(work: Path) -> str:
    """The log of the last run; the beginning of one that is too long."""
    return read_made(work / f"{JOB}.log", _LOG_BYTES).decode("utf-8", "backslashreplace")
