"""TG104: computations whose parameters are sharded, and gradients that come after their reduction."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.subjects import Listed, said
from tikzgen.schedule import check_parameters

__all__ = ["RULE"]


def _look(subject: Listed) -> Iterator[Broken]:
    for broken in check_parameters(subject.rows):
        yield Broken(subject.place(broken), said(broken))


RULE = Rule(
    "TG104", "parameters", "a stage computes between its UNSHARD and RESHARD, before its REDUCE_GRAD", Listed, _look
)
