"""The command line. Each command is a separate module, imported at its first use."""

from __future__ import annotations

import atexit
import codecs
import gc
import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from io import StringIO, TextIOWrapper
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tikzgen.base.child import ResourceLimits, end_was_requested, handle_signals, limit_error
from tikzgen.base.errors import ExitStatus, TikzgenError, quote, shorten_for_message, system_error
from tikzgen.base.suggest import find_similar_name, suggest_known_names
from tikzgen.base.version_and_cache_folder import VERSION
from tikzgen.cli.voice import begin, print_error, shows_progress, voice_options

if TYPE_CHECKING:
    from tikzgen.cli.shared_options import Runner

__all__ = ["COMMANDS", "COMMAND_GROUPS", "cli", "load_command", "main", "print_utf8"]

_MARK = "TIKZGEN_APART"  # environment variable of a child that was restarted

COMMAND_GROUPS = {
    "Draw": {
        "new": "Write a commented spec to start from.",
        "import": "Turn a Mermaid, D2 or DOT diagram into a spec.",
        "render": "Turn a spec into standalone TikZ.",
        "build": "Compile figures to PDF, PNG or SVG.",
        "open": "Show a figure in the system's viewer.",
        "watch": "Show figures in the browser; update on save.",
    },
    "Change and check": {
        "show": "Show the contents and the operations of a figure.",
        "edit": "Apply operations to a figure; keep manual edits.",
        "pull": "Write the spec of a figure to a file.",
        "upgrade": "Draw figures of earlier versions again; keep edits.",
        "check": "Check specs, figures and schedules.",
        "metrics": "Print makespan, bubbles and other measures.",
    },
    "Papers and traces": {
        "preamble": "Print the preamble that figures need in a paper.",
        "bundle": "Pack figures for arXiv and Overleaf.",
        "trace": "Show, align, cut and draw traces of profilers.",
    },
    "Look up": {
        "recipes": "List the recipes.",
        "icons": "List the icons.",
        "schema": "Print the JSON Schema of a spec.",
    },
    "Environment": {
        "config": "List the configuration and its sources.",
        "doctor": "List installed and missing tools.",
        "completion": "Print the shell completion script, or the manual page.",
        "mcp": "Serve the figures of a folder to agents.",
    },
}
"""Commands and their lines in `tikzgen --help`, by group; the help imports none of their modules."""
COMMANDS = {name: line for group in COMMAND_GROUPS.values() for name, line in group.items()}


_FOREIGN_NAMES = {
    **dict.fromkeys(("compile", "make", "export", "convert"), "build"),
    **dict.fromkeys(("draw", "generate", "gen", "plot"), "render"),
    **dict.fromkeys(("init", "create", "start"), "new"),
    **dict.fromkeys(("preview", "view", "display"), "open"),
    **dict.fromkeys(("serve", "live"), "watch"),
    **dict.fromkeys(("lint", "validate", "verify", "test"), "check"),
    **dict.fromkeys(("info", "describe", "inspect"), "show"),
    **dict.fromkeys(("settings", "configure"), "config"),
    **dict.fromkeys(("pack", "zip"), "bundle"),
    **dict.fromkeys(("migrate", "update"), "upgrade"),
    **dict.fromkeys(("list", "templates"), "recipes"),
    **{name: f"--{name}" for name in ("help", "version")},
}
"""Names of tikzgen's commands, and of options before them, in other programs."""
_OPTIONS_ELSEWHERE = {
    **dict.fromkeys(("--theme", "--dark", "--light", "--colors"), "--palette"),
    **dict.fromkeys(("--out", "--out-file", "--outfile", "--target"), "--output"),
    **dict.fromkeys(("--timeout", "--max-time"), "--time-limit"),
    **dict.fromkeys(("--resolution", "--scale"), "--dpi"),
    "--overwrite": "--force",
    **dict.fromkeys(("--latex", "--tex-engine", "--compiler"), "--engine"),
    **dict.fromkeys(("--type", "--to"), "--format"),
    **dict.fromkeys(("--param", "--define"), "--set"),
}
"""Names of tikzgen's options in other programs."""


