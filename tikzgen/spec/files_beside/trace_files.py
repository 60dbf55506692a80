"""Reader of the traces that a spec names.

It adds their contents to the recipe, so that a figure does not need the files any more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import islice
from pathlib import Path
from time import time_ns
from typing import Any

from tikzgen.base.child import so_far
from tikzgen.base.errors import Problem, SpecError, TikzgenError, quote
from tikzgen.base.read_files import COMPANION_SUFFIXES, NamedFileRefused, find_named, may_name, note_file, note_package
from tikzgen.base.record import as_dict, replace
from tikzgen.model.exact_fields import spell_time
from tikzgen.recipe.measured.measured_reading import MOST_CELLS, MOST_RANKS_COUNT
from tikzgen.recipe.measured.measured_trace import Trace
from tikzgen.schedule import spell_exact_number
from tikzgen.spec.document import Document
from tikzgen.trace import (
    DeviceKey,
    NothingFound,
    Period,
    PictureCell,
    PictureLane,
    Time,
    TracePicture,
    TraceRun,
    choose_ranks,
    choose_replica,
    choose_time,
    class_rules,
    find_parallelism,
    picture_of,
    set_clocks,
)
from tikzgen.trace.readers import as_the_environment_says
from tikzgen.trace.readers.read_run import read_run, shared_base

_RANGE = re.compile(r"\{(\d{1,6})\.\.(\d{1,6})\}")
_FILE_LIMIT = 4096  # files per source


def with_reading(recipe: Trace, document: Document) -> Document:
    """Return the description with the contents of its traces; unchanged if it already has them.

    Raise `SpecError` with the field's location if a file is missing, or lacks the requested data.
    """
    if recipe.reading is not None and recipe.reading.facts == recipe.facts:
        return document
    try:
        picture = _read_picture(recipe, Path(document.name), inside=document.name.endswith(".tex"))
    except SpecError:
        raise
    except TikzgenError as error:
        field, colon, message = error.message.partition(": ")
        if not colon or field not in type(recipe).model_fields:
            field, message = "source", error.message
        where = field if field in document.data else "source"
        problem = Problem(message, where, document.places.locate_value((where,)), error.hint)
        refused = SpecError([problem])
        if isinstance(error, NothingFound):
            refused.exit_status = error.exit_status
        raise refused from None
    return replace(document, data={**document.data, "reading": _pack_reading(recipe.facts, picture)})


def _read_picture(recipe: Trace, spec: Path, *, inside: bool) -> TracePicture:
    if inside:
        hint = "render the spec in the folder of the traces"
        raise TikzgenError("source: the figure contains traces that were read with other options", hint=hint)
    given = recipe.source
    files: Any
    if isinstance(given, dict):
        files = {rank: _find_file(name, spec) for rank, name in given.items()}
    else:
        files = [path for name in ([given] if isinstance(given, str) else given) for path in _find_files(name, spec)]
    paths = [*files.values()] if isinstance(files, dict) else files
    states = [_state_of(path) for path in paths]
    key = recipe.facts, *states
    if key in _kept:
        return _kept[key]
    run = _read_run(files, paths, recipe.format)
    picture = _make_picture(recipe, run)
    if any(rank.package for rank in run.ranks.values()):
        note_package()
        return picture
    if max(changed for _, _, changed, _ in states) > time_ns() - _SETTLE_NS:
        return picture  # a change shortly after may not change the state
    if len(_kept) >= _KEPT_READINGS_COUNT:
        _kept.clear()
    _kept[key] = picture
    return picture


_kept: dict[Any, TracePicture] = {}  # cache by requested parameters and state of the files, since a spec is saved often
_KEPT_READINGS_COUNT = 8
_SETTLE_NS = 2 * 10**9  # ns


def _state_of(path: Path) -> tuple[Path, int, int, int]:
    """Return the state of a file; an equal state means equal contents."""
    found = path.stat()
    return path.resolve(), found.st_ino, max(found.st_mtime_ns, found.st_ctime_ns), found.st_size


def _read_run(files: Any, paths: Sequence[Path], stated: str) -> TraceRun:
    with as_the_environment_says(paths) as executor:
        return read_run(files, stated="" if stated == "auto" else stated, executor=executor, told=so_far)


def _make_picture(recipe: Trace, run: TraceRun) -> TracePicture:
    given = recipe.parallelism
    run = find_parallelism(shared_base(run), given.sizes if given else {}, given.order if given else ())
    run, of = choose_ranks(choose_replica(run, recipe.replica), recipe.ranks, MOST_RANKS_COUNT)
    run, clocks = set_clocks(run, recipe.clock)
    chosen = choose_time(run, recipe.step, recipe.window)
    pattern = None if recipe.operations == "auto" else recipe.operations
    how: dict[str, Any] = {name: getattr(recipe, name) for name in ("begin", "timing", "detail", "streams")}
    picture = picture_of(chosen, class_rules(recipe.classes), recipe.lanes, pattern=pattern, **how)
    if len(picture.cells) > MOST_CELLS:
        message = f"detail: {len(picture.cells)} cells are more than the {MOST_CELLS} that TeX bears"
        raise TikzgenError(message, hint="detail: 1/640 merges spans that are too close; or draw a step")
    said = [each for each in (of, clocks, *picture.said, *run.warnings) if each]
    return replace(picture, said=said)


def _find_files(name: str, spec: Path) -> Iterator[Path]:
    """Yield the files that a pattern names: `{0..3}` counts, `*` matches anything."""
    counted = _RANGE.search(name)
    if counted:
        first, last = int(counted[1]), int(counted[2])
        if last - first >= _FILE_LIMIT:
            raise TikzgenError(f"source: {quote(name)} counts more than {_FILE_LIMIT} files", hint="name fewer")
        for number in range(first, last + 1):
            yield from _find_files(f"{name[: counted.start()]}{number}{name[counted.end() :]}", spec)
    elif _WILD.search(name):
        parts = Path(name).parts
        fixed = next(index for index, part in enumerate(parts) if _WILD.search(part))
        folder = spec.parent.joinpath(*parts[:fixed])
        if not may_name(folder.resolve(), spec):
            raise TikzgenError(f"source: {quote(name)} is outside the project", hint=_ALLOW)
        found = list(islice(_find_matches(folder, parts[fixed:]), _FILE_LIMIT + 1))
        if len(found) > _FILE_LIMIT:
            raise TikzgenError(f"source: {quote(name)} names more than {_FILE_LIMIT} files", hint="name fewer")
        if not found:
            raise TikzgenError(f"source: no file in the project is {quote(name)}", hint="as in traces/*.json.gz")
        yield from (_find_file(os.path.relpath(path, spec.parent), spec) for path in found)
    else:
        yield _find_file(name, spec)


_WILD = re.compile(r"[*?]")
_ALLOW = "copy the traces into the project, or allow their folder with --allow DIR"


def _find_matches(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Find files below a folder whose path matches the parts, sorted by name.

    Omit the files that tikzgen writes with figures. Record the contents of the folders.
    """
    if not parts:
        if folder.is_file():
            yield folder
        return
    head, *rest = parts
    if not _WILD.search(head):
        yield from _find_matches(folder / head, rest)
        return
    note_file(folder)
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    if head == "**":
        yield from _find_matches(folder, rest)
        for each in entries:
            if each.is_dir() and not each.is_symlink():
                yield from _find_matches(each, parts)
        return
    for each in entries:
        if fnmatchcase(each.name, head) and not each.name.lower().endswith(COMPANION_SUFFIXES):
            yield from _find_matches(each, rest)


