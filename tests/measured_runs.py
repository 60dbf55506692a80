"""Traces of runs whose truth is known: `write_run` writes the files and returns what each measure must be.

A run is a list of operations with exact times. From it come kernels, sends, receives, all-reduces, launches that run
ahead of the device, annotations on threads and their shadows on streams, steps that ranks begin at different times,
process groups, and clocks that are wrong. All times are integers of ns.

The files follow PyTorch's writer. A shadow (`gpu_user_annotation`) spans only the kernels whose innermost annotation it
is, per stream, 1 ns longer at both ends. Another thread, without an annotation, launches backward kernels. Events are
in no order, and correlations begin at 1 in each process. Forms: `kineto`, `pairs` (B/E for X), `merged` (one file, pids
`[TP00-DP01-PP02] 0`) and `devices` (one process with many GPUs). `special` adds overlaps on a stream, instants and
copies, which pairs cannot state.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

T0 = 3_743_000_000 * 10**6 + 1767189312 * 10**9
"""Begin of the runs, in ns since 1970."""
FIRST_STEP = 10
"""Number of the first step in the annotations."""
MEASURES = (
    *("events", "sum", "extent", "busy", "idle", "compute"),
    *("communication", "exposed", "overlapped"),
)

__all__ = ["write_run"]

US, MS = 1_000, 1_000_000
COMPUTE, SEND, RECV, REDUCE = 7, 20, 21, 30  # streams
KERNELS = [
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
    "void flash::flash_fwd_kernel<Traits<128> >",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >",
]


# ---- the run in true time ------------------------------------------------------------------------------------------


def ranks_of(opt):
    """(stage, replica) -> rank."""
    by_layout = (lambda s, d: s * opt.dp + d) if opt.layout == "pp-dp" else (lambda s, d: d * opt.pp + s)
    return {(s, d): by_layout(s, d) for s in range(opt.pp) for d in range(opt.dp)}


def order_of(opt, stage):
    p, m = opt.pp, opt.mb
    if opt.schedule == "gpipe":
        return [("F", i) for i in range(m)] + [("B", i) for i in range(m)]
    ahead = min(m, p - 1 - stage)
    order = [("F", i) for i in range(ahead)]
    for i in range(m):
        order += ([("F", ahead + i)] if ahead + i < m else []) + [("B", i)]
    return order


SEND_NS = 300 * US
SPECIAL = (
    ("compute", "void zero_kernel<1>()", 700 * US, 700 * US),
    ("memcpy", "Memcpy DtoH (Device -> Pinned)", 701 * US, 703 * US),
)
"""Device work after a step, in ns from its end: class, name, begin and end."""


def run_of(ops, opt, rnd):
    """Kernels of the run: rank, step, stream, class, name, start, end, op (index or None), thread, group, seq."""
    rank_at = ranks_of(opt)
    place = {r: key for key, r in rank_at.items()}
    kernels = []
    by_op = {(o["rank"], o["step"], o["kind"], o["mb"]): (n, o) for n, o in enumerate(ops)}
    special = opt.form != "pairs" and opt.special == "yes"  # B/E cannot say overlaps of a stream

    def add(o, step, stream, cls, name, start, end, op=None, thread="main", inner=None, **more):
        kernels.append(
            dict(
                rank=o,
                step=step,
                stream=stream,
                cls=cls,
                name=name,
                start=start,
                end=end,
                op=op,
                thread=thread,
                inner=inner,
                **more,
            )
        )

    for n, o in enumerate(ops):
        a, b, r, s = o["start"], o["end"], o["rank"], o["step"]
        cuts = sorted({a, b, *(rnd.randrange(a + 10, b - 10) for _ in range(rnd.randrange(2, 5)))})
        for j, (x, y) in enumerate(pairwise(cuts)):
            last = y == b
            if not last and rnd.random() < 0.3 and y - x > 9 * US:
                y -= rnd.randrange(1, 8) * US  # the device waits for a launch: idle inside
            elif special and not last and j == 0 and o["mb"] == 0:
                y += 1_500  # the next kernel of the stream starts before the end
            inner = "attn" if o["kind"] == "F" and j == 1 and not last else None
            add(
                r,
                s,
                COMPUTE,
                "gemm" if j % 3 == 0 else "attention" if j % 3 == 1 else "compute",
                KERNELS[j % 3],
                x,
                y,
                n,
                "autograd" if o["kind"] == "B" and not last else "main",
                inner,
            )
    received = {}
    for n, o in sorted(enumerate(ops), key=lambda each: each[1]["end"]):
        s, d = place[o["rank"]]
        to = {"F": s + 1, "B": s - 1}.get(o["kind"], -1)  # W and others send nothing
        if not 0 <= to < opt.pp:
            continue
        peer = rank_at[to, d]
        add(
            o["rank"],
            o["step"],
            SEND,
            "communication",
            "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
            o["end"],
            o["end"] + SEND_NS,
            n,
            inner="nccl:send",
            group=("pp", d),
            coll="send",
            src=o["rank"],
            dst=peer,
        )
        number, target = by_op[peer, o["step"], o["kind"], o["mb"]]
        arrives = o["end"] + SEND_NS
        before = [p["end"] for p in ops if p["rank"] == peer and p["step"] == o["step"] and p["end"] <= target["start"]]
        begin = max(
            [
                *before,
                received.get(peer, 0),
                min(p["start"] for p in ops if p["rank"] == peer and p["step"] == o["step"]),
            ]
        )
        begin = begin if begin < arrives - 2 * US else max(received.get(peer, 0), arrives - 100 * US)
        if begin < arrives:
            add(
                peer,
                o["step"],
                RECV,
                "communication",
                "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
                begin,
                arrives,
                number,
                inner="nccl:recv",
                group=("pp", d),
                coll="recv",
                src=o["rank"],
                dst=peer,
            )
            received[peer] = arrives
    seq = {}
    for step in range(1 + max(o["step"] for o in ops)):
        over = {}
        for s in range(opt.pp):
            group = [rank_at[s, d] for d in range(opt.dp)]
            lasts = {
                r: max((o for o in ops if o["rank"] == r and o["step"] == step), key=lambda o: o["end"]) for r in group
            }
            index = {r: next(n for n, o in enumerate(ops) if o is lasts[r]) for r in group}
            done = dict.fromkeys(group, 0)
            for bucket in range(2 if opt.dp > 1 else 0):
                ready = {
                    r: max(
                        done[r], o["start"] + (o["end"] - o["start"]) * 3 // 5 if bucket == 0 else o["end"] + 20 * US
                    )
                    for r, o in lasts.items()
                }
                end = max(ready.values()) + (900 * US, 700 * US)[bucket]
                key = ("dp", s)
                seq[key] = seq.get(key, 0) + 1
                for r in group:
                    add(
                        r,
                        step,
                        REDUCE,
                        "communication",
                        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                        ready[r],
                        end,
                        index[r] if bucket == 0 else None,
                        "autograd" if bucket == 0 else "main",
                        group=key,
                        coll="allreduce",
                        seq=seq[key],
                    )
                    done[r] = end
            over.update({r: max(done[r], lasts[r]["end"]) for r in group})
        seq["world", 0] = seq.get(("world", 0), 0) + 1
        for r, ready in over.items():  # the norm of all gradients: all ranks end at once
            end = (max(over.values()) if opt.barrier == "yes" else ready) + 150 * US
            if opt.barrier == "yes":
                add(
                    r,
                    step,
                    REDUCE,
                    "communication",
                    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                    ready + 10 * US,
                    end,
                    group=("world", 0),
                    coll="allreduce",
                    seq=seq["world", 0],
                )
            add(
                r,
                step,
                COMPUTE,
                "compute",
                "void clip_gradients<float>(float*)",
                end + 5 * US,
                end + 25 * US + rnd.randrange(999),
            )
            add(
                r,
                step,
                COMPUTE,
                "compute",
                "void multi_tensor_apply_kernel<Adam>()",
                end + 40 * US,
                end + 640 * US + r * 31 * US,
                inner="Optimizer.step#AdamW.step",
            )
            own_end = end + r * 31 * US
            for role, name, begin, stop in SPECIAL if special else ():
                add(r, step, COMPUTE, role, name, own_end + begin, own_end + stop)
    return kernels


def settled(opt, rnd):
    """Operations and kernels such that no step begins before the one before has ended on the rank's device."""
    if opt.ops:
        ops = opt.ops
        opt.steps = 1 + max(o["step"] for o in ops)
        return ops, run_of(ops, opt, rnd)
    whole, shift = [], {}
    for step in range(opt.steps):  # one step at a time, each moved to its rank's own begin
        one = argparse.Namespace(**{**vars(opt), "steps": 1})
        ops = scheduled_from(one, rnd, step, shift)
        whole += ops
        kernels = run_of([{**o, "step": 0} for o in ops], one, random.Random(opt.seed * 1009 + step))
        for r in {o["rank"] for o in ops}:
            shift[r] = max(k["end"] for k in kernels if k["rank"] == r) + 200 * US + rnd.randrange(2 * MS)
    kernels = []
    for step in range(opt.steps):
        mine = [(n, o) for n, o in enumerate(whole) if o["step"] == step]
        for k in run_of([{**o, "step": 0} for _, o in mine], opt, random.Random(opt.seed * 1009 + step)):
            k["step"], k["op"] = step, None if k["op"] is None else mine[k["op"]][0]
            if "seq" in k:
                k["seq"] += step * (2 if k["group"][0] == "dp" else 1)
            kernels.append(k)
    return whole, kernels


