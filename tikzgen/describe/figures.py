"""A whole figure in sentences: its subject, then its panels, in as much detail as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tikzgen.base.record import replace
from tikzgen.describe import About
from tikzgen.describe.english import Known, Sentence, counted, cut, fitted, joined, listed
from tikzgen.describe.parts import spacetime, timeline, topology
from tikzgen.describe.protocols import PROTOCOL_GISTS
from tikzgen.describe.speech import spoken
from tikzgen.describe.systems import SYSTEM_GISTS
from tikzgen.model.figure import Options
from tikzgen.recipe.shared_facts import TITLES

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure, Panel, Recipe
    from tikzgen.recipe.data_parallel import DataParallel
    from tikzgen.recipe.ddp import Ddp
    from tikzgen.recipe.fsdp import Fsdp
    from tikzgen.recipe.gradient_accumulation import GradientAccumulation
    from tikzgen.recipe.local_sgd import LocalSgd
    from tikzgen.recipe.measured_trace import Trace
    from tikzgen.recipe.parameter_server import ParameterServer
    from tikzgen.recipe.pipeline import Pipeline
    from tikzgen.recipe.recovery import Recovery
    from tikzgen.recipe.ring_all_reduce import RingAllReduce
    from tikzgen.recipe.rollouts import Rollouts
    from tikzgen.recipe.serving import Serving
    from tikzgen.recipe.shared_facts import Crowd
    from tikzgen.recipe.stale_synchronous import StaleSynchronous


def gist(recipe: Recipe | None) -> str:
    """The subject of a recipe's figure, without a full stop; empty for a figure that was said part by part."""
    name = getattr(recipe, "recipe", "")
    return _GISTS[name](recipe) if name in _GISTS else ""


def _workers(workers: Crowd) -> str:
    drawn = f" ({len(workers.drawn)} drawn)" if workers.hidden else ""
    return counted(workers.count, "worker") + drawn


def _data_parallel(recipe: DataParallel) -> str:
    return f"Data-parallel training: {_workers(recipe.workers)} and a parameter server"


def _parameter_server(recipe: ParameterServer) -> str:
    modes = joined(recipe.modes).capitalize()
    return f"{modes} updates of a parameter server by {_workers(recipe.workers)}: who talks to whom, and when"


def _gradient_accumulation(recipe: GradientAccumulation) -> str:
    devices = counted(recipe.devices or len(recipe.steps[0]), "device")
    after = ["every micro-step" if many == 1 else f"every {many} accumulated micro-steps" for many in recipe.accumulate]
    return f"Gradient accumulation on {devices}, with an update after {listed(after)}"


def _trace(recipe: Trace) -> str:
    reading, model = recipe.scaled(), recipe.model()
    notes = [*reading.notes, *recipe.braced(), *([model.told(recipe.spelt_unit)] if model else [])]
    return f"{_run(recipe)} ({'; '.join(notes)})"


def _run(recipe: Any) -> str:
    """The subject, without all that was done to it."""
    return f"Measured timeline of {counted(len(recipe.read().ranks), 'rank')}"


def _pipeline(recipe: Pipeline) -> str:
    what = [TITLES[name] for name in recipe.schedule or ["1f1b"]]
    if recipe.operations is not None:
        order = f" in the order of {what[0]}" if recipe.schedule else ""
        return f"Pipeline schedule of {counted(len(recipe.operations), 'device')} with given operations{order}"
    head = f"Pipeline schedule{'s' if len(what) > 1 else ''} {listed(what, 10)}"
    work = f"{counted(recipe.devices, 'device')} and {counted(recipe.microbatches, 'microbatch')}"
    return f"{head} with {work}"


def _ddp(recipe: Ddp) -> str:
    overlap = joined("during" if each else "after" for each in recipe.overlap)
    buckets = counted(len(recipe.buckets), "gradient bucket")
    step = f"a data-parallel step (DDP) of {counted(recipe.workers, 'worker')}"
    return f"{step[0].upper()}{step[1:]}: {buckets} reduced {overlap} the backward"


def _fsdp(recipe: Fsdp) -> str:
    ahead = joined(map(str, recipe.prefetch))
    sharded = f"Sharded data parallelism (FSDP) with {counted(recipe.layers, 'layer')}"
    return f"{sharded} on {counted(recipe.workers, 'worker')}, all-gathers prefetched {ahead} layers ahead"


def _ring(recipe: RingAllReduce) -> str:
    return f"Ring all-reduce over {counted(recipe.ranks, 'rank')} in {counted(2 * (recipe.ranks - 1), 'step')}"


def _local_sgd(recipe: LocalSgd) -> str:
    between = joined("every step" if steps == 1 else f"every {steps} steps" for steps in recipe.local_steps)
    return f"Local SGD of {counted(recipe.workers, 'worker')}: {counted(recipe.steps, 'step')}, averages {between}"


def _stale(recipe: StaleSynchronous) -> str:
    kinds = [
        "asynchronous" if each is None else f"at most {each} ahead" if each else "synchronous" for each in recipe.bound
    ]
    return f"{counted(recipe.workers, 'worker')} at a parameter server: {joined(kinds)}"


def _serving(recipe: Serving) -> str:
    policies = joined(recipe.labels.names.get(policy, policy) for policy in recipe.policy)
    return f"{counted(len(recipe.requests), 'request')} served by a language model: {policies}"


