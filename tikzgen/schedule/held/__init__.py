"""Holdings: the exact parts of arrays that ranks, requests, servers and experts have."""

from __future__ import annotations

from tikzgen.schedule.held.attention_blocks import (
    AttentionMask,
    Split,
    find_ring_step,
    make_mask,
    measure_ring_work,
    split_positions,
)
from tikzgen.schedule.held.dataset_partitions import (
    DatasetDependency,
    DatasetStep,
    Lineage,
    Transformation,
    trace_lineage,
)
from tikzgen.schedule.held.expert_slots import Dispatched, choose_experts, count_moved_tokens, dispatch_tokens
from tikzgen.schedule.held.impossible_facts import ImpossibleFacts
from tikzgen.schedule.held.log_matching import MatchedLogs, find_least_term, match_logs
from tikzgen.schedule.held.paged_blocks import BlockCache, BlockCopy, BlockEvent, run_block_cache
from tikzgen.schedule.held.ring_chunks import RingPhase, RingSend, RingState, list_ring_states
from tikzgen.schedule.held.tensor_placements import (
    Box,
    Coordinates,
    Placement,
    Redistribution,
    check_placements,
    count_elements,
    hold_boxes,
    list_ranks,
    plan_redistribution,
)
from tikzgen.schedule.held.training_memory import (
    MemoryParts,
    Recomputation,
    TransformerLayer,
    ZeroStage,
    divide_memory,
    measure_activations,
)

__all__ = [
    "AttentionMask",
    "BlockCache",
    "BlockCopy",
    "BlockEvent",
    "Box",
    "Coordinates",
    "DatasetDependency",
    "DatasetStep",
    "Dispatched",
    "ImpossibleFacts",
    "Lineage",
    "MatchedLogs",
    "MemoryParts",
    "Placement",
    "Recomputation",
    "Redistribution",
    "RingPhase",
    "RingSend",
    "RingState",
    "Split",
    "Transformation",
    "TransformerLayer",
    "ZeroStage",
    "check_placements",
    "choose_experts",
    "count_elements",
    "count_moved_tokens",
    "dispatch_tokens",
    "divide_memory",
    "find_least_term",
    "find_ring_step",
    "hold_boxes",
    "list_ranks",
    "list_ring_states",
    "make_mask",
    "match_logs",
    "measure_activations",
    "measure_ring_work",
    "plan_redistribution",
    "run_block_cache",
    "split_positions",
    "trace_lineage",
]
