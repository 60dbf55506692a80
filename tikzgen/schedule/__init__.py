"""Schedules: operations with durations and dependencies in, exact times, checks and measures out.

`pipeline`, `data_parallel`, `ddp`, `fsdp`, `ring_all_reduce`, `local_sgd` and `parameter_server` say which operations
there are, in which order, with which dependencies; `simulate` is the one engine behind them all. `check` says whether
an order can run and is what it calls itself, `measure` what it costs.
"""

from tikzgen.schedule.actions import Action, Rows, Verb, actions, listed, parse, read_csv, respelt, to_plan, write_csv
from tikzgen.schedule.broken_rules import Finding, Rule
from tikzgen.schedule.check_actions import check, check_actions
from tikzgen.schedule.check_communication import check_messages, check_parameters
from tikzgen.schedule.data_parallel_steps import data_parallel, ddp, fsdp, local_sgd, ring_all_reduce, rounds
from tikzgen.schedule.device_phases import MEGATRON_WARM_UPS, Phases, WarmUp, phases
from tikzgen.schedule.exact_numbers import Deadlock, ScheduleError
from tikzgen.schedule.held_activations import Level, activations
from tikzgen.schedule.known_formulas import (
    ServerTraffic,
    gradient_delay,
    ring_bytes,
    server_load,
    server_traffic,
    versions_kept,
    weight_versions,
)
from tikzgen.schedule.measure_schedule import (
    Metrics,
    blocked,
    communication,
    exposed_communication,
    in_flight,
    measure,
    speed_up,
    updating,
)
from tikzgen.schedule.operation import COMMUNICATION, COMPUTE, Builder, Lane, Need, Operation, Program
from tikzgen.schedule.parameter_server_clocks import SERVER, Update, Workers, cut, parameter_server
from tikzgen.schedule.pipeline.families import (
    FAMILIES,
    PYTORCH_CLASSES,
    Around,
    Costs,
    Family,
    around,
    costs,
    family,
    pipeline,
    plan,
    program,
    schedule_name,
)
from tikzgen.schedule.simulate import Schedule, simulate
from tikzgen.schedule.tasks import Cell, Kind, Plan, Task
from tikzgen.schedule.waits_and_critical_path import Gap, critical_computing, critical_path, gaps, waits

__all__ = [
    "COMMUNICATION",
    "COMPUTE",
    "FAMILIES",
    "MEGATRON_WARM_UPS",
    "PYTORCH_CLASSES",
    "SERVER",
    "Action",
    "Around",
    "Builder",
    "Cell",
    "Costs",
    "Deadlock",
    "Family",
    "Finding",
    "Gap",
    "Kind",
    "Lane",
    "Level",
    "Metrics",
    "Need",
    "Operation",
    "Phases",
    "Plan",
    "Program",
    "Rows",
    "Rule",
    "Schedule",
    "ScheduleError",
    "ServerTraffic",
    "Task",
    "Update",
    "Verb",
    "WarmUp",
    "Workers",
    "actions",
    "activations",
    "around",
    "blocked",
    "check",
    "check_actions",
    "check_messages",
    "check_parameters",
    "communication",
    "costs",
    "critical_computing",
    "critical_path",
    "cut",
    "data_parallel",
    "ddp",
    "exposed_communication",
    "family",
    "fsdp",
    "gaps",
    "gradient_delay",
    "in_flight",
    "listed",
    "local_sgd",
    "measure",
    "parameter_server",
    "parse",
    "phases",
    "pipeline",
    "plan",
    "program",
    "read_csv",
    "respelt",
    "ring_all_reduce",
    "ring_bytes",
    "rounds",
    "schedule_name",
    "server_load",
    "server_traffic",
    "simulate",
    "speed_up",
    "to_plan",
    "updating",
    "versions_kept",
    "waits",
    "weight_versions",
    "write_csv",
]
