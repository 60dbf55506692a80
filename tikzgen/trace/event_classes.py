"""Classes of device events: communication, copies, and kinds of computation.

Rules are regular expressions on names, tried in order; the rules of the user precede the others. An event without a
rule has the class `compute`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tikzgen.base.record import Record
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
    r"^(?:all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute|send|recv)(?:-start|-done)?(?:\.\d+)?$",
)
_COMPUTATION = {
    "attention": "flash|fmha|attn|attention",
    "gemm": r"gemm|xmma|cutlass|Cijk_|wmma|nvjet|bmm_|^(?:dot|convolution)(?:\.\d+)?$",
}


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
            return kind.filed
        return next((name for name, pattern in _OURS if pattern.search(kind.name)), OTHER)


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