def scheduled_from(opt, rnd, step, begins):
    """One step's operations, where each rank begins when its own last step has ended."""
    rank, ops = ranks_of(opt), []
    for d in range(opt.dp):
        now = {s: begins.get(rank[s, d], 5 * MS + rnd.randrange(2 * MS)) for s in range(opt.pp)}
        orders, ended, at = {s: order_of(opt, s) for s in range(opt.pp)}, {}, dict.fromkeys(range(opt.pp), 0)
        while any(at[s] < len(orders[s]) for s in orders):
            for s in orders:
                while at[s] < len(orders[s]):
                    kind, i = orders[s][at[s]]
                    need = ("F", s - 1, i) if kind == "F" else ("B", s + 1, i) if s < opt.pp - 1 else ("F", s, i)
                    if need[1] >= 0 and need not in ended:
                        break
                    ready = ended[need] + (SEND_NS if need[1] != s else 0) if need[1] >= 0 else 0
                    start = max(now[s], ready)
                    length = rnd.randrange(1_900, 2_300) * US + rnd.randrange(1000)
                    end = start + (length if kind == "F" else 2 * length)
                    ended[kind, s, i] = now[s] = end
                    ops.append(
                        {
                            "rank": rank[s, d],
                            "step": step,
                            "kind": kind,
                            "mb": i,
                            "stage": s,
                            "start": start,
                            "end": end,
                        }
                    )
                    at[s] += 1
    return ops


