"""Frozen records are those of ``dataclasses``, made without code compiled for each class."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from rankmetrics_sql.frozen import Frozen, field, replace


class Named:
    @property
    def upper(self) -> str:
        return self.name.upper()  # type: ignore[attr-defined, no-any-return]


class Ours(Named, Frozen):
    name: str
    size: int = 1
    facts: Mapping[str, Any] = field(default_factory=dict)
    secret: str = field(default="x", repr=False)
    known: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclasses.dataclass(frozen=True)
class Theirs(Named):
    name: str
    size: int = 1
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    secret: str = dataclasses.field(default="x", repr=False)
    known: dict[str, int] = dataclasses.field(default_factory=dict, init=False, repr=False, compare=False)


class Wider(Ours):
    more: tuple[int, ...] = ()


class Itself(Frozen, eq=False, kw_only=True):
    name: str


GIVEN = [
    (("a",), {}),
    (("a", 2), {}),
    ((), {"name": "a", "size": 3}),
    (("a", 1, {"b": 2}), {}),
    (("b",), {"secret": "y"}),
]


@pytest.mark.parametrize(("values", "named"), GIVEN)
def test_a_record_is_that_of_dataclasses(values, named):
    ours, theirs = Ours(*values, **named), Theirs(*values, **named)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert {name: getattr(ours, name) for name in vars(theirs)} == vars(theirs)
    assert ours.upper == theirs.upper
    for others in GIVEN:
        assert (ours == Ours(*others[0], **others[1])) == (theirs == Theirs(*others[0], **others[1]))
    assert vars(replace(ours, size=9)) == vars(dataclasses.replace(theirs, size=9))
    assert copy.copy(ours) == copy.deepcopy(ours) == ours != theirs


@pytest.mark.parametrize(
    ("values", "named"), [((), {}), (("a",), {"name": "b"}), (("a",), {"other": 1}), (("a", 1, {}, "s", {}, 6), {})]
)
def test_what_fits_no_field_is_refused(values, named):
    for kind in (Ours, Theirs):
        with pytest.raises(TypeError):
            kind(*values, **named)


def test_a_record_does_not_change():
    one = Ours("a")
    with pytest.raises(AttributeError, match="'name' stays"):
        one.name = "b"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="'name' stays"):
        del one.name
    assert one.facts is not Ours("a").facts
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_a_class_of_records_adds_fields():
    assert repr(Wider("a", more=(2,))) == "Wider(name='a', size=1, facts={}, more=(2,))"
    assert Wider("a") != Ours("a")


def test_a_record_may_be_equal_to_itself_alone():
    one, other = Itself(name="a"), Itself(name="a")
    assert one != other
    assert len({one, one, other}) == 2
