"""Installation commands for the optional dependencies (extras) of tikzgen."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, requires


def how_to_install(extra: str) -> str:
    """Return the command that installs the packages of an extra, without reinstalling tikzgen.

    >>> how_to_install("png").partition(">")[0]
    "pip install 'pypdfium2"
    """
    try:
        wanted = requires("tikzgen") or []
    except PackageNotFoundError:  # a checkout without installation
        wanted = []
    named = [each.partition(";") for each in wanted]
    packages = [f"'{name.strip()}'" for name, _, when in named if extra in when.replace('"', "'").split("'")]
    return "pip install " + (" ".join(packages) or f"'.[{extra}]' in the checkout")
