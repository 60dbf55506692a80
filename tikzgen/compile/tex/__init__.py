"""TeX engines: installed ones, how to run them, and the contents of their logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.compile.tex.argv import JOB as JOB
    from tikzgen.compile.tex.argv import SETTINGS as SETTINGS
    from tikzgen.compile.tex.argv import Limits as Limits
    from tikzgen.compile.tex.argv import engine_argv as engine_argv
    from tikzgen.compile.tex.argv import version_settings as version_settings
    from tikzgen.compile.tex.engines import FAMILIAR as FAMILIAR
    from tikzgen.compile.tex.engines import NO_ENGINE as NO_ENGINE
    from tikzgen.compile.tex.engines import Engine as Engine
    from tikzgen.compile.tex.engines import Installed as Installed
    from tikzgen.compile.tex.engines import configured_engine as configured_engine
    from tikzgen.compile.tex.engines import engine_named as engine_named
    from tikzgen.compile.tex.engines import engines_here as engines_here
    from tikzgen.compile.tex.engines import find_engine as find_engine
    from tikzgen.compile.tex.failures import find_hole as find_hole
    from tikzgen.compile.tex.measure_by_tex import TexBox as TexBox
    from tikzgen.compile.tex.measure_by_tex import TextPreamble as TextPreamble
    from tikzgen.compile.tex.measure_by_tex import Unsettable as Unsettable
    from tikzgen.compile.tex.measure_by_tex import measure_texts as measure_texts
    from tikzgen.compile.tex.process import Running as Running
    from tikzgen.compile.tex.tools_here import examine_machine as examine_machine
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "argv": "JOB Limits SETTINGS engine_argv version_settings",
            "engines": "Engine FAMILIAR Installed NO_ENGINE configured_engine engine_named engines_here find_engine",
            "failures": "find_hole",
            "measure_by_tex": "TexBox TextPreamble Unsettable measure_texts",
            "process": "Running",
            "tools_here": "examine_machine",
        },
    )
