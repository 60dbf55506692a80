"""Lines of a latexmkrc that render changed specs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from tikzgen.base.errors import TikzgenError
from tikzgen.base.record import Record
from tikzgen.emit.environment import fill
from tikzgen.spec.source import SUFFIXES


class MakeRule(Record):
    """A spec's path, and the path of its figure without a suffix, both as strings in Perl."""

    path: str
    stem: str


def make_latexmkrc_lines(specs: Sequence[str]) -> str:
    """Return the lines for these specs, whose paths start at the paper's folder.

    Each figure is next to its spec. Other files with these suffixes are ignored. Raise `TikzgenError` for a file
    without the suffix of a spec, and for two specs of one figure.
    """
    paths = list(dict.fromkeys(PurePath(spec) for spec in specs))
    owners: dict[PurePath, PurePath] = {}
    for path in paths:
        if path.suffix not in SUFFIXES:
            hint = f"name specs, which end in {', '.join(SUFFIXES)}"
            raise TikzgenError(f"{path}: latexmk has nothing to render it from", hint=hint)
        owner = owners.setdefault(path.with_suffix(""), path)
        if owner != path:
            raise TikzgenError(f"{owner} and {path} would both become {path.with_suffix('.tex')}", hint="rename one")
    rules = [MakeRule(_quote_perl(path.as_posix()), _quote_perl(path.with_suffix("").as_posix())) for path in paths]
    suffixes = sorted({path.suffix[1:] for path in paths})
    return fill(
        "latexmkrc.j2", rules=rules, suffixes=suffixes, example=" ".join(paths[0].with_suffix("").as_posix().split())
    )


def _quote_perl(text: str) -> str:
    """Return a Perl string in single quotes, in which only quotes and backslashes are special."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
