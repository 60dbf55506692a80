"""The person's own configuration, `~/.config/tikzgen/config.toml`: the folders in which any file may name files.

It is not the configuration of a project, which may come from a stranger.
"""

from __future__ import annotations

from pathlib import Path

from tikzgen.base.errors import FileRefused, quote, read_error
from tikzgen.base.version_and_cache_folder import config_folder

_HINT = 'it holds allow = ["/folder"], with absolute folders or ~'


def user_config_file() -> Path | None:
    """The file of the configuration, there or not; nothing where the system tells no place for it."""
    folder = config_folder()
    return folder / "config.toml" if folder else None


def allowed_by_user(file: Path) -> list[Path]:
    """The real folders that `allow` lists in the file. `FileRefused` where it holds anything else."""
    import tomllib  # only where a file of another project is named

    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise read_error(file, error) from None
    except ValueError as error:
        raise FileRefused(f"{file}: {error}", hint=_HINT) from None
    if unknown := sorted(data.keys() - {"allow"}):
        raise FileRefused(f"{file}: {quote(unknown[0])} is no field of it", hint=_HINT)
    named = data.get("allow", [])
    if not isinstance(named, list) or not all(isinstance(each, str) and each for each in named):
        raise FileRefused(f"{file}: allow is not a list of folders", hint=_HINT)
    folders = [Path(each).expanduser() for each in named]
    if relative := [each for each in folders if not each.is_absolute()]:
        raise FileRefused(f"{file}: allow names {quote(str(relative[0]))}, a relative folder", hint=_HINT)
    return [each.resolve() for each in folders]
