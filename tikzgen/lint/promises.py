"""What a contract promises in words, ours and others': names that stay, and lists that are as long as each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["equal_lists", "fixed_names"]

_FIXED = re.compile(r"\bfixed\b")
_KEPT = re.compile(r"\b(?:preserve|keep) the (?:semantic )?node names?\b")
_STABLE = re.compile(r"[Nn]ode names? ((?:[A-Za-z][\w-]*(?:\.\.[A-Za-z][\w-]*)?/?)+) (?:is|are) stable")
_NAME = re.compile(r"(?<![\w>])\(([A-Za-z][A-Za-z0-9-]*)\)")
_SERIES = re.compile(r"([A-Za-z-]+)(\d+)\.\.\1(\d+)$")
_EQUAL = re.compile(r"\b(?:equal|same) (?:in )?length\b|\bas long as\b")
_MACRO = re.compile(r"\\[A-Za-z@]+")
_MOST = 200  # names of a series


def fixed_names(contract: Mapping[str, Any]) -> tuple[str, ...]:
    """The nodes whose names are to stay; those that are counted may come and go where the contract lets them."""
    naming = str(contract.get("node_naming", ""))
    told = [naming.partition("New ")[0]] if _FIXED.search(naming) else []
    told += [sentence for sentence in _sentences(contract) if _KEPT.search(sentence)]
    found = [name for text in told for name in _NAME.findall(text.partition("e.g.")[0])]
    for sentence in (naming, *_sentences(contract)):
        for stable in _STABLE.finditer(sentence):
            found += [name for each in stable[1].split("/") for name in _counted(each)]
    growing = "<n>" in naming
    return tuple(dict.fromkeys(name for name in found if not (growing and name[-1].isdigit())))


def equal_lists(contract: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The macros whose lists are as long as each other."""
    for sentence in _sentences(contract):
        macros = tuple(dict.fromkeys(_MACRO.findall(sentence)))
        if _EQUAL.search(sentence) and len(macros) > 1:
            yield macros


def _sentences(contract: Mapping[str, Any]) -> list[str]:
    listed = contract.get("invariants")
    return [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []


def _counted(name: str) -> list[str]:
    """`t1..t3` is t1, t2, t3."""
    series = _SERIES.match(name)
    if series is None:
        return [name] if name else []
    return [f"{series[1]}{number}" for number in range(int(series[2]), min(int(series[3]), _MOST) + 1)]