# ---- the truth, by algebra of intervals ----------------------------------------------------------------------------


def union(intervals):
    out = []
    for a, b in sorted(i for i in intervals if i[0] < i[1]):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


def size(moments):
    return sum(b - a for a, b in moments)


def shared(u, v):
    out, i, j = 0, 0, 0
    while i < len(u) and j < len(v):
        out += max(0, min(u[i][1], v[j][1]) - max(u[i][0], v[j][0]))
        i, j = (i + 1, j) if u[i][1] < v[j][1] else (i, j + 1)
    return out


def measures(kernels):
    spans = [(k["start"], k["end"]) for k in kernels]
    every = union(spans)
    comm = union((k["start"], k["end"]) for k in kernels if k["cls"] == "communication")
    work = union((k["start"], k["end"]) for k in kernels if k["cls"] not in ("communication", "memcpy", "memset"))
    lapped, extent = shared(comm, work), max(b for _, b in spans) - min(a for a, _ in spans)
    return {
        "events": len(kernels),
        "sum": sum(b - a for a, b in spans),
        "extent": extent,
        "busy": size(every),
        "idle": extent - size(every),
        "compute": size(work),
        "communication": size(comm),
        "exposed": size(comm) - lapped,
        "overlapped": lapped,
    }


def truth_of(ops, kernels, opt, offsets):
    place = {r: key for key, r in ranks_of(opt).items()}
    device_ops = []
    for n, o in enumerate(ops):
        mine = [k for k in kernels if k["op"] == n and k["cls"] != "communication"]
        device_ops.append(
            {
                "rank": o["rank"],
                "step": o["step"],
                "kind": o["kind"],
                "microbatch": o["mb"],
                "stage": o["stage"],
                "start": min(k["start"] for k in mine),
                "end": max(k["end"] for k in mine),
                "busy": size(union((k["start"], k["end"]) for k in mine)),
            }
        )
    ranks = {}
    for r in sorted(place):
        mine = [k for k in kernels if k["rank"] == r]
        ranks[str(r)] = {
            "stage": place[r][0],
            "replica": place[r][1],
            "clock_offset": offsets[r],
            "whole": measures(mine),
            "steps": {str(s): measures([k for k in mine if k["step"] == s]) for s in range(opt.steps)},
        }
    pipelines = []
    for step in range(opt.steps):
        for d in range(opt.dp):
            mine = [o for o in device_ops if o["step"] == step and place[o["rank"]][1] == d]
            first, last = min(o["start"] for o in mine), max(o["end"] for o in mine)
            # kernels of an operation may run over its end by 1.5 us into the next kernel of the SAME operation only
            spans = size_by_rank(mine)
            inside = {o["rank"]: 0 for o in mine}
            for o in mine:
                inside[o["rank"]] += o["busy"]
            total = opt.pp * (last - first)
            pipelines.append(
                {
                    "step": step,
                    "replica": d,
                    "operations": len(mine),
                    "makespan": last - first,
                    "total": total,
                    "in_operations": spans,
                    "in_kernels": sum(inside.values()),
                    "bubble_of_total": [total - spans, total],
                }
            )
    return {
        "options": {k: v for k, v in vars(opt).items() if k not in ("out",)},
        "unit": "ns",
        "layout": opt.layout,
        "mesh": {"pp": opt.pp, "dp": opt.dp},
        "ranks": ranks,
        "pipelines": pipelines,
        "operations": device_ops,
    }


