"""Rules on space-time diagrams: replies, failed leaders, and impossible diagrams.

TG123, TG124, TG125.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from tikzgen.base.errors import Place, quote
from tikzgen.lint.check_figure import DescribedPart, Impossible
from tikzgen.lint.registry import Broken, rule
from tikzgen.model.exact_fields import spell_time
from tikzgen.model.spacetime import SpaceTime


class DrawnDiagram(DescribedPart):
    """A space-time diagram in a description."""

    diagram: SpaceTime


@rule("TG123", "no reply is sent before its request arrives")
def _early_reply(subject: DrawnDiagram) -> Iterator[Broken]:
    """Find replies that neither a request of their target nor one of a third lifeline can have caused.

    Diagrams of recipes are skipped, because recipes run their protocols. A restarted node may report without a
    request.
    """
    if subject.path is None:
        return
    requests: dict[tuple[str, str], list[Fraction]] = defaultdict(list)
    replies: dict[tuple[str, str], list[tuple[Fraction, int]]] = defaultdict(list)
    for index, message in enumerate(subject.diagram.messages):
        for target, arrival in message.arrivals.items():
            if message.reply:
                replies[message.source, target].append((message.sent, index))
            elif target not in message.unreached_targets:
                requests[target, message.source].append(arrival)
    names = subject.diagram.names()
    alternatives = any(region.cases for region in subject.diagram.regions)
    for pair, sent in sorted(replies.items()):
        arrived = sorted(requests[pair])
        others = sorted(
            time
            for (source, target), times in requests.items()
            if source == pair[0] and target != pair[1]
            for time in times
        )
        for turn, (time, index) in enumerate(sorted(sent)):
            if not arrived or (others and others[0] <= time):
                continue
            # the k-th request causes the k-th reply, unless one request has several replies
            request = arrived[0] if alternatives or len(sent) > len(arrived) else arrived[turn]
            if time < request:
                sent_at, arrives_at = spell_time(time), spell_time(request)
                problem = (
                    f"reply {quote(names[index])} is sent at {sent_at}, before its request arrives at {arrives_at}"
                )
                yield Broken(subject.place_of("messages", index), problem, f"use sent: {arrives_at} or later")


_LEADS = re.compile(
    r"\b(leader|leads|leading|primary|master|candidate|active|alive|running)\b|领导|主节点|主库", re.IGNORECASE
)
_NEGATION = re.compile(r"\b(no|not|never|was|former|old|ex|until|lost)\b|非|原|前", re.IGNORECASE)


@rule("TG124", "no lifeline ends as leader after it has failed")
def _failed_leader(subject: DrawnDiagram) -> Iterator[Broken]:
    for index, line in enumerate(subject.diagram.lifelines):
        foot = str(line.foot)
        if line.crash is None or line.restart is not None:
            continue
        if _LEADS.search(foot) and not _NEGATION.search(foot):
            message = f"{quote(line.id)} has failed at {spell_time(line.crash)}, but ends as {quote(foot)}"
            yield Broken(subject.place_of("lifelines", index, "foot"), message, "remove the foot, or state a restart")


@rule("TG125", "timelines and space-time diagrams show possible runs")
def _impossible(subject: Impossible) -> Iterator[Broken]:
    for problem in subject.problems:
        message = f"{problem.path}: {problem.message}" if problem.path else problem.message
        yield Broken(problem.place or Place(""), message, problem.hint)
