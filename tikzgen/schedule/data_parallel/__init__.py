"""Data-parallel training: steps, accumulation, bucket overlap, sharded parameters, ring all-reduce, local SGD."""

from tikzgen.schedule.data_parallel.ddp_steps import ddp
from tikzgen.schedule.data_parallel.fsdp_steps import fsdp
from tikzgen.schedule.data_parallel.local_sgd_steps import local_sgd, rounds
from tikzgen.schedule.data_parallel.ring_steps import ring_all_reduce
from tikzgen.schedule.data_parallel.steps import data_parallel

__all__ = ["data_parallel", "ddp", "fsdp", "local_sgd", "ring_all_reduce", "rounds"]
