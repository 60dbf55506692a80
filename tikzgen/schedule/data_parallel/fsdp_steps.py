"""FSDP (ZeRO-3): each layer's parameters are gathered before it computes, the next layer's while it computes."""

from __future__ import annotations

from tikzgen.schedule.exact import bearable, exacts, whole
from tikzgen.schedule.operation import COMMUNICATION, Builder, Lane
from tikzgen.schedule.pipeline.costs import Times
from tikzgen.schedule.simulate import Schedule, simulate

__all__ = ["fsdp"]


def fsdp(
    workers: int,
    layers: int,
    *,
    gather: Times = 1,
    forward: Times = 2,
    backward: Times | None = None,
    reduce_scatter: Times = 0,
    prefetch: int = 1,
    reshard_last: bool = False,
) -> Schedule:
    """The forward through `layers` layers; where `backward` is given, also the way back with its reduce-scatters.

    All times are by layer. `prefetch` says how many layers may be gathered before the one that computes is done: with
    0 a gather waits for the layer before, so that nothing overlaps. A layer's parameters are freed after its forward,
    and gathered again on the way back, after that; the last layer, which is needed again at once, keeps them unless
    `reshard_last` (as PyTorch's torchtitan does).
    """
    bearable(2 * whole(workers, "workers") * whole(layers, "layers"))
    compute = [Lane(worker) for worker in range(workers)]
    links = [Lane(worker, COMMUNICATION) for worker in range(workers)]
    whole(prefetch, "prefetch", 0)
    g = exacts(gather, layers, "gather", one="layer")
    r = exacts(reduce_scatter, layers, "reduce_scatter", one="layer")
    visits = [("forward", layer, time) for layer, time in enumerate(exacts(forward, layers, "forward", one="layer"))]
    if backward is not None:
        back = exacts(backward, layers, "backward", one="layer")
        visits += [("backward", layer, back[layer]) for layer in reversed(range(layers))]
    builder = Builder()
    computed: list[list[int]] = []
    gathered: list[int] = []

    def fetch(visit: int) -> None:
        kind, layer, _ = visits[visit]
        if kind == "backward" and layer == layers - 1 and not reshard_last:
            gathered.append(gathered[layer])
            return
        before = visit - 1 - prefetch
        if kind == "backward":
            before = max(before, layer)  # what its forward still uses is not gathered again
        if before < len(computed):
            needs = computed[before] if before >= 0 else []
            gathered.append(
                builder.add("all-gather", links, g[layer], needs, name=f"gather {layer} ({kind})", number=layer)
            )

    for visit, (kind, layer, time) in enumerate(visits):
        for ahead in range(len(gathered), min(visit + prefetch + 1, len(visits))):
            if ahead == len(gathered):
                fetch(ahead)
        computed.append(
            [
                builder.add(kind, lane, time, [gathered[visit]], name=f"worker {w}: {kind} {layer}", number=layer)
                for w, lane in enumerate(compute)
            ]
        )
        if kind == "backward" and r[layer]:
            builder.add("reduce-scatter", links, r[layer], computed[-1], name=f"reduce-scatter {layer}", number=layer)
    return simulate(builder.program())
