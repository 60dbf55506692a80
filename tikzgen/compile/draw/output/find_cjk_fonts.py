"""Font files with Chinese characters: of the extra `cjk`, of TeX, and of the system. Main function: `font_files`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shutil import which

EXTRA = "cjk"
"""The extra of tikzgen that installs a font."""

# Names of font files, the best first. XeLaTeX and LuaLaTeX use Fandol.
_SANS = """FandolHei-Regular.otf NotoSansSC-Regular.otf NotoSansCJKsc-Regular.otf NotoSansCJK-Regular.ttc
NotoSansCJK-VF.otf.ttc NotoSansSC[wght].ttf SourceHanSansSC-Regular.otf SourceHanSansCN-Regular.otf SourceHanSans.ttc
PingFang.ttc Hiragino*Sans*GB.ttc STHeiti*Light.ttc msyh.ttc Deng.ttf simhei.ttf wqy-zenhei.ttc wqy-microhei.ttc
DroidSansFallbackFull.ttf DroidSansFallback.ttf"""
_SERIF = """FandolSong-Regular.otf NotoSerifSC-Regular.otf NotoSerifCJKsc-Regular.otf NotoSerifCJK-Regular.ttc
NotoSerifSC[wght].ttf SourceHanSerifSC-Regular.otf SourceHanSerifCN-Regular.otf SourceHanSerif.ttc Songti.ttc STSong.ttf
simsun.ttc uming.ttc gbsn00lp.ttf"""
_OTHER_FONTS = "gkai00mp.ttf ukai.ttc simkai.ttf Kaiti.ttc"
_RANKS = {
    kind: {name.replace("*", " "): rank for rank, name in enumerate(names.split())}
    for kind, names in (("sans", _SANS), ("serif", _SERIF), ("other", _OTHER_FONTS))
}
# Python packages with fonts, and their font file of each kind
_PACKAGES = {
    "sans": (("pylopdf_fonts_zh_cn", "NotoSansSC-Regular.otf"), ("manimgx_fonts_cjk", "NotoSansCJK-VF.otf.ttc")),
    "serif": (("pylopdf_fonts_zh_cn", "NotoSerifSC-Regular.otf"),),
}
_FOLDERS = {
    "darwin": ("/System/Library/Fonts", "/Library/Fonts", "~/Library/Fonts"),
    "win32": ("~/AppData/Local/Microsoft/Windows/Fonts", "C:/Windows/Fonts"),
    "linux": ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts"),
}
_SEARCH_VARIABLES = ("PATH", "HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_DATA_HOME", "TEXMFHOME")
_SECONDS = 20  # s: fontconfig may have to build its cache first


def font_files(kind: str) -> Iterator[Path]:
    """Yield font files with Chinese, the best for labels of this kind (`sans`, `serif`) first.

    The system is searched only if the caller asks for more than the fonts of the extra.
    """
    other = "serif" if kind == "sans" else "sans"
    yield from packaged_fonts(kind)
    system = system_fonts()
    yield from (path for path in system if path.name in _RANKS[kind])
    yield from packaged_fonts(other)
    yield from (path for path in system if path.name not in _RANKS[kind])


def packaged_fonts(kind: str) -> tuple[Path, ...]:
    """Return the fonts of this kind in installed Python packages."""
    found = []
    for package, name in _PACKAGES[kind]:
        spec = find_spec(package)
        folders = (spec.submodule_search_locations if spec is not None else None) or ()
        found += [path for folder in folders if (path := Path(folder) / name).is_file()]
    return tuple(found)


def system_fonts() -> tuple[Path, ...]:
    """Return the fonts of TeX and of the system, known good ones first, in a stable order."""
    return _system_fonts(tuple(os.environ.get(name, "") for name in _SEARCH_VARIABLES))


@cache
def _system_fonts(searched: Sequence[str]) -> tuple[Path, ...]:
    """Return the fonts of the system under these settings, which decide where programs search."""
    found = dict.fromkeys(path for path in [*_of_tex(), *_of_system()] if path.is_file())
    return tuple(sorted(found, key=_rank))


def _rank(path: Path) -> tuple[int, int]:
    return next(
        ((group, ranks[path.name]) for group, ranks in enumerate(_RANKS.values()) if path.name in ranks),
        (len(_RANKS), 0),
    )


def _of_tex() -> list[Path]:
    """Return the fonts in which XeLaTeX and LuaLaTeX set Chinese."""
    return list(map(Path, _read_program_lines("kpsewhich", "FandolHei-Regular.otf", "FandolSong-Regular.otf")))


def _of_system() -> list[Path]:
    """Return fontconfig's fonts for simplified Chinese; without fontconfig, known files in usual folders."""
    if which("fc-match"):
        pattern = "sans-serif:lang=zh-cn:weight=regular"
        listed = _read_program_lines("fc-match", "--all", "--format", "%{fontformat}\t%{lang}\t%{file}\n", pattern)
        rows = [line.split("\t") for line in listed if line.count("\t") == 2]
        return [Path(file) for form, languages, file in rows if form != "PCF" and "zh-cn" in languages.split("|")]
    folders = [Path(folder).expanduser() for folder in _FOLDERS.get(sys.platform, ())]
    files = (each for folder in folders if folder.is_dir() for each in sorted(folder.rglob("*.[ot]t[fc]")))
    return [file for file in files if _rank(file)[0] < len(_RANKS)]


def _read_program_lines(program: str, *arguments: str) -> list[str]:
    """Return the lines that a program prints; empty if it is not installed or fails."""
    import subprocess

    path = which(program)
    if path is None:
        return []
    command = [path, *arguments]
    try:  # in the root folder, because kpsewhich first searches the current folder, which may be untrusted
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, cwd=os.sep)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return os.fsdecode(done.stdout).splitlines()
