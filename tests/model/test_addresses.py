"""Addresses of parts: what they name, in which form they are stored, and what is refused."""

import random

import pytest
from pydantic import TypeAdapter, ValidationError

from tikzgen.model.addresses import AddressAxis, Reason, find_ranges, name_of_ranges, read_address
from tikzgen.model.part import Keys, Ref

ARRAY = (AddressAxis("row", 8), AddressAxis("column", 4, names=("c0", "", "", "c3")))
CUBE = (AddressAxis("layer", 2), *ARRAY)
LOG = (AddressAxis("row", 5, names=("s1", "s2", "s3", "s4", "s5")), AddressAxis("column", 8, first=1))
BAR = (AddressAxis("part", 3, first=1, names=("", "grads", "")),)

FOUND = [
    (ARRAY, "a", [(0, 8), (0, 4)], "0to8-0to4"),
    (ARRAY, "a[2,1]", [(2, 3), (1, 2)], "2-1"),
    (ARRAY, "a[0:2,1]", [(0, 2), (1, 2)], "0to2-1"),
    (ARRAY, "a[:,3]", [(0, 8), (3, 4)], "0to8-3"),
    (ARRAY, "a[6:,:2]", [(6, 8), (0, 2)], "6to8-0to2"),
    (ARRAY, "a.row(7)", [(7, 8), (0, 4)], "7-0to4"),
    (ARRAY, "a.column(c3)", [(0, 8), (3, 4)], "0to8-3"),
    (CUBE, "a[1,2,3]", [(1, 2), (2, 3), (3, 4)], "1-2-3"),
    (CUBE, "a[2,3]", [(0, 2), (2, 3), (3, 4)], "0to2-2-3"),
    (LOG, "log[s2,1:3]", [(1, 2), (0, 2)], "1-1to3"),
    (LOG, "log[s2:s4,8]", [(1, 3), (7, 8)], "1to3-8"),
    (LOG, "log[0,:9]", [(0, 1), (0, 8)], "0-1to9"),
    (BAR, "ddp.part(2)", [(1, 2)], "part2"),
    (BAR, "ddp[grads]", [(1, 2)], "part2"),
    (BAR, "ddp[2:]", [(1, 3)], "part2to4"),
]
REFUSED = [
    (ARRAY, "a[8,0]", 'there is no row 8 in "a"', "the last one is a[7,3]"),
    (ARRAY, "a[0,0:5]", 'there is no column 5 in "a"', "the last one is a[7,3]"),
    (ARRAY, "a.row(9)", 'there is no row 9 in "a"', "the last one is a.row(7)"),
    (LOG, "log[s1,0]", 'there is no column 0 in "log"', "the last one is log[4,8]"),
    (LOG, "log[s6,1]", 'no row has the id "s6" in "log"', "the ids are s1, s2, s3, s4, s5"),
    (ARRAY, "a[x,1]", 'no row has the id "x" in "a"', "rows are 0 to 7"),
    (ARRAY, "a[2:2,1]", 'the range 2:2 of rows is empty in "a"', "ranges leave out their end: 0:8 is everything"),
    (ARRAY, "a[3]", '"a[3]" has 1 key, and needs 2: row, column', "a[:,:] is all of it"),
    (BAR, "ddp[1,2]", '"ddp[1,2]" has 2 keys, and needs 1: part', "ddp[:] is all of it"),
    (ARRAY, "a.part(2)", '"a" has no parts', "it has rows and columns: write a.row(7) or a.column(3)"),
    ((), "ps[0,1]", '"ps" has no cells', "write ps, without a cell"),
    ((AddressAxis("row", 0), AddressAxis("column", 4)), "a[0,1]", 'there is no row 0 in "a"', "there are no rows"),
]


@pytest.mark.parametrize(("axes", "text", "ranges", "name"), FOUND)
def test_an_address_names_these_positions(axes, text, ranges, name):
    found = find_ranges(axes, read_address(text))
    assert found == tuple(ranges)
    assert name_of_ranges(axes, found) == name


@pytest.mark.parametrize(("axes", "text", "message", "hint"), REFUSED)
def test_an_address_of_nothing_says_why(axes, text, message, hint):
    reason = find_ranges(axes, read_address(text))
    assert isinstance(reason, Reason)
    assert (reason.message, reason.hint) == (message, hint)


def test_a_random_address_takes_the_slice_that_python_takes():
    dice = random.Random(4)
    for _ in range(500):
        first, counts = dice.choice((0, 1)), [dice.randint(1, 9) for _ in range(3)]
        axes = [AddressAxis(what, count, first) for what, count in zip(("layer", "row", "column"), counts, strict=True)]
        keys, wanted = [], []
        for count in counts:
            start = dice.randrange(count)
            end = dice.randint(start + 1, count)
            low, high = dice.choice((start + first, "")), dice.choice((end + first, ""))
            single = dice.random() < 0.3
            keys.append(str(start + first) if single else f"{low}:{high}")
            positions = range(count)[slice(None if low == "" else start, None if high == "" else end)]
            wanted.append((start, start + 1) if single else (positions[0], positions[-1] + 1))
        address = read_address(f"panel.cube[{', '.join(keys)}]")
        assert (address.name, str(address)) == ("panel.cube", f"panel.cube[{','.join(keys)}]")
        assert find_ranges(axes, address) == tuple(wanted)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("w1", "w1"),
        ("p.w1", "p.w1"),
        ("flow@0.3", "flow@0.3"),
        ("pool[0:2, :]", "pool[0:2,:]"),
        ("p.pool.row( 7 )", "p.pool.row(7)"),
        ("table.part(head)", "table.part(head)"),
        ("w[0 : 2, 1]", "w[0:2,1]"),
    ],
)
def test_references_are_stored_without_spaces(text, stored):
    assert TypeAdapter(Ref).validate_python(text) == stored
    assert str(read_address(text)) == stored


@pytest.mark.parametrize(
    "text", ["w[", "w[]", "w[0", "w[-1,0]", "w[0,1,2,3]", "w.rows(1)", "w.row(0:2)", "w(1)", "[0]"]
)
def test_a_malformed_address_shows_the_grammar(text):
    with pytest.raises(ValidationError, match="is not an address"):
        TypeAdapter(Ref).validate_python(text)


def test_keys_alone_are_stored_without_spaces():
    assert TypeAdapter(Keys).validate_python("3, 0:2") == "3,0:2"
    with pytest.raises(ValidationError):
        TypeAdapter(Keys).validate_python("3;0")