def _find_file(name: str, spec: Path) -> Path:
    try:
        find_named(name, spec)
    except NamedFileRefused as error:
        hint = error.hint or "a name such as traces/rank0.json.gz, as seen from this file"
        raise TikzgenError(f"source: {error.message}", hint=hint) from None
    return spec.parent / name  # unresolved: the name may contain the rank, unlike a link's target


def _pack_reading(facts: str, picture: TracePicture) -> dict[str, Any]:
    """Return the picture in the form of a description: in ms, exactly."""
    return {
        "facts": facts,
        "lanes": [_stated_values(lane) for lane in picture.lanes],
        "cells": [{**_stated_values(cell), "duration": _spell_ms(cell.end - cell.start)} for cell in picture.cells],
        "length": _spell_ms(picture.length),
        "makespan": _spell_ms(picture.whole.makespan),
        "ranks": [
            {
                "rank": key[0],
                **({"device": key[1]} if key[1] else {}),
                "values": _list_rank_values(picture, key),
                "classes": _list_class_durations(picture, key),
            }
            for key in picture.whole.busy
        ],
        "periods": [{**_stated_values(period), "end": _spell_ms(period.end)} for period in picture.periods],
        "residual": _spell_ms(picture.residual),
        "world": picture.world,
        **({"axes": dict(picture.axes)} if picture.axes else {}),
        **({} if picture.bubble else {"bubble": False}),
        **({} if picture.unit == "time" else {"unit": picture.unit}),
        "notes": list(picture.said),
    }


_MOMENTS = ("start", "waited", "exposed")
_USUAL = {"label": "", "group": "", "events": 1, "occupancy": 1, "waited": 0, "exposed": 0, "replica": 0, "device": ""}


def _stated_values(record: PictureLane | PictureCell | Period) -> dict[str, Any]:
    """Return the values of a part that differ from the defaults, without the end time."""
    return {
        name: _spell_ms(value) if name in _MOMENTS else spell_exact_number(value) if name == "occupancy" else value
        for name, value in as_dict(record).items()
        if name != "end" and value != _USUAL.get(name)
    }


def _list_rank_values(picture: TracePicture, key: DeviceKey) -> dict[str, str]:
    whole, own = picture.whole, picture.ranks.get(key)
    told = {"computing": whole.busy[key], "span-idle": whole.span_idle[key]}
    if own:
        told |= {
            "extent": own.extent,
            "busy": own.busy,
            "idle": own.idle,
            "communication": own.communication,
            "exposed-communication": own.exposed_time,
            "unclassified": own.unclassified,
        }
    if key in picture.operations:
        told["waited"] = sum((each.wait for each in picture.operations[key]), 0)
    return {name: _spell_ms(time) for name, time in told.items()}


def _list_class_durations(picture: TracePicture, key: DeviceKey) -> dict[str, str]:
    """Return the duration of each class on a device."""
    own = picture.ranks.get(key)
    return {name: _spell_ms(time) for name, time in own.by_class.items()} if own else {}


def _spell_ms(time: Time) -> str:
    return str(spell_time(Fraction(time) / 10**6))
