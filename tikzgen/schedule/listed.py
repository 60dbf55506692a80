"""An operation list with parameter actions becomes a program: gathers and reductions run beside computations."""

from __future__ import annotations

from tikzgen.base.record import replace
from tikzgen.schedule.actions import Rows, Verb, to_plan
from tikzgen.schedule.exact import Number, exact
from tikzgen.schedule.operation import COMMUNICATION, Lane, Need, Operation, Program
from tikzgen.schedule.pipeline.costs import Costs
from tikzgen.schedule.pipeline.program import program

_KINDS = {Verb.UNSHARD: "all-gather", Verb.REDUCE_GRAD: "reduce-scatter"}


def listed(rows: Rows, costs: Costs, *, unshard: Number = 0, reduce_grad: Number = 0) -> Program:
    """The computations of `rows`; on each rank's communication lane the UNSHARDs and REDUCE_GRADs that take time.

    A stage computes once its last UNSHARD is done; an UNSHARD is issued while the computation before it in the list
    runs, so it waits for the one before that; a REDUCE_GRAD waits for the computation before it. SEND and RECV are
    the ends of a message, which takes `costs.latency`; RESHARD takes no time.
    """
    times = {Verb.UNSHARD: exact(unshard, "unshard"), Verb.REDUCE_GRAD: exact(reduce_grad, "reduce_grad")}
    operations = list(program(to_plan(rows), costs).operations)
    computed = 0
    for rank, row in enumerate(rows):
        first = computed
        gathered: dict[int, Need] = {}
        for action in row:
            if action.tasks:
                needs = tuple(gathered[task.stage] for task in action.tasks if task.stage in gathered)
                operations[computed] = replace(operations[computed], needs=operations[computed].needs + needs)
                computed += 1
            elif action.verb in _KINDS and times[action.verb]:
                if action.verb is Verb.UNSHARD:
                    gathered[action.stage] = Need(len(operations))
                source = computed - (2 if action.verb is Verb.UNSHARD else 1)
                waits = (Need(source),) if source >= first else ()
                lanes = (Lane(rank, COMMUNICATION),)
                kind, time = _KINDS[action.verb], times[action.verb]
                operations.append(Operation(str(action), kind, lanes, time, waits, action.stage))
    return Program(tuple(operations))
