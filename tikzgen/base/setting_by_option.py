"""Settings that options of their own make."""

from __future__ import annotations


class SettingByOption(str):
    """`width=8` as `--width 8` says it; what is wrong with it names that option."""

    __slots__ = ()
