"""Holdings of tensors, chunks and masks, each against a second derivation that counts cells one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tikzgen.schedule.held import (
    Box,
    Coordinates,
    ImpossibleFacts,
    Placement,
    Redistribution,
    check_placements,
    count_elements,
    find_ring_step,
    hold_boxes,
    list_ranks,
    list_ring_states,
    make_mask,
    measure_ring_work,
    plan_redistribution,
    split_positions,
)

S0, S1, R, P = Placement("shard", 0), Placement("shard", 1), Placement("replicate"), Placement("partial")
STRIDED = Placement("strided", 0)


def cells_of(shape: list[int], mesh: list[int], placements: list[Placement]) -> dict[Coordinates, set[Coordinates]]:
    """The elements of each rank: each axis deals lists of indices, a strided one every m-th of many pieces (torch)."""
    held = {}
    for rank in product(*map(range, mesh)):
        indices = [list(range(length)) for length in shape]
        for axis, placement in enumerate(placements):
            if not placement.cuts:
                continue
            own, pieces = indices[placement.dimension], mesh[axis]
            if placement.kind == "strided":
                for later, other in enumerate(placements[axis + 1 :], axis + 1):
                    pieces *= mesh[later] if other.cuts and other.dimension == placement.dimension else 1
            mine = dealt(own, pieces)[rank[axis] :: mesh[axis]]
            indices[placement.dimension] = [index for piece in mine for index in piece]
        held[rank] = set(product(*indices))
    return held


def dealt(indices: list[int], pieces: int) -> list[list[int]]:
    each = -(-len(indices) // pieces)
    found = [indices[start : start + each] for start in range(0, len(indices), each)] if indices else []
    return [*found, *[[] for _ in range(pieces)]][:pieces]


def list_group(ranks: list[Coordinates], rank: Coordinates, axis: int) -> list[Coordinates]:
    return [other for other in ranks if (*other[:axis], *other[axis + 1 :]) == (*rank[:axis], *rank[axis + 1 :])]


def elements(box: Box) -> set[Coordinates]:
    return set(product(*(range(first, end) for first, end in box)))


placements = st.sampled_from([S0, S1, R, P])


@st.composite
def tensors(draw: st.DrawFn) -> tuple[list[int], list[int], list[Placement]]:
    mesh = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    shape = draw(st.lists(st.integers(1, 12), min_size=2, max_size=2))
    return shape, mesh, draw(st.lists(placements, min_size=len(mesh), max_size=len(mesh)))


@settings(max_examples=300)
@given(tensors())
def test_each_rank_has_the_elements_of_its_pieces(facts: tuple[list[int], list[int], list[Placement]]) -> None:
    shape, mesh, placed = facts
    expected = cells_of(shape, mesh, placed)
    assert {rank: elements(box) for rank, box in hold_boxes(shape, mesh, placed).items()} == expected


@settings(max_examples=200)
@given(tensors(), st.data())
def test_a_redistribution_moves_each_missing_element_along_its_axis(
    facts: tuple[list[int], list[int], list[Placement]], data: st.DataObject
) -> None:
    shape, mesh, before = facts
    after = [data.draw(st.sampled_from([S0, S1, R] + [P] * (placement == P))) for placement in before]
    state = list(before)
    for step in plan_redistribution(shape, mesh, before, after):
        old, target = cells_of(shape, mesh, state), list(step.after)
        new = cells_of(shape, mesh, target)
        ranks, size = list_ranks(mesh), mesh[step.axis]
        assert [axis for axis in range(len(mesh)) if state[axis] != target[axis]] == [step.axis]
        for rank, received in zip(ranks, step.received, strict=True):
            group = list_group(ranks, rank, step.axis)
            assert new[rank] <= set().union(*(old[other] for other in group))
            if state[step.axis] == P:
                whole = Fraction(len(new[rank]) * (size - 1))
                assert received == (2 * whole / size if target[step.axis] == R else whole)
            else:
                assert received == len(new[rank] - old[rank])
        state = target
    assert state == after


def least_received(shape: list[int], mesh: list[int], before: tuple, after: tuple) -> Fraction:
    """The fewest elements over all sequences, by trying every one without a repeated state (depth first)."""
    best: list[Fraction | None] = [None]

    def follow(state: tuple, cost: Fraction, seen: frozenset) -> None:
        if best[0] is not None and cost >= best[0]:
            return
        if state == after:
            best[0] = cost
            return
        old = cells_of(shape, mesh, list(state))
        for axis, target in product(range(len(mesh)), (S0, S1, R)):
            following = (*state[:axis], target, *state[axis + 1 :])
            if target not in (R, after[axis]) or following in seen:
                continue
            new = cells_of(shape, mesh, list(following))
            moved = Fraction(0)
            for rank in new:
                group = list_group([*new], rank, axis)
                if not new[rank] <= set().union(*(old[other] for other in group)):
                    break
                moved += len(new[rank] - old[rank])
            else:
                follow(following, cost + moved, seen | {following})

    follow(before, Fraction(0), frozenset({before}))
    assert best[0] is not None
    return best[0]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=2, max_size=2),
    st.lists(st.integers(1, 3), min_size=2, max_size=2),
    st.tuples(*[st.sampled_from([S0, S1, R])] * 4),
)
def test_a_redistribution_receives_as_few_elements_as_possible(shape: list, mesh: list, four: tuple) -> None:
    plan = plan_redistribution(shape, mesh, four[:2], four[2:])
    assert sum(sum(step.received) for step in plan) == least_received(shape, mesh, four[:2], four[2:])


@pytest.mark.parametrize(("length", "ranks", "sizes"), [(10, 4, [3, 3, 3, 1]), (9, 8, [2, 2, 2, 2, 1, 0, 0, 0])])
def test_uneven_shards_are_those_of_torch_chunk(length: int, ranks: int, sizes: list[int]) -> None:
    assert [count_elements(box) for box in hold_boxes([length], [ranks], [S0]).values()] == sizes


def test_an_all_gather_along_the_tensor_axis() -> None:
    boxes = hold_boxes([8, 8], [2, 4], [S0, S1])
    assert boxes[1, 2] == ((4, 8), (4, 6))
    (step,) = plan_redistribution([8, 8], [2, 4], [S0, S1], [S0, R])
    assert step == Redistribution(1, "all-gather", (S0, R), (Fraction(24),) * 8)
    assert hold_boxes([8, 8], [2, 4], [S0, R])[1, 2] == ((4, 8), (0, 8))


def test_two_axes_cut_one_dimension_in_turn() -> None:
    boxes = hold_boxes([8, 8], [2, 4], [S0, S0])
    assert all(boxes[d, t][0] == (4 * d + t, 4 * d + t + 1) for d in range(2) for t in range(4))
    boxes = hold_boxes([8], [2, 2], [STRIDED, S0])
    assert {rank: box[0] for rank, box in boxes.items()} == {
        (0, 0): (0, 2),
        (0, 1): (4, 6),
        (1, 0): (2, 4),
        (1, 1): (6, 8),
    }


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_strided_axes_cut_after_those_to_their_right(a: int, b: int, c: int, each: int) -> None:
    length = a * b * c * each
    for placed in ([STRIDED, S0, S0], [STRIDED, STRIDED, S0], [S0, STRIDED, S0], [STRIDED, S0, R]):
        found = {rank: elements(box) for rank, box in hold_boxes([length], [a, b, c], placed).items()}
        assert found == cells_of([length], [a, b, c], placed)


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ([S0], [R], ["all-gather"]),
        ([P], [R], ["all-reduce"]),
        ([P], [S1], ["reduce-scatter"]),
        ([S0], [S1], ["all-to-all"]),
        ([R], [S0], ["slice"]),
        ([P], [P], []),
        ([S0, S0], [R, S0], ["all-gather", "all-gather", "slice"]),
        ([P, S0], [S0, R], ["all-gather", "reduce-scatter"]),
    ],
)
def test_the_collective_between_two_placements(before: list, after: list, names: list[str]) -> None:
    mesh = [2, 2][: len(before)]
    plan = plan_redistribution([8, 8], mesh, before, after)
    assert sorted(step.name for step in plan) == sorted(names)


@pytest.mark.parametrize(
    ("placed", "path", "words"),
    [
        ([S0], ("placements",), "1 placement for a mesh of 2"),
        ([S0, Placement("shard", 2)], ("placements", 1), "no dimension 2"),
        ([STRIDED, S0], ("placements", 0), "4 strided pieces do not divide the 6 elements of dimension 0"),
    ],
)
def test_unfit_placements_are_refused(placed: list, path: tuple, words: str) -> None:
    with pytest.raises(ImpossibleFacts, match=words) as refused:
        check_placements([6, 4], [2, 2], placed)
    assert refused.value.field_path == path


def test_no_collective_makes_partial() -> None:
    with pytest.raises(ImpossibleFacts, match="no collective makes Partial of Shard\\(0\\)") as refused:
        plan_redistribution([4], [2], [S0], [P])
    assert refused.value.field_path == ("then", 0)


@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 8])
def test_a_ring_in_closed_form(ranks: int) -> None:
    states = list_ring_states(ranks, "both")
    whole = set(range(ranks))
    for step, state in enumerate(states):
        for rank, row in enumerate(state.addends):
            for chunk, addends in enumerate(row):
                behind = (rank - chunk) % ranks
                own = {(chunk + i) % ranks for i in range(behind + 1)} if behind <= step else {rank}
                if step >= ranks:
                    own = whole if (rank - chunk + 1) % ranks <= step - ranks + 1 else own
                assert addends == own, (step, rank, chunk)
    assert states[ranks - 1].find_reduced() == [(rank, (rank + 1) % ranks) for rank in range(ranks)]
    assert len(states[-1].find_reduced()) == ranks**2
    assert list_ring_states(ranks, "reduce-scatter")[-1].addends == states[ranks - 1].addends
    alone = list_ring_states(ranks, "all-gather")
    assert [state.sends for state in alone] == [state.sends for state in states[ranks - 1 :]]
    assert alone[-1].addends == states[-1].addends


def test_a_ring_of_four_after_two_steps() -> None:
    state = list_ring_states(4, "reduce-scatter")[2]
    assert ["".join("abcd"[rank] for rank in sorted(each)) for each in state.addends[2]] == ["abc", "bc", "c", "c"]


def work_of(own: list[int], ranks: int, step: int, diagonal: Fraction) -> list[Fraction]:
    return [
        sum(
            (
                diagonal if key == query else Fraction(1)
                for query in range(len(own))
                for key in range(query + 1)
                if own[query] == rank and (rank - own[key]) % ranks == step
            ),
            Fraction(0),
        )
        for rank in range(ranks)
    ]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
def test_the_work_of_splits_in_a_ring(ranks: int) -> None:
    mask = make_mask(2 * ranks, blocks=True)
    zigzag = split_positions(2 * ranks, ranks, "zigzag")
    work = measure_ring_work(mask, zigzag, ranks)
    assert work == [[2] * ranks] * ranks
    assert work == [work_of(zigzag, ranks, step, Fraction(1, 2)) for step in range(ranks)]
    contiguous = measure_ring_work(mask, split_positions(2 * ranks, ranks, "contiguous"), ranks)
    assert sum(map(max, contiguous)) == 4 * ranks - 2
    if ranks == 4:
        assert zigzag == [0, 1, 2, 3, 3, 2, 1, 0]


def test_the_work_of_stripes() -> None:
    work = measure_ring_work(make_mask(8), split_positions(8, 4, "striped"), 4)
    assert work == [[3, 3, 3, 3], [1, 3, 3, 3], [1, 1, 3, 3], [1, 1, 1, 3]]


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.none() | st.integers(1, 9), st.booleans())
def test_masks_by_counting(documents: list[int], window: int | None, causal: bool) -> None:
    count = sum(documents)
    mask = make_mask(count, causal=causal, window=window, documents=documents)
    names = "".join(chr(97 + index) * length for index, length in enumerate(documents))
    expected = [
        [names[q] == names[k] and (not causal or (k <= q and (window is None or q - window < k))) for k in range(count)]
        for q in range(count)
    ]
    assert [list(row) for row in mask.used] == expected
    if window is None:
        assert mask.count_used() == sum(n * (n + 1) // 2 if causal else n * n for n in documents)


def test_the_cells_of_named_masks() -> None:
    assert make_mask(8).count_used() == 36
    assert make_mask(8, window=3).count_used() == 21
    assert make_mask(8, documents=[3, 1, 4]).count_used() == 17
    assert make_mask(8, causal=False).count_used() == 64


@given(st.integers(1, 6), st.integers(1, 4), st.sampled_from(["contiguous", "zigzag", "striped"]))
def test_a_ring_covers_each_cell_once(ranks: int, each: int, split: str) -> None:
    count = 2 * ranks * each
    own = split_positions(count, ranks, split)
    assert all(own.count(rank) == 2 * each for rank in range(ranks))
    mask = make_mask(count, causal=False)
    assert sum(map(sum, measure_ring_work(mask, own, ranks))) == count**2
    keys = {(own[q], find_ring_step(own, q, k, ranks)): own[k] for q in range(count) for k in range(count)}
    assert all(owner == (rank - step) % ranks for (rank, step), owner in keys.items())


@pytest.mark.parametrize(
    ("facts", "path"),
    [
        ({"window": 0}, ("mask", "window")),
        ({"window": 2, "blocks": True}, ("mask", "window")),
        ({"documents": [3, 4]}, ("mask", "documents")),
    ],
)
def test_unfit_masks_are_refused(facts: dict, path: tuple) -> None:
    with pytest.raises(ImpossibleFacts) as refused:
        make_mask(8, **facts)
    assert refused.value.field_path == path


def test_an_uneven_split_is_refused() -> None:
    with pytest.raises(ImpossibleFacts, match="zigzag: 8 pieces do not divide 12 positions"):
        split_positions(12, 4, "zigzag")
