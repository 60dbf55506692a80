"""Data-parallel training: steps, accumulation, bucket overlap, sharded parameters, ring all-reduce, local SGD."""

from tikzgen.schedule.dataparallel.ddp import ddp
from tikzgen.schedule.dataparallel.fsdp import fsdp
from tikzgen.schedule.dataparallel.localsgd import local_sgd, rounds
from tikzgen.schedule.dataparallel.ring import ring_all_reduce
from tikzgen.schedule.dataparallel.steps import data_parallel

__all__ = ["data_parallel", "ddp", "fsdp", "local_sgd", "ring_all_reduce", "rounds"]
