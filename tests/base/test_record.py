"""Records are frozen, equal by what they hold, and made with the arguments that their annotations name."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
from typing import ClassVar

import pytest

from tikzgen.base.record import NOTHING, Record, as_dict, list_record_fields, replace


class Bar(Record):
    unit: ClassVar[str] = "cm"

    name: str
    long: float = 1.0

    @property
    def twice(self) -> float:
        return 2 * self.long


class Shaded(Bar):
    shade: int = 0


class Empty(Record):
    pass


def test_fields_are_given_by_place_or_by_name_or_have_a_default() -> None:
    assert as_dict(Bar("a")) == {"name": "a", "long": 1.0}
    assert Shaded("a", 2.0, shade=3) == Shaded(name="a", long=2.0, shade=3)
    assert list_record_fields(Shaded) == ("name", "long", "shade")
    assert (Bar("a", 3.0).twice, Bar.unit) == (6.0, "cm")


@pytest.mark.parametrize("facts", [{}, {"nmae": "a"}, {"name": "a", "shade": 1}])
def test_missing_and_unknown_fields_are_refused(facts: dict[str, str]) -> None:
    for _ in range(2):  # the first of a kind is made in another way than those that follow
        with pytest.raises(TypeError, match=r"Bar\.__init__\(\)"):
            Bar(**facts)  # type: ignore[arg-type]


def test_nothing_can_be_changed_or_added() -> None:
    bar = Bar("a")
    with pytest.raises(AttributeError, match="Bar is frozen"):
        bar.name = "b"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="Bar is frozen"):
        bar.other = "b"
    with pytest.raises(AttributeError, match="Bar is frozen"):
        del bar.name
    assert not hasattr(bar, "__dict__")
    with pytest.raises(TypeError):
        NOTHING["a"] = 1  # type: ignore[index]


def test_equal_is_what_is_of_one_kind_and_holds_the_same() -> None:
    assert Bar("a") == Bar("a", 1.0)
    assert hash(Bar("a")) == hash(Bar("a", 1.0))
    assert Bar("a") != Bar("b")
    assert Bar("a") != Shaded("a")
    assert Empty() == Empty()
    assert len({Bar("a"), Bar("a", 1.0), Shaded("a"), Empty(), Empty()}) == 3
    assert Bar("a") != ("a", 1.0)


def test_a_record_is_replaced_copied_pickled_matched_and_told() -> None:
    shaded = Shaded("a", 2.0, 3)
    assert replace(shaded, name="b") == Shaded("b", 2.0, 3)
    assert copy.deepcopy(shaded) == pickle.loads(pickle.dumps(shaded)) == shaded
    assert pickle.loads(pickle.dumps(NOTHING)) == NOTHING  # as workers send it
    assert repr(shaded) == "Shaded(name='a', long=2.0, shade=3)"
    assert dataclasses.replace(shaded, shade=4) == shaded.__replace__(shade=4) == Shaded("a", 2.0, 4)
    if sys.version_info >= (3, 13):
        assert copy.replace(shaded, shade=4) == Shaded("a", 2.0, 4)
    assert dataclasses.asdict(shaded) == as_dict(shaded)
    assert [field.name for field in dataclasses.fields(Shaded)] == ["name", "long", "shade"]
    with pytest.raises(TypeError, match="colour"):
        dataclasses.replace(shaded, colour="red")  # type: ignore[call-arg]
    match shaded:
        case Shaded(name, _, shade):
            assert (name, shade) == ("a", 3)