def _rollouts(recipe: Rollouts) -> str:
    kinds = [
        "asynchronous" if each is None else f"at most {each} behind" if each else "synchronous" for each in recipe.bound
    ]
    pool = f"{counted(recipe.generators, 'generator')} and a trainer of {counted(recipe.steps, 'step')}"
    return f"Reinforcement learning with {pool}: {joined(kinds)}"


def _recovery(recipe: Recovery) -> str:
    means = joined(recipe.labels.names.get(each, each) for each in recipe.means)
    work = f"{counted(recipe.steps, 'step')} of {counted(recipe.workers, 'worker')}"
    return f"{work} through {counted(len(recipe.failures), 'failure')}, with {means}"


_GISTS: Mapping[str, Callable[[Any], str]] = {
    "data-parallel": _data_parallel,
    "trace": _trace,
    "parameter-server": _parameter_server,
    "gradient-accumulation": _gradient_accumulation,
    "pipeline": _pipeline,
    "ddp": _ddp,
    "fsdp": _fsdp,
    "ring-all-reduce": _ring,
    "local-sgd": _local_sgd,
    "stale-synchronous": _stale,
    "serving": _serving,
    "rollouts": _rollouts,
    "recovery": _recovery,
    **PROTOCOL_GISTS,
    **SYSTEM_GISTS,
}


_TITLE = 160  # characters
_OURS = "en"  # the language of what is told from a figure's parts


def about(figure: Figure) -> About:
    """Title and description of a figure: what its author wrote (`meta`), else what its parts tell. The same each time.

    >>> from tikzgen import recipes
    >>> about(recipes.data_parallel(workers=2)).description.partition(". ")[0]
    'Data-parallel training: 2 workers and a parameter server'
    """
    origin = figure.origin  # asked once: it compares all parts of the figure with what the recipe said
    origin = None if origin is not None and origin.changed_parts else origin
    language = figure.language or ""
    ours = not figure.meta.description.strip() and language.partition("-")[0].lower() not in ("", _OURS)
    return About(_titled(figure, origin), _described(figure, origin), language, _OURS if ours else "")


def _titled(figure: Figure, origin: Recipe | None) -> str:
    """The author's name for the figure, else its title, its only caption, its subject, its id if it has one."""
    caption = figure.panels[0].caption if len(figure.panels) == 1 else ""
    subject = _run(origin) if getattr(origin, "recipe", "") == "trace" else gist(origin)
    named = figure.meta.name or spoken(figure.title) or spoken(caption) or subject
    return cut(" ".join(named.split()) or _named(figure.id), _TITLE)


def _named(identifier: str) -> str:
    return "" if identifier == Options.model_fields["id"].default else identifier.replace("-", " ")


def _described(figure: Figure, origin: Recipe | None) -> str:
    """The author's description, else one made of the parts."""
    if figure.meta.description.strip():
        return " ".join(figure.meta.description.split())
    subject = gist(origin)
    known = _measured(origin, subject)
    captions = [spoken(panel.caption) for panel in figure.panels]
    # a caption that tells a share tells this one
    panels = [
        list(_panel(panel, figure, known.get(panel.id, Known(subject=subject)), told="%" in caption))
        for panel, caption in zip(figure.panels, captions, strict=True)
    ]
    return fitted(lambda detail: [*_told(subject, panels, captions, detail), *_links(figure, detail)])


def _measured(origin: Recipe | None, subject: str) -> dict[str, Known]:
    """What is known of each panel whose schedule was computed."""
    found = {plan.panel: plan.costs() for plan in origin.plans()} if origin is not None else {}
    return {
        panel: Known(each.makespan, each.bubble_over_total if each.busy else None, subject)
        for panel, each in found.items()
    }


_SENTENCES: Mapping[str, Callable[[Any, Figure, Known], Iterator[Sentence]]] = {
    "topology": topology,
    "timeline": timeline,
    "spacetime": spacetime,
}
"""What tells each kind of part, by the kind's name."""


def _panel(panel: Panel, figure: Figure, known: Known, *, told: bool) -> Iterator[Sentence]:
    """The sentences of a panel; `told` where its caption says the share of idle time already."""
    for content in panel.content:
        yield from _SENTENCES[content.type](content, figure, replace(known, idle=None) if told else known)


def _told(subject: str, panels: Sequence[Sequence[Sentence]], captions: Sequence[str], detail: int) -> Iterator[str]:
    yield subject
    if len(panels) == 1:
        if captions[0] and (detail or not subject):
            yield captions[0]
        yield from (one.text for one in panels[0] if one.rank <= detail)
        return
    told = [[one.inside for one in panel if one.rank < detail] for panel in panels]
    alike = [text for text in told[0] if all(text in other for other in told[1:])]
    named = [caption or f"Panel {place}" for place, caption in enumerate(captions, 1)]
    if detail == 0:
        yield f"{counted(len(panels), 'panel')}: {listed(named, 12)}"
    else:
        yield counted(len(panels), "panel") + (f", each: {'; '.join(alike)}" if alike else "")
    for name, texts in zip(named, told, strict=True) if detail else ():
        own = [text for text in texts if text not in alike]
        yield f"{name}: {'; '.join(own)}" if own else name


def _links(figure: Figure, detail: int) -> Iterator[str]:
    if figure.links and detail > 1:
        yield "Dotted links join what belongs together in different parts"
