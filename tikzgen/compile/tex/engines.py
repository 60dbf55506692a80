"""TeX engines: their names, paths and versions."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path
from shutil import which

from tikzgen.base.errors import LatexError, LatexMissing, quote
from tikzgen.base.record import Record
from tikzgen.compile.tex.install import NEEDS_OF, install_line, this_system
from tikzgen.spec.settings.config_file import Config, from_environment


class Engine(StrEnum):
    """A program that turns LaTeX into PDF."""

    PDFLATEX = "pdflatex"
    XELATEX = "xelatex"
    LUALATEX = "lualatex"
    TECTONIC = "tectonic"


FAMILIAR = (Engine.PDFLATEX, Engine.XELATEX, Engine.LUALATEX)
"""Engines of a TeX installation. tikzgen knows the sizes of labels in them and can measure them."""


class Installed(Record):
    """An engine on this machine, and the `path` of its program."""

    engine: Engine
    path: str

    @property
    def version(self) -> str:
        """First line of its `--version`; the program is started only for this."""
        return first_line(self.path, "--version")


NO_ENGINE = "none"
"""Engine name that draws figures without TeX."""

MISSING_ENGINE = Installed(Engine.PDFLATEX, "")
"""Placeholder if no engine is installed."""


def engine_named(name: str) -> Engine:
    """Return the engine of that name; raise `LatexError` with the existing names for an unknown one."""
    try:
        return Engine(name)
    except ValueError:
        raise LatexError(f"unknown engine {quote(name)}", hint="the engines are " + ", ".join(Engine)) from None


def find_engine(engine: Engine | str) -> Installed:
    """Return the engine on PATH; raise `LatexMissing` with the command that installs it."""
    engine = engine_named(engine)
    path = which(engine)
    if path is None:
        raise _engine_missing(engine)
    return Installed(engine, path)


def configured_engine(config: Config, *, none: bool = True) -> str:
    """Return the engine from the environment, else from the configuration, else the usual one.

    Without `none`, the usual engine replaces "none", for figures that must be compiled.
    """
    said = from_environment().get("engine") or config.values.get("engine")
    return str(said if said and (none or said != NO_ENGINE) else usual_engine())


def usual_engine() -> Engine:
    """Return the default engine: pdflatex, or tectonic if no other engine is installed."""
    only = which(Engine.TECTONIC) and not any(map(which, FAMILIAR))
    return Engine.TECTONIC if only else Engine.PDFLATEX


def engines_here() -> tuple[str, ...]:
    """Return paths, sizes and times of the installed engines, which identify them without a start."""
    found = [Path(path).resolve() for engine in Engine if (path := which(engine))]
    return tuple(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in found)


def _engine_missing(engine: Engine) -> LatexMissing:
    if engine is Engine.TECTONIC:
        way = "install it: https://tectonic-typesetting.github.io"
        return LatexMissing("tectonic is not on the PATH", hint=way)
    line = install_line(NEEDS_OF[engine], this_system())
    return LatexMissing(f"{engine} is not on the PATH, and figures are compiled with it", hint=f"install it: {line}")


@cache
def first_line(program: str, flag: str) -> str:
    """Return the first line of a program's version; empty if it cannot be started. Cached per process."""
    import subprocess  # late: drawn figures start no program

    try:
        done = subprocess.run(
            [program, flag], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return next(iter(done.stdout.decode("utf-8", "replace").strip().splitlines()), "")
