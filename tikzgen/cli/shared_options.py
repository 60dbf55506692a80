"""Options of several commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from tikzgen.base.defaults import TIME_LIMIT_SECONDS
from tikzgen.base.errors import SettingByOption, quote
from tikzgen.base.read_files import allow_folders
from tikzgen.base.trust import trust_commands

if TYPE_CHECKING:
    from tikzgen.model.about import About
    from tikzgen.model.figure import FigureModel

Runner = Callable[[Callable[[], Any], str, float], int]
"""Function that runs a command on a file within a number of seconds and returns its exit status."""

_SECONDS = f"{__name__}.seconds"
_TYPED_FIELDS = f"{__name__}.typed"  # names of the fields that options on the command line set


_OPTION: dict[str, Any] = {
    "type": click.FloatRange(0.1, 86400),
    "default": TIME_LIMIT_SECONDS,
    "show_default": True,
    "envvar": "TIKZGEN_TIME_LIMIT",
    "metavar": "SECONDS",
    "help": "Stop a file, or a run of TeX, after this time.",
}

time_limit = click.option("--time-limit", "seconds", **_OPTION)
"""Option of commands that limit their work themselves."""


def _allow(ctx: click.Context, param: click.Parameter, value: tuple[Path, ...]) -> None:
    ctx.with_resource(allow_folders(value))


_ALLOW: dict[str, Any] = {
    "type": click.Path(exists=True, file_okay=False, path_type=Path),
    "multiple": True,
    "metavar": "DIR",
    "expose_value": False,
    "callback": _allow,
    "help": "Let specs also read files of this folder; repeatable.",
}
allow = click.option("--allow", **_ALLOW)
"""Option of commands that limit their work themselves."""


OPTION_GROUPS = {
    "Input": (
        "set",
        "as-before",
        "stdin-filename",
        "templates",
        "allow",
        "root",
        "step",
        "scheduler",
        "trace-format",
        "language",
        "partial",
    ),
    "Output": (
        *("output", "format", "json", "diff", "dry-run", "check", "keep", "deps", "dpi", "transparent", "all"),
        *(
            "force",
            "merge",
            "anew",
            "ours",
            "theirs",
            "resolve",
            "undo",
            "freeze",
            "rules",
            "schema",
            "yes",
            "print",
            "alt",
            "latexmkrc",
        ),
        *("pdf", "strip", "skill", "port", "open"),
    ),
    "Appearance": ("palette", "style", "width"),
    "Checks": (
        *("strict", "allow-invalid", "geometry", "schedule", "select", "ignore", "severity", "only-figures", "fix"),
        "measure",
    ),
    "Compilation and limits": ("engine", "jobs", "trust", "no-cache", "time-limit"),
    "Global options": ("quiet", "verbose", "color", "progress", "help"),
}
"""Options of all commands by topic, in the order of the help."""


def option_group(option: click.Option) -> str:
    """Return the topic of an option; an empty string if it has none."""
    names = {name.lstrip("-") for name in option.opts}
    return next((title for title, members in OPTION_GROUPS.items() if names & {*members}), "")


class Grouped(click.Command):
    """Command whose help lists the options by topic."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each topic, and other options first."""
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in ("", *OPTION_GROUPS)}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
                rows[option_group(option)].append(record)
        for title, records in rows.items():
            if records:
                with formatter.section(title or "Options"):
                    formatter.write_dl(records)


