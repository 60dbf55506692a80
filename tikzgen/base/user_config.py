"""User configuration `~/.config/tikzgen/config.toml`: the folders in which any file may name files.

It differs from the configuration of a project, which may be untrusted.
"""

from __future__ import annotations

from pathlib import Path

from tikzgen.base.errors import FileRefused, quote, read_error
from tikzgen.base.version_and_cache_folder import config_folder

_HINT = 'it holds allow = ["/folder"], with absolute folders or ~'


def user_config_file() -> Path | None:
    """Return the path of the configuration, which may be missing; None if the system has no folder for it."""
    folder = config_folder()
    return folder / "config.toml" if folder else None


def allowed_by_user(file: Path) -> list[Path]:
    """Return the real folders of `allow` in the file; empty if it is missing. Raise `FileRefused` if it is invalid."""
    import tomllib  # needed only if a file of another project is named

    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise read_error(file, error) from None
    except ValueError as error:
        raise FileRefused(f"{file}: {error}", hint=_HINT) from None
    if unknown := sorted(data.keys() - {"allow"}):
        raise FileRefused(f"{file}: {quote(unknown[0])} is not a field of it", hint=_HINT)
    named = data.get("allow", [])
    if not isinstance(named, list) or not all(isinstance(each, str) and each for each in named):
        raise FileRefused(f"{file}: allow is not a list of folders", hint=_HINT)
    folders = [Path(each).expanduser() for each in named]
    if relative := [each for each in folders if not each.is_absolute()]:
        raise FileRefused(f"{file}: allow names {quote(str(relative[0]))}, a relative folder", hint=_HINT)
    return [each.resolve() for each in folders]
