"""One worker more or fewer: the actions that a contract names, one after the other."""

from __future__ import annotations

from collections.abc import Callable

from tikzgen.base.errors import EditRefused, quoted
from tikzgen.contract.program_contract import Action
from tikzgen.edit.foreign.balance import carry_labels, move_followers, recentre, shift_labels
from tikzgen.edit.foreign.foreign_figure import NUMBERS, Change, Subject, line_of
from tikzgen.edit.foreign.worker_plan import Plan, Worker, no_loop_makes, roster
from tikzgen.edit.foreign.write_worker_parts import (
    copy_flows,
    declare_label,
    drop_flows,
    drop_label,
    drop_node,
    join_lists,
    label_node,
    leave_lists,
    left_over,
    place_node,
)

ACTIONS: dict[Action, Callable[[Plan], None]] = {
    "declare-label": declare_label,
    "place-node": place_node,
    "label-node": label_node,
    "join-lists": join_lists,
    "copy-flows": copy_flows,
    "drop-label": drop_label,
    "drop-node": drop_node,
    "drop-flows": drop_flows,
    "leave-lists": leave_lists,
    "recentre": recentre,
    "move-followers": move_followers,
    "carry-labels": carry_labels,
    "shift-labels": shift_labels,
}


def add_worker(subject: Subject, *, label: str = "") -> Change:
    """A worker below the last one, with a label, the last one's flows, and a place in every list of workers."""
    before = roster(subject)
    contract = subject.agreed()
    workers = contract.workers
    assert workers is not None, "a roster has workers"
    number = max(worker.number for worker in before) + 1
    if len(before) >= workers.most or number >= len(NUMBERS):
        raise EditRefused("too-many", f"{workers.most} workers are the most", nearest="remove-worker")
    name = workers.names.replace("{n}", str(number))
    if any(node.name == name for node in subject.facts.nodes):
        raise EditRefused("name-taken", f"{quoted(name)} is taken by another node")
    new = Worker(number, name, -1, workers.label.replace("{word}", NUMBERS[number]))
    plan = Plan(subject, contract, workers, before, [*before, new], new=new, text=label)
    return _carried_out(plan, contract.operations.get("add-worker", ()), name)


def remove_worker(subject: Subject, *, worker: str = "") -> Change:
    """The last worker or the one named, out with its label and its flows; the others keep their names."""
    before = roster(subject)
    contract = subject.agreed()
    workers = contract.workers
    assert workers is not None, "a roster has workers"
    gone = next((each for each in before if each.name == worker), None) if worker else before[-1]
    if gone is None:
        known = ", ".join(each.name for each in before)
        raise EditRefused("no-worker", f"there is no worker {quoted(worker)}", nearest=f"the workers are {known}")
    if len(before) <= workers.least:
        raise EditRefused(
            "last-worker", f"{quoted(gone.name)} is the only worker left", invariant="a figure keeps a worker"
        )
    after = [each for each in before if each is not gone]
    plan = Plan(subject, contract, workers, before, after, gone=gone)
    change = _carried_out(plan, contract.operations.get("remove-worker", ()), gone.name)
    # a flow that half of the workers had is one that most of the others have: nobody took it from the rest
    change.tolerated.add("TG215")
    if use := left_over(plan):
        where = line_of(subject.facts, use.span.start)
        raise EditRefused(
            "used-elsewhere", f"{quoted(gone.name)} is used elsewhere ({where})", nearest="take that out first"
        )
    return change


def _carried_out(plan: Plan, actions: tuple[Action, ...], name: str) -> Change:
    if not actions:
        raise EditRefused("no-contract", "the contract does not say how")
    no_loop_makes(plan.facts, {worker.name for worker in plan.before}, "names of workers")
    for action in actions:
        ACTIONS[action](plan)
    plan.change.touched.add(name)
    return plan.change