class Bounded(Grouped):
    """A command with `--time-limit` and `--allow`; the runner of the context does its work."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.params.append(click.Option(["--allow"], **_ALLOW))
        self.params.append(click.Option(["--time-limit"], **_OPTION, expose_value=False, callback=_keep))

    def invoke(self, ctx: click.Context) -> Any:
        """Do the work, or let the runner do it."""
        runner: Runner | None = ctx.obj
        work = partial(super().invoke, ctx)
        return runner(work, self._find_subject(ctx), seconds_of(ctx)) if runner else work()

    def _find_subject(self, ctx: click.Context) -> str:
        """Return the first file that was named."""
        argument = next(each for each in self.params if isinstance(each, click.Argument))
        value = ctx.params[str(argument.name)]
        first = next(iter(value), self.name) if isinstance(value, tuple) else value
        return _stdin_name() if str(first) == "-" else str(first)


def seconds_of(ctx: click.Context) -> float:
    """Return the value of `--time-limit`, in seconds."""
    seconds: float = ctx.meta[_SECONDS]
    return seconds


def _keep(ctx: click.Context, param: click.Parameter, value: float) -> None:
    ctx.meta[_SECONDS] = value


_F = TypeVar("_F", bound=Callable[..., Any])

allow_invalid = click.option("--allow-invalid", is_flag=True, help="Allow operations that break rules, and mark them.")
_FAMILIAR = ("pdflatex", "xelatex", "lualatex")
ENGINES_OR_NONE = (*_FAMILIAR, "none")
_ENGINES = (*_FAMILIAR, "tectonic")
_ENGINE_DEFAULT: dict[str, Any] = {"default": "pdflatex", "show_default": True, "envvar": "TIKZGEN_ENGINE"}
engine = click.option("--engine", type=click.Choice(_ENGINES), help="Select the TeX engine.", **_ENGINE_DEFAULT)
engine_or_none = click.option(
    "--engine",
    type=click.Choice((*_ENGINES, "none")),
    help="Select the TeX engine; none draws without TeX.",
    **_ENGINE_DEFAULT,
)


def engine_for(ctx: click.Context, given: str, path: str | Path, *, none: bool = True) -> str:
    """Return the requested engine, else the engine in the configuration of this spec or folder."""
    if ctx.get_parameter_source("engine") not in (None, ParameterSource.DEFAULT):
        return given
    from tikzgen.compile.tex import configured_engine
    from tikzgen.spec.settings.config_file import nearest_config

    place = Path(_stdin_name() if str(path) == "-" else path).resolve()
    return configured_engine(nearest_config(place if place.is_dir() else place.parent), none=none)


def read_figure(spec: str | Path, settings: Sequence[str], allow_invalid: bool) -> FigureModel:
    """Read the figure of a spec; the models are imported late, because a cached figure needs none."""
    from tikzgen.lint import read_valid

    return read_valid.read_figure(spec, settings, allow_invalid)


def find_words(source: str) -> About:
    """Return title and description of a .tex; imported late, because a cached picture needs no such code."""
    from tikzgen.edit import find_words

    return find_words.find_words(source)


FORMAT_HELP = "Select the format of the output."
text_or_json = click.option(
    *("--format", "format_"), type=click.Choice(["text", "json"]), default="text", show_default=True, help=FORMAT_HELP
)
json_instead = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
measure = click.option("--measure", is_flag=True, help="Measure formulas and raw TeX with TeX first.")
strict = click.option("--strict", is_flag=True, help="Reject a figure if its drawing has findings.")
templates = click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Use templates and icons of this folder.",
)
as_before = click.option("--as-before", is_flag=True, help="Use the options that the existing .tex records.")
set_option = click.option(
    "--set", "settings", multiple=True, metavar="PATH=VALUE", help="Set a field of the spec: --set microbatches=32."
)


def override_options(function: _F) -> _F:
    """Add `--palette`, `--style`, `--width` and `--set`: fields to override, in order, as `settings`."""

    def store_field(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        joint = "@" if param.name == "style" else "="
        said = (
            list(value or ()) if param.multiple else [SettingByOption(f"{param.name}{joint}{value}")] if value else []
        )
        if ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE:
            typed: set[str] = ctx.meta.setdefault(_TYPED_FIELDS, set())
            fields = {setting.partition("=")[0].strip() for setting in said}
            if twice := sorted(fields & typed):
                raise click.UsageError(f"--{twice[0]} and --set {twice[0]}=… set the same field: give one")
            typed |= fields
        ctx.params["settings"] = [*ctx.params.get("settings", ()), *said]

    palette, width = (
        "Select colors for white pages or dark slides.",
        "Set the width: cm, with a unit (3.25in), or of a venue (acm-text).",
    )
    style = "Use a house style: a file, default, plain, vivid or none."
    field = "Set a field of the spec: --set labels.server=PS."
    own: dict[str, Any] = {"expose_value": False, "callback": store_field}
    function = click.option("--set", multiple=True, metavar="PATH=VALUE", help=field, **own)(function)
    function = click.option("--width", help=width, shell_complete=_width_names, **own)(function)
    function = click.option("--style", metavar="FILE|NAME", help=style, **own)(function)
    return click.option("--palette", type=click.Choice(["light", "dark"]), help=palette, **own)(function)


def _stdin_name() -> str:
    from tikzgen.spec.source import stdin_name

    return stdin_name()


def _check_name(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value:
        from tikzgen.spec.source import stdin_called

        ctx.with_resource(stdin_called(value))


stdin_filename = click.option(
    "--stdin-filename",
    metavar="FILE",
    expose_value=False,
    callback=_check_name,
    help="Name stdin in messages; use the configuration of its folder.",
)


def recipe_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return completions for the name of a recipe."""
    from tikzgen.recipe.recipe_names import RECIPES

    return [name for name in RECIPES if name.startswith(incomplete)]


def _width_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from tikzgen.model.looks import VENUES, list_widths

    return [name for name in list_widths(VENUES) if name.startswith(incomplete)]


def known_recipe(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    """Return the name of a recipe, or None; raise `UsageError` for an unknown name."""
    from tikzgen.recipe.recipe_names import RECIPES

    if name is not None and name not in RECIPES:
        raise click.UsageError(f"unknown recipe {quote(name)} ({RECIPES.suggest_entry(name)})")
    return name


def trust_option(also: str = "") -> Callable[[_F], _F]:
    """Return the option `--trust`: descriptions may allow raw TeX more commands.

    `also` describes a second meaning. Only then does the command receive the value.
    """

    def enter_trust(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
        if value:
            ctx.with_resource(trust_commands(everywhere=True))
        return value

    means = f"Allow the TeX commands that the spec lists{also and f'; {also}'}."
    return click.option("--trust", is_flag=True, callback=enter_trust, expose_value=bool(also), help=means)


trust_compiling = trust_option("use no sandbox")
"""Option of commands that compile figures."""


def merge_options(also: str = "") -> Callable[[_F], _F]:
    """Return the options `--ours`, `--theirs` and `--resolve`, which are combined as `sides`.

    They select the winner if tikzgen and the user changed the same part.
    """

    def store_sides(ctx: click.Context, param: click.Parameter, words: Any) -> None:
        ctx.params["sides"] = [*ctx.params.get("sides", ()), *words]

    def store_side(side: str, ctx: click.Context, param: click.Parameter, given: bool) -> None:
        store_sides(ctx, param, [side] if given else [])

    def add_options(function: _F) -> _F:
        for side, winner in (("theirs", "the manual edit"), ("ours", "tikzgen's version")):
            function = click.option(
                f"--{side}",
                is_flag=True,
                callback=partial(store_side, side),
                expose_value=False,
                help=f"Use {winner} in each conflict{also}.",
            )(function)
        help_ = f"Select the side of one conflict{also}: 2=ours; repeatable."
        return click.option(
            "--resolve", multiple=True, metavar="N=SIDE", callback=store_sides, expose_value=False, help=help_
        )(function)

    return add_options
