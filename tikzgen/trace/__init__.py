"""Measured runs, from what profilers write: ranks, streams, events and annotations, with exact times."""

from __future__ import annotations

from tikzgen.trace.readers.read_run import read_run as read

__all__ = ["read"]
