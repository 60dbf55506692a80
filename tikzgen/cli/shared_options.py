"""Options that several verbs have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from tikzgen.base.trust import trusting

__all__ = ["trust_option"]

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
