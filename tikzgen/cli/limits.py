"""Verbs that read what strangers wrote: each takes `--time-limit`, and does its work in a child that has it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

Runner = Callable[[Callable[[], Any], str, float], int]
"""Does the work of a verb on a file in so many seconds, and gives its exit status."""

_SECONDS = f"{__name__}.seconds"


_OPTION: dict[str, Any] = {
    "type": click.FloatRange(0.1, 86400),
    "default": 60,
    "show_default": True,
    "metavar": "SECONDS",
    "help": "What each file may take, and each run of TeX.",
}

time_limit = click.option("--time-limit", "seconds", **_OPTION)
"""For verbs that bound their work themselves."""


class Bounded(click.Command):
    """A verb that has `--time-limit`; its work is done by the runner of the context, where there is one."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.params.append(click.Option(["--time-limit"], **_OPTION, expose_value=False, callback=_keep))

    def invoke(self, ctx: click.Context) -> Any:
        """Do the work, or have it done."""
        runner: Runner | None = ctx.obj
        work = partial(super().invoke, ctx)
        return runner(work, self._subject(ctx), seconds_of(ctx)) if runner else work()

    def _subject(self, ctx: click.Context) -> str:
        """The first file that was named."""
        argument = next(each for each in self.params if isinstance(each, click.Argument))
        value = ctx.params[str(argument.name)]
        first = next(iter(value), self.name) if isinstance(value, tuple) else value
        return "<stdin>" if str(first) == "-" else str(first)


def seconds_of(ctx: click.Context) -> float:
    """What `--time-limit` says."""
    seconds: float = ctx.meta[_SECONDS]
    return seconds


def _keep(ctx: click.Context, param: click.Parameter, value: float) -> None:
    ctx.meta[_SECONDS] = value
