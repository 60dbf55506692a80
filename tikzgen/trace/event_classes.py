"""Classes of device events: communication, copies, and kinds of computation.

Rules are regular expressions on names, tried in order; the rules of the user precede the others. An event without a
rule has the class `compute`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tikzgen.base.record import Record
from tikzgen.schedule import KINDS
from tikzgen.trace.linear_patterns import compile_pattern
from tikzgen.trace.run_model import EventKind

COMMUNICATION, MEMCPY, MEMSET, OTHER = "communication", "memcpy", "memset", "compute"
COPIES = (MEMCPY, MEMSET)
"""Classes that neither compute nor communicate."""

_COMMUNICATION = (
    r"^(?:nccl|rccl|mscclpp|oneccl|hccl)",
    "ncclDevKernel|ncclKernel|rcclDevKernel|nvshmem",
    r"\bdeep_ep::|::ep::(?:internode|intranode)::",
    "multimem|one_shot_all|two_shot_all|cross_device_reduce",
    r"^(?:all-reduce|all-gather|reduce-scatter|(?:ragged-)?all-to-all|collective-(?:permute|broadcast)|send|recv)(?:-start|-done)?(?:\.\d+)?$",
)
_COMMUNICATION_CLASS = re.compile(
    r"(?:comms?|communications?|n?ccl|rccl|mpi|gloo|network|p2p|send|recv|send-?recv|broadcast|barrier"
    r"|all-?reduce|all-?gather|reduce-?scatter|all-?to-?all|collectives?)\Z",
    re.IGNORECASE,
)
"""Classes in files that are communication."""
_COMPUTING_CLASSES = frozenset(
    (OTHER, "kernel", "computation", "computing", "gemm", "attention", "step", "update", "optimizer", *KINDS)
)
"""Classes in files that are known as computation, in lowercase."""
_COMPUTATION = {
    "attention": "flash|fmha|attn|attention",
    "gemm": r"gemm|xmma|cutlass|Cijk_|wmma|nvjet|bmm_|^(?:dot|convolution)(?:\.\d+)?$",
}


_CLASS_CHARS = 60  # characters of a class
_BETWEEN = re.compile("[^A-Za-z0-9]+")


class ClassRules(Record):
    """Rules for classes of events; `given` are the rules of the user, in order."""

    given: Sequence[tuple[str, Any]] = ()

    def knows(self, kind: EventKind) -> bool:
        """Whether a rule has a class for an event."""
        return self.of(kind) != OTHER or any(pattern.search(kind.name) for _, pattern in self.given)

    def of(self, kind: EventKind) -> str:
        """The class of an event.

        >>> [ClassRules().of(EventKind(*kind)) for kind in (("kernel", "ncclDevKernel_SendRecv"), ("memcpy", "DtoH"))]
        ['communication', 'memcpy']
        """
        for name, pattern in self.given:
            if pattern.search(kind.name):
                return name
        if kind.filed != "kernel":
            return COMMUNICATION if _COMMUNICATION_CLASS.match(kind.filed) else kind.filed
        return next((name for name, pattern in _OURS if pattern.search(kind.name)), OTHER)


def is_known_class(name: str) -> bool:
    """Return whether a class of a file is known as communication, copies or computation.

    >>> is_known_class("NCCL"), is_known_class("Forward"), is_known_class("data-loading")
    (True, True, False)
    """
    return bool(name in COPIES or name.lower() in _COMPUTING_CLASSES or _COMMUNICATION_CLASS.match(name))


def spell_class(text: str) -> str | None:
    """Return a class of a file as the name of a phase; None if it is not a name."""
    name = _BETWEEN.sub("-", text).strip("-")
    return name if name[:1].isalpha() and len(name) <= _CLASS_CHARS else None


_OURS = [
    *((COMMUNICATION, re.compile(each, re.IGNORECASE)) for each in _COMMUNICATION),
    *((name, re.compile(each, re.IGNORECASE)) for name, each in _COMPUTATION.items()),
]


def class_rules(classes: Mapping[str, Iterable[str]]) -> ClassRules:
    """Compile the rules of the user. Raise `TikzgenError` for an invalid regular expression."""
    return ClassRules(
        tuple(
            (name, compile_pattern(pattern, f"classes: {name}", ignore_case=True))
            for name, patterns in classes.items()
            for pattern in patterns
        )
    )