def load_command(name: str) -> click.Command:
    """Import the command of this name."""
    folder = "environment" if name in COMMAND_GROUPS["Environment"] else "verbs"
    command: click.Command = import_module(f"tikzgen.cli.{folder}.{name}_verb").command
    return command


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = load_command(name)
        each = {name: command}
        if isinstance(command, click.Group):
            each |= {f"{name}_{inner}": part for inner, part in command.commands.items()}
        for called, part in each.items():
            known = {param.name for param in part.params}
            part.params += [option for option in voice_options() if option.name not in known]
            _give_twins(part, called)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            option = error.option_name
            ctx.fail(
                f"unknown option {option} before the command (write it after the command: tikzgen COMMAND {option} …)"
            )

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            if args[0].lower().endswith((".yaml", ".yml", ".json", ".toml", ".csv", ".mmd", ".d2", ".dot")):
                hint = f"`tikzgen render {shorten_for_message(args[0])}` draws it"
            elif args[0] in _FOREIGN_NAMES:
                hint = f'did you mean "{_FOREIGN_NAMES[args[0]]}"?'
            else:
                hint = suggest_known_names(args[0], sorted(COMMANDS), "the commands are")
            ctx.fail(f"unknown command {quote(args[0])} ({hint})")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in COMMAND_GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


def _give_twins(command: click.Command, called: str) -> None:
    """Give each option of a command an environment variable, such as TIKZGEN_CHECK_FORMAT.

    An option that already has a variable keeps it.
    """
    for option in command.params:
        if isinstance(option, click.Option) and option.envvar is None:
            name = next((each for each in option.opts if each.startswith("--")), option.opts[0]).lstrip("-")
            option.envvar = f"TIKZGEN_{called}_{name}".replace("-", "_").upper()


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, "-V", "--version", message="%(prog)s %(version)s")
def cli() -> None:
    """Draw distributed systems and training schedules as editable TikZ.

    \b
      tikzgen new data-parallel -o fig.yaml
      tikzgen render fig.yaml
      tikzgen build fig.yaml -f pdf,svg

    Messages go to stderr, figures to stdout or to files. Each option has an environment variable, such as
    TIKZGEN_CHECK_FORMAT for `check --format`. Exit status: 0 success, 1 findings or refusals, 2 usage or spec
    errors, 3 LaTeX failed or is missing, 130 interrupted.
    """


def main(*, apart: bool = False) -> None:
    """Run the command line; every expected error is one line and an exit status.

    With `apart`, commands that read untrusted files do their work in a child process. Otherwise, as in tests, they do
    it in this process, without limits.
    """
    print_utf8()
    begin()
    atexit.register(gc.freeze)  # no garbage collection at exit: the process frees its memory anyway
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # spares a search through all installed packages
    runner = _make_runner() if apart else None
    try:
        with handle_signals():
            status = _report_errors(lambda: cli.main(prog_name="tikzgen", standalone_mode=False, obj=runner))
    except KeyboardInterrupt:  # during the report of another error
        status = ExitStatus.INTERRUPTED
    sys.exit(status)


def _make_runner() -> Runner | None:
    if _MARK in os.environ:
        return None

    def run_limited(work: Callable[[], Any], subject: str, seconds: float) -> int:
        from tikzgen.base.child import fork_children as forked

        bounds = ResourceLimits(seconds)
        if not forked.can_fork():
            return forked.run_again(sys.argv[1:], {_MARK: "1"}, subject, bounds)
        from tikzgen.cli.progress import Progress

        progress = Progress(quiet=not shows_progress())
        try:
            return forked.run_bounded(lambda: _report_errors(work), subject, bounds, progress.show_child)
        finally:
            progress.clear()

    return run_limited


