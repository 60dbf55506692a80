"""Limits that users meet, in the units that the documentation and the messages use. A change of one is a decision."""

from __future__ import annotations

import importlib
from fractions import Fraction

import pytest
from conftest import at_once

KIB, MIB = 1024, 1024 * 1024
LIMITS = {
    # files
    "base.read_files.MAX_BYTES": 8_000_000,
    "base.read_files.MAX_NAMED_FILES": 64,  # docs/configuration.md
    "base.read_files.MAX_BYTES_TOGETHER": 64_000_000,  # docs/configuration.md
    "spec.document.MAX_NODES": 1_000_000,
    "spec.document.MAX_DEPTH_LEVELS": 64,
    "spec.document.MAX_ANCHOR_COUNT": 2_000,
    "spec.extends._EXTENDS_LIMIT": 8,
    "spec.yaml._NUMBER_CHARS": 100,
    "spec.errors.error_places.MAX_PROBLEMS": 10,
    "base.errors._MESSAGE_CHARS": 80,  # characters of a value in a message
    "base.cache._LIMIT_MIB": 256,
    "base.folders.LOCK_SECONDS": 30.0,  # docs/security.md: who waits for a lock for more than 30 s is told
    "base.trust.MOST_DRAWN_ITEMS": 65_536,  # docs/security.md: operations that a recipe draws
    "model.overrides.MOST_OVERRIDES_COUNT": 200,  # docs/security.md
    "model.topology.topology.MOST_PARALLEL_FLOWS": 64,  # docs/security.md
    "model.part.DENOMINATOR_LIMIT": 10**18,
    # sizes
    "model.looks.widths.WIDEST": 100.0,  # cm
    "model.looks.widths.TEXT_WIDE": 17.8,  # cm
    "base.plane.units.PAGE_LIMIT_CM": 23.0,  # cm
    "base.plane.units.PT_PER_IN": 72.27,  # TeX's points
    "base.plane.units.CM_PER_PT": 2.54 / 72.27,
    "model.figure_options.LARGEST_LENGTH_PT": 16383,  # TeX's largest dimension in pt
    "model.slides.MOST_SLIDES_COUNT": 999,
    "model.timeline.timeline_from_table.ROW_LIMIT": 100_000,
    "compile.draw.draw_tex._SOURCE_LIMIT": 20_000_000,
    "compile.draw.draw_tex._TALLEST_PT": 16_000.0,
    "compile.draw.arithmetic.LARGEST_PT": 16383.99998,
    "compile.draw.run_statements._LOOP_LIMIT": 100_000,
    "model.looks.vision.LEAST_CONTRAST": 4.5,  # WCAG 2.1, 1.4.3
    "lint.probe.rules.contrast_and_colors._LEAST_OF_LINES": 3.0,  # WCAG 2.1, 1.4.11
    "lint.probe.rules.contrast_and_colors._THINNEST_PT": 0.2,  # pt
    "lint.probe.rules.text_size_and_alignment._SMALLEST_TYPE_PT": 6.0,  # pt: README
    # times
    "schedule.exact_numbers.NUMBER_LIMIT": 10**15,
    "schedule.exact_numbers.MOST_OPERATIONS_COUNT": 4_000_000,
    "recipe.measured.measured_reading.MOST_CELLS": 50_000,
    "recipe.measured.measured_reading.MOST_RANKS_COUNT": 64,
    "trace.readers.read_in_parallel.JOB_LIMIT": 256,
    "trace.readers.json_events._EVENT_BYTES": 64 * MIB,
    # programs
    "base.child.child_state.GRACE_SECONDS": 3.0,
    "serve.agents.mcp_server.CALL_SECONDS": 120.0,
    "compile.tex.compile_tex._FOLDER_MIB": 256,
    "compile.tex.compile_tex._RUN_LIMIT": 3,
    "compile.tex.compile_tex._LOG_BYTES": 8 * MIB,
    "compile.tex.process._TAIL_BYTES": 64 * KIB,
    "compile.convert._PIXEL_LIMIT": 200_000_000,
    "compile.tex.dumped_preambles.PAYS_AFTER_COUNT": 4,
    "compile.tex.dumped_preambles._MOST_FORMATS_COUNT": 8,  # docs/papers.md
    "compile.pdf._UNPACKED_BYTES": 64 * MIB,
    "serve.watch.guard.BODY_BYTES": 64 * KIB,
    "serve.watch.make_views._DPI": 288,
    "edit.history._STEP_LIMIT": 20,
    "spec.embedded_spec.FORMAT": 4,
    "emit.fit_sentences.DESCRIPTION_CHARS": 600,  # characters
    "emit.describe_figure._TITLE_CHARS": 160,
}


@at_once
@pytest.mark.parametrize(("name", "value"), LIMITS.items())
def test_a_limit_has_its_stated_value(name: str, value: float | Fraction) -> None:
    module, _, constant = name.rpartition(".")
    assert getattr(importlib.import_module(f"tikzgen.{module}"), constant) == value
