"""Options that several verbs have."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

from tikzgen.base.trust import trusting

__all__ = ["merge_options", "trust_option"]

_F = TypeVar("_F", bound=Callable[..., Any])


def trust_option(also: str = "") -> Callable[[_F], _F]:
    """`--trust`: descriptions may allow raw TeX more commands, in whatever the verb does; `also` is what else it means.

    The verb is told of it only where it means something else, too.
    """
    means = "Let raw TeX use the commands that the spec itself allows"

    def entered(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
        if value:
            ctx.with_resource(trusting(everywhere=True))
        return value

    help_ = f"{means}, and {also}" if also else means
    return click.option("--trust", is_flag=True, callback=entered, expose_value=bool(also), help=f"{help_}.")


def merge_options(also: str = "") -> Callable[[_F], _F]:
    """`--ours`, `--theirs`, `--resolve`: the sides that win where tikzgen and a person changed the same, as `sides`."""

    def taken(ctx: click.Context, param: click.Parameter, words: Any) -> None:
        ctx.params["sides"] = [*ctx.params.get("sides", ()), *words]

    def flagged(side: str, ctx: click.Context, param: click.Parameter, given: bool) -> None:
        taken(ctx, param, [side] if given else [])

    def added(function: _F) -> _F:
        where = f"{also}Where the same was changed twice,"
        for side, means in (("theirs", "keep the hand edits"), ("ours", "take tikzgen's")):
            function = click.option(
                f"--{side}", is_flag=True, callback=partial(flagged, side), expose_value=False, help=f"{where} {means}."
            )(function)
        help_ = f"{also}Which side wins at one of the conflicts; may be given several times."
        return click.option(
            "--resolve", multiple=True, metavar="N=SIDE", callback=taken, expose_value=False, help=help_
        )(function)

    return added
