"""Data-parallel families, told to a second simulator from their papers' rules, begin when tikzgen's says."""

from __future__ import annotations

from fractions import Fraction
from heapq import heappop, heappush

from second_simulator import Second, chances, some_time

from tikzgen.schedule import (
    Schedule,
    data_parallel,
    ddp,
    fsdp,
    local_sgd,
    parameter_server,
    ring_all_reduce,
)

CASES = 3000


def happened(schedule: Schedule) -> list[tuple[str, int, Fraction, Fraction, int]]:
    """Every operation on every lane: its kind, its number, when it begins and ends, on which device."""
    return sorted(
        (operation.kind, operation.number, schedule.start(index), schedule.end(index), lane.device)
        for index, operation in enumerate(schedule.program.operations)
        for lane in operation.lanes
        if operation.duration
    )


def told(second: Second) -> list[tuple[str, int, Fraction, Fraction, int]]:
    """The same of what the second one ran: names are kind, number and more, lanes a stream and a device."""
    begun = second.run()
    return sorted(
        (name[0], name[1], begun[name], begun[name] + second.lasts[name], lane[1])  # type: ignore[index]
        for lane, own in second.lanes.items()
        for name in own
        if second.lasts[name]
    )


def test_accumulation() -> None:
    for chance in chances("data-parallel", CASES):
        workers, steps, micro = chance.randint(1, 4), chance.randint(1, 3), chance.randint(1, 3)
        forward, backward = ([some_time(chance) for _ in range(workers)] for _ in range(2))
        reduce, update = some_time(chance, none=True), some_time(chance, none=True)
        no_sync = chance.random() < 0.5
        second = Second()
        synced: list[object] = []
        for k in range(steps * micro):
            for w in range(workers):
                second.add(("forward", k, w), forward[w], ("gpu", w), after=list(synced))
                second.add(("backward", k, w), backward[w], ("gpu", w), after=[("forward", k, w)])
            everyone = [("backward", k, w) for w in range(workers)]
            last = (k + 1) % micro == 0
            if last or not no_sync:
                second.add(("all-reduce", k), reduce, *(("link", w) for w in range(workers)), after=everyone)
                synced = [("all-reduce", k)]
                if last:
                    name = ("update", k // micro)
                    second.add(name, update, *(("gpu", w) for w in range(workers)), after=synced)
                    synced = [name]
        run = data_parallel(
            *(workers, steps), micro_steps=micro, no_sync=no_sync, forward=forward, backward=backward,
            all_reduce=reduce, update=update,
        )  # fmt: skip
        assert happened(run) == told(second)


def test_ddp() -> None:
    for chance in chances("ddp", CASES):
        workers, count = chance.randint(1, 4), chance.randint(1, 6)
        forward = [some_time(chance, none=True) for _ in range(workers)]
        buckets, reduces = ([some_time(chance) for _ in range(count)] for _ in range(2))
        update, overlap = some_time(chance, none=True), chance.random() < 0.7
        second = Second()
        for w in range(workers):
            second.add(("forward", 0, w), forward[w], ("gpu", w), after=[])
            for i, time in enumerate(buckets):
                second.add(("backward", i, w), time, ("gpu", w), after=[])
        for i, time in enumerate(reduces):
            ready = i if overlap else count - 1
            everyone = [("backward", ready, w) for w in range(workers)]
            second.add(("all-reduce", i), time, *(("link", w) for w in range(workers)), after=everyone)
        after: list[object] = [("all-reduce", i) for i in range(count)]
        second.add(("update", 0), update, *(("gpu", w) for w in range(workers)), after=after)
        run = ddp(workers, buckets=buckets, all_reduce=reduces, forward=forward, update=update, overlap=overlap)
        assert happened(run) == told(second)


def test_fsdp() -> None:
    for chance in chances("fsdp", CASES):
        layers, ahead, resharded = chance.randint(1, 5), chance.randint(0, 3), chance.random() < 0.5
        gather, forward, backward = ([some_time(chance) for _ in range(layers)] for _ in range(3))
        scatter = [some_time(chance)] * layers if chance.random() < 0.5 else [Fraction(0)] * layers
        back = chance.random() < 0.7
        way = [("forward", i) for i in range(layers)] + [("backward", i) for i in reversed(range(layers))] * back
        second = Second()
        asked: set[int] = set()
        blocked = False
        for at, (kind, layer) in enumerate(way):
            for wanted in range(min(at + ahead + 1, len(way))):
                # what is wanted is gathered at the latest `ahead` steps before; parameters in use are not gathered
                direction, which = way[wanted]
                since = wanted - 1 - ahead
                if direction == "backward":
                    since = max(since, which)
                if wanted in asked or since >= at or blocked:
                    continue
                if wanted and wanted - 1 not in asked:
                    break
                asked.add(wanted)
                if not (direction == "backward" and which == layers - 1 and not resharded):
                    after = [way[since]] if since >= 0 else []
                    second.add(("all-gather", which, direction), gather[which], ("link", 0), after=after)
            own = ("all-gather", layer, kind)
            if own not in second.lasts:
                own = ("all-gather", layer, "forward")
            second.add((kind, layer), (forward if kind == "forward" else backward)[layer], ("gpu", 0), after=[own])
            if kind == "backward":
                second.add(("reduce-scatter", layer), scatter[layer], ("link", 0), after=[(kind, layer)])
        run = fsdp(
            1, layers, gather=gather, forward=forward, backward=backward if back else None, reduce_scatter=scatter,
            prefetch=ahead, reshard_last=resharded,
        )  # fmt: skip
        assert happened(run) == told(second)


def test_rings() -> None:
    for chance in chances("ring", CASES // 10):
        ranks, size, speed, latency = chance.randint(1, 7), some_time(chance), some_time(chance), some_time(chance)
        time = latency + size / (ranks * speed)
        # messages with the sums that they carry, from rank to rank, until every rank has every whole sum
        sums = [{chunk: {rank} for chunk in range(ranks)} for rank in range(ranks)]
        ready = [(Fraction(0), rank, rank) for rank in range(ranks)]  # when a rank may send which chunk
        sent = []
        count = [0] * ranks
        while ready:
            now, rank, chunk = heappop(ready)
            if count[rank] == 2 * (ranks - 1):
                continue
            kind = "reduce-scatter" if len(sums[rank][chunk]) < ranks else "all-gather"
            sent.append((kind, chunk, now, now + time, rank))
            count[rank] += 1
            other = (rank + 1) % ranks
            sums[other][chunk] = sums[other][chunk] | sums[rank][chunk]
            heappush(ready, (now + time, other, chunk))
        assert all(len(parts) == ranks for own in sums for parts in own.values())
        assert happened(ring_all_reduce(ranks, size=size, bandwidth=speed, latency=latency)) == sorted(sent)


def test_local_sgd() -> None:
    for chance in chances("local-sgd", CASES):
        workers, steps, local = chance.randint(1, 4), chance.randint(1, 8), chance.randint(1, 5)
        times, average = [some_time(chance) for _ in range(workers)], some_time(chance)
        clocks = [Fraction(0)] * workers
        expected, rounds = [], 0
        for step in range(steps):
            for w in range(workers):
                expected.append(("step", step, clocks[w], clocks[w] + times[w], w))
                clocks[w] += times[w]
            if (step + 1) % local == 0 or step == steps - 1:
                begin = max(clocks)
                expected += [("average", rounds, begin, begin + average, w) for w in range(workers)]
                clocks, rounds = [begin + average] * workers, rounds + 1
        assert happened(local_sgd(workers, steps, local, step=times, average=average)) == sorted(expected)


def served(
    compute: list[list[Fraction]],
    fetch: list[Fraction],
    push: list[Fraction],
    update: Fraction,
    clocks: int,
    bound: int | None,
) -> list[tuple[str, int, Fraction, Fraction, int]]:
    """Workers and a server, event by event: whoever has pushed waits in line; who is too far ahead waits for others."""
    workers = len(compute)
    done, begun = [0] * workers, [0] * workers
    told: list[tuple[str, int, Fraction, Fraction, int]] = []
    events: list[tuple[Fraction, int, int]] = []  # a moment; a push (0, 1) or an update that ends (2); its worker
    line: list[tuple[Fraction, int, int]] = []
    server = Fraction(0)

    def begin(now: Fraction) -> None:
        for w in range(workers):
            free = begun[w] == done[w] < clocks
            if free and (bound is None or done[w] - min(done) <= bound):
                clock, at = done[w], now
                begun[w] += 1
                parts = ("fetch", fetch[w]), ("compute", compute[w][clock % len(compute[w])]), ("push", push[w])
                for kind, time in parts:
                    if time:
                        told.append((kind, clock, at, at + time, w))
                    at += time
                heappush(events, (at, 1, w))

    begin(server)
    while events:
        now = events[0][0]
        while events and events[0][0] == now:
            _, what, w = heappop(events)
            if what == 1:
                heappush(line, (now, w, done[w]))
            else:
                done[w] += 1
        begin(now)
        while line and server <= now and not (events and events[0][0] == now):
            _, w, clock = heappop(line)
            server = now + update
            if update:
                told += [("update", clock, now, server, device) for device in (w, -1)]
            heappush(events, (server, 2, w))
    return sorted(told)


def test_servers() -> None:
    for chance in chances("server", CASES):
        workers, clocks = chance.randint(1, 4), chance.randint(1, 5)
        compute = [[some_time(chance) for _ in range(chance.choice((1, 2)))] for _ in range(workers)]
        fetch, push = ([some_time(chance, 2, none=True) for _ in range(workers)] for _ in range(2))
        update = some_time(chance, 2, none=True)
        bound = chance.choice((None, 0, 1, 2))
        run = parameter_server(compute, bound=bound, fetch=fetch, push=push, update=update, clocks=clocks)
        assert happened(run.schedule) == served(compute, fetch, push, update, clocks, bound)


def test_joint_updates() -> None:
    for chance in chances("joint", CASES):
        workers, clocks = chance.randint(1, 4), chance.randint(1, 5)
        compute, update = [some_time(chance) for _ in range(workers)], some_time(chance)
        now, expected = Fraction(0), []
        for clock in range(clocks):
            expected += [("compute", clock, now, now + time, w) for w, time in enumerate(compute)]
            now += max(compute)
            expected += [("update", clock, now, now + update, w) for w in range(-1, workers)]
            now += update
        assert happened(parameter_server(compute, joint=True, update=update, clocks=clocks).schedule) == sorted(
            expected
        )


def test_stale_clocks_until_a_moment() -> None:
    for chance in chances("stale", CASES):
        workers, bound, until = chance.randint(1, 4), chance.choice((None, 0, 1, 3)), chance.randint(5, 30)
        compute = [some_time(chance) for _ in range(workers)]
        # by the rule alone, in the smallest common steps: who may begin begins, who is through counts
        step = Fraction(1, 12)
        done, left, waits = [0] * workers, [Fraction(0)] * workers, [Fraction(0)] * workers
        now = Fraction(0)
        while now < until:
            for w in range(workers):
                if not left[w] and (bound is None or done[w] - min(done) <= bound):
                    left[w] = compute[w]
            for w in range(workers):
                waits[w] += 0 if left[w] else step
            now += step
            for w in range(workers):
                if left[w]:
                    left[w] -= step
                    done[w] += not left[w]
        run = parameter_server([[time] for time in compute], bound=bound, until=until)
        assert (run.clocks, run.blocked) == (tuple(done), tuple(waits))