def size_by_rank(ops):
    return sum(size(union((o["start"], o["end"]) for o in ops if o["rank"] == r)) for r in {o["rank"] for o in ops})


# ---- what a profiler would have written ----------------------------------------------------------------------------


def launched(ops, kernels, opt, rnd):
    """When each kernel is launched, and the annotations of each rank's threads: a host runs ahead of its device."""
    notes = []
    for r in sorted({o["rank"] for o in ops}):
        busy_until = 0
        for step in range(opt.steps):
            mine = [k for k in kernels if k["rank"] == r and k["step"] == step]
            lead = rnd.randrange(600, 5_000) * US
            now = begin = max(busy_until + 20 * US, min(k["start"] for k in mine) - lead)
            numbers = [n for n, o in enumerate(ops) if o["rank"] == r and o["step"] == step]
            for n in sorted(numbers, key=lambda n: ops[n]["start"]):
                o, opened = ops[n], now
                for k in sorted((k for k in mine if k["op"] == n), key=lambda k: (k["stream"] != RECV, k["start"])):
                    k["launch"] = now + 2 * US
                    if k["inner"]:
                        notes.append((r, "main", k["inner"], now + US, now + 5 * US))
                    now += 6 * US
                name = f"PP:{o['stage']}{o['kind']}{o['mb']}" if opt.names == "stage" else f"{o['kind']}{o['mb']}"
                notes.append((r, "main", name, opened, now))
                now += US
            for k in sorted((k for k in mine if k["op"] is None), key=lambda k: k["start"]):
                k["launch"] = now + 2 * US
                if k["inner"]:
                    notes.append((r, "main", k["inner"], now + US, now + 5 * US))
                now += 6 * US
            for k in mine:
                assert k["launch"] + US <= k["start"], (r, step, k)
            notes.append((r, "main", f"ProfilerStep#{step + 10}", begin, None))
            busy_until = now
        steps = [n for n, each in enumerate(notes) if each[0] == r and each[2].startswith("ProfilerStep#")]
        for here, after in zip(steps, [*steps[1:], None], strict=True):
            end = notes[after][3] if after is not None else busy_until + 5 * US
            notes[here] = (*notes[here][:4], end)
    return notes