def _report_errors(act: Callable[[], Any]) -> int:
    """Run a command, print its errors, and return its exit status."""
    try:
        status = act()
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as error:
        status = error.exit_code
    except SystemExit as error:
        status = _PIPE_CLOSED_STATUS if type(sys.stdout).__name__.endswith("PacifyFlushWrapper") else error.code
    except BrokenPipeError:  # the reader closed the pipe, as `head` does
        _let_go(sys.stdout)
        status = _PIPE_CLOSED_STATUS
    except click.ClickException as error:
        _name_variable(error)
        _with_a_suggestion(error).show(told := StringIO())
        words = re.sub(r"[^\s'\"]{81,}", lambda word: shorten_for_message(word[0]), told.getvalue())
        print_error(words, nl=False)
        status = ExitStatus.USAGE
    except (click.Abort, KeyboardInterrupt):
        status = ExitStatus.INTERRUPTED
    except TikzgenError as error:
        print_error(str(error))
        status = error.exit_status
    except OSError as error:
        print_error(f"tikzgen: {system_error(error)}")
        _let_go(sys.stdout)
        status = ExitStatus.FINDINGS
    except (MemoryError, RecursionError) as error:
        print_error(str(limit_error(error)))
        status = ExitStatus.USAGE
    except Exception:
        if not end_was_requested():  # a library may turn the request to end into another error
            raise
        status = ExitStatus.INTERRUPTED
    return status if isinstance(status, int) else 0


def _name_variable(error: click.ClickException) -> None:
    """Name the environment variable in the message if its value is invalid."""
    if not isinstance(error, click.BadParameter) or error.ctx is None or error.param is None:
        return
    if error.ctx.get_parameter_source(error.param.name or "") is ParameterSource.ENVIRONMENT:
        error.param_hint = f"{error.param.opts[-1]} ({error.param.envvar})"


_PIPE_CLOSED_STATUS = 141  # 128 + SIGPIPE, as for a program that this signal ends


def _with_a_suggestion(error: click.ClickException) -> click.ClickException:
    """Return the error with a similar option, or with a command that has the option."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error
    given = error.option_name
    own = {name for param in error.ctx.command.params for name in param.opts if name.startswith("--")}
    meant = _OPTIONS_ELSEWHERE.get(given, "")
    near, message = meant if meant in own else "", f"No such option {given!r}."
    if not near and error.ctx.parent is not None and (having := _verb_with(given)):
        message = f"No such option {given!r}: `tikzgen {having} {given}` has it."
    elif near := near or find_similar_name(given, own):
        message += f" Did you mean {near!r}?"
    return click.NoSuchOption(given, message, ctx=error.ctx)


def _verb_with(option: str) -> str:
    """Return a command that has an option, preferably `build`, or an empty string."""
    having = [
        name
        for name in ("build", *sorted(COMMANDS))
        if any(option in param.opts for param in load_command(name).params)
    ]
    return having[0] if having else ""


def _let_go(stream: Any) -> None:
    """Discard the unwritten output of a stream; Python would retry it at exit and report an error."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


_ERRORS = "tikzgen.names"


def print_utf8() -> None:
    r"""Make this process print UTF-8.

    If the locale's encoding is ASCII, or the bytes of a file name are not valid in it, Python reads these bytes as
    surrogates. Surrogates that form UTF-8 are printed as that character, others as an escape (`\udcff`), which JSON
    also allows.
    """
    codecs.register_error(_ERRORS, _escape_unencodable)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=_ERRORS)


def _escape_unencodable(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    surrogates = error.object[error.start : error.end]
    try:
        name = surrogates.encode("utf-8", "surrogateescape")
        name.decode("utf-8")
    except UnicodeError:
        return "".join(f"\\u{ord(each):04x}" for each in surrogates), error.end
    return name, error.end
