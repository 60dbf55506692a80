"""Lengths: conversion factors between TeX points, inches, cm and PDF units, and rounding."""

from __future__ import annotations

from math import ceil

PT_PER_IN = 72.27
PT_PER_CM = PT_PER_IN / 2.54
CM_PER_PT = 2.54 / PT_PER_IN
PT_PER_BP = PT_PER_IN / 72
"""TeX's points in one PDF unit ("big point", 1/72 inch)."""
PAGE_LIMIT_CM = 23.0
"""cm: the text of a page."""


def round_up(length: float, digits: int) -> float:
    """Return a length rounded up to `digits` decimals; ignore an excess below 1e-6 of the last digit."""
    scale = float(10**digits)
    return ceil(length * scale - 1e-6) / scale