def us(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def written(ops, kernels, notes, opt, offsets, out):
    rank_at = ranks_of(opt)
    place = {r: key for key, r in rank_at.items()}
    base, t0 = 1767189312 * 10**9, 3_743_000_000 * MS
    world = sorted(place)
    groups = [("0", "default_pg", world)]
    describe = {
        "mesh": ("mesh_pp", "mesh_dp"),
        "megatron": ("PIPELINE_MODEL_PARALLEL_GROUP", "DATA_PARALLEL_GROUP"),
    }.get(opt.groups)
    if describe:
        groups += [(str(1 + d), describe[0], sorted(rank_at[s, d] for s in range(opt.pp))) for d in range(opt.dp)]
        groups += [
            (str(1 + opt.dp + s), describe[1], sorted(rank_at[s, d] for d in range(opt.dp))) for s in range(opt.pp)
        ]
    if opt.groups == "mesh":  # an axis that is the whole world has no group of its own
        groups = [each for each in groups if each[0] == "0" or each[2] != world]
    named = {("world", 0): groups[0]}
    named |= {("pp", d): (str(1 + d), "", sorted(rank_at[s, d] for s in range(opt.pp))) for d in range(opt.dp)}
    named |= {("dp", s): (str(1 + opt.dp + s), "", sorted(rank_at[s, d] for d in range(opt.dp))) for s in range(opt.pp)}
    files, correlation = {}, 0
    for r in world:
        shift = t0 + offsets[r]
        label = f"[TP00-DP{place[r][1]:02d}-PP{place[r][0]:02d}] " if opt.form == "merged" else ""
        host = 1000 if opt.form == "devices" else 1000 + r
        device = r if opt.form == "devices" else r % 8

        def pid(number, label=label):
            return json.dumps(label + str(number)) if label else str(number)

        threads = {"main": host, "autograd": host + 77}
        if opt.form == "devices":
            threads = {"main": host + r, "autograd": host + 77 + r}
        else:
            correlation = 0
        events = []

        def event(cat, name, process, thread, a, b, args="{}", *, pid=pid, events=events, shift=shift):
            common = f'"cat": "{cat}", "name": {json.dumps(name)}, "pid": {pid(process)}, "tid": {thread}'
            if opt.form == "pairs":
                events.append((a, 1, -(b - a), f'{{"ph": "B", {common}, "ts": {us(shift + a)}, "args": {args}}}'))
                events.append(
                    (b, 0, b - a, f'{{"ph": "E", "pid": {pid(process)}, "tid": {thread}, "ts": {us(shift + b)}}}')
                )
            else:
                events.append(
                    (0, 0, 0, f'{{"ph": "X", {common}, "ts": {us(shift + a)}, "dur": {us(b - a)}, "args": {args}}}')
                )

        shadows = {}
        for k in sorted((k for k in kernels if k["rank"] == r), key=lambda k: (k["launch"], k["start"])):
            correlation += 1
            args = {"device": device, "context": 1, "stream": k["stream"], "correlation": correlation}
            if k["cls"] == "communication" and opt.groups != "none":
                name, _, members = named[k["group"]]
                name = "0" if opt.groups == "mesh" and members == world else name
                args |= {
                    "Collective name": k["coll"],
                    "Group size": len(members),
                    "Process Group Name": name,
                    "Process Group Ranks": str(members),
                } | ({"Seq": k["seq"]} if "seq" in k else {"Src Rank": k["src"], "Dst Rank": k["dst"]})
            cat = "gpu_memcpy" if k["cls"] == "memcpy" else "kernel"
            event(cat, k["name"], device, k["stream"], k["start"], k["end"], json.dumps(args))
            if opt.shadows != "only":
                event(
                    "cuda_runtime",
                    "cudaMemcpyAsync" if cat == "gpu_memcpy" else "cudaLaunchKernel",
                    host,
                    threads[k["thread"]],
                    k["launch"],
                    k["launch"] + 2 * US,
                    json.dumps({"cbid": 211, "correlation": correlation}),
                )
            if k["thread"] == "main":  # the autograd thread has no annotation
                inside = [
                    (b - a, n) for n, (rank, thread, _, a, b) in enumerate(notes) if rank == r and a <= k["launch"] < b
                ]
                shadows.setdefault((min(inside)[1], k["stream"]), []).append(k)
        if opt.shadows != "no" and opt.form != "pairs":
            for (n, stream), mine in shadows.items():
                a, b = min(k["start"] for k in mine) - 1, max(k["end"] for k in mine) + 1
                event("gpu_user_annotation", notes[n][2], device, stream, a, b, f'{{"External id": {n + 1}}}')
        for n, (rank, thread, name, a, b) in enumerate(notes):
            if rank == r:
                event("user_annotation", name, host, threads[thread], a, b, f'{{"External id": {n + 1}}}')
        if opt.form == "pairs":  # at one moment: ends first, the longer begins first
            texts = [text for *_, text in sorted(events, key=lambda each: each[:3])]
        else:
            texts = [text for *_, text in events]
            random.Random(opt.seed + r).shuffle(texts)
        names = {"name": (host, {"name": "python3"}), "labels": (device, {"labels": f"GPU {device}"})}
        meta = [
            f'{{"name": "process_{what}", "ph": "M", "ts": 0, "pid": {pid(number)}, "args": {json.dumps(args)}}}'
            for what, (number, args) in names.items()
        ]
        config = [
            {"pg_name": n, "pg_desc": text, "backend_config": "cuda:nccl", "pg_size": len(m), "ranks": m}
            for n, text, m in groups
            if r in m
        ]
        info = {"backend": "nccl", "rank": r, "world_size": len(world)}
        if opt.groups != "none":
            info |= {"pg_count": len(config), "pg_config": config}
        head = {
            "schemaVersion": 1,
            "deviceProperties": [{"id": device, "name": "NVIDIA H100 80GB HBM3"}],
            "distributedInfo": info,
            "host_name": "node0" if opt.hosts == "one" else f"node{r}",
            "displayTimeUnit": "ms",
            "baseTimeNanoseconds": base,
        }
        files[f"rank{r}.json"] = (head, meta + texts)
    if opt.form in ("merged", "devices"):
        heads = [head for head, _ in files.values()]
        head = {**heads[0], "deviceProperties": [d for h in heads for d in h["deviceProperties"]]}
        if opt.form == "devices":
            head.pop("distributedInfo")
        files = {
            "merged.json" if opt.form == "merged" else "process.json": (
                head,
                [t for _, texts in files.values() for t in texts],
            )
        }
    out.mkdir(parents=True, exist_ok=True)
    for name, (head, texts) in files.items():
        text = json.dumps(head)[:-1] + ', "traceEvents": [\n' + ",\n".join(texts) + f'\n], "traceName": "{name}"}}\n'
        content = text.encode()
        (out / f"{name}.gz" if opt.gz else out / name).write_bytes(
            gzip.compress(content, mtime=0) if opt.gz else content
        )


DEFAULTS = {
    "pp": 4,
    "dp": 2,
    "mb": 8,
    "steps": 3,
    "seed": 1,
    "schedule": "1f1b",
    "layout": "pp-dp",
    "names": "stage",
    "groups": "mesh",
    "hosts": "one",
    "form": "kineto",
    "shadows": "yes",
    "barrier": "yes",
    "special": "yes",
    "gz": False,
    "ops": None,
}


def write_run(folder: Path, **options: Any) -> dict[str, Any]:
    """Write the traces of a run and return its truth."""
    opt = argparse.Namespace(**{**DEFAULTS, **options})
    rnd = random.Random(opt.seed)
    ops, kernels = settled(opt, rnd)
    offsets = {r: 0 if r == 0 or opt.hosts == "one" else rnd.randrange(-9 * MS, 9 * MS) for r in ranks_of(opt).values()}
    notes = launched(ops, kernels, opt, rnd)
    written(ops, kernels, notes, opt, offsets, folder)
    return truth_of(ops, kernels, opt, offsets)
