"""Frozen records: what ``dataclasses`` makes of a class, without code that is compiled for each, one after the other.

That would take as long as an evaluation of a small run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Never, Self, TypeVar, dataclass_transform

_REQUIRED: Any = object()


class _Field:
    """One field of a record, with what ``dataclasses.field`` knows of it."""

    def __init__(
        self,
        default: Any = _REQUIRED,
        default_factory: Callable[[], Any] | None = None,
        init: bool = True,
        repr: bool = True,  # noqa: A002 - as dataclasses call it
        compare: bool = True,
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare


def field(**facts: Any) -> Any:
    """Return a field with more to say than its default, in the words of ``dataclasses.field``."""
    return _Field(**facts)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen:
    """A class whose annotations are its fields, and whose objects do not change."""

    _fields: ClassVar[Mapping[str, _Field]] = {}

    def __init_subclass__(cls, eq: bool = True, kw_only: bool = False) -> None:  # type checkers read the latter
        own: dict[str, _Field] = {}
        for name in cls.__annotations__:
            said = vars(cls).get(name, _REQUIRED)
            own[name] = said if isinstance(said, _Field) else _Field(said)
            if said is own[name]:
                delattr(cls, name)  # it is no attribute of the class
        cls._fields = {**cls._fields, **own}
        if not eq:
            cls.__eq__, cls.__hash__ = object.__eq__, object.__hash__  # type: ignore[method-assign]

    def __init__(self, *values: Any, **named: Any) -> None:
        own = self.__dict__
        own.update(zip(self._fields, values, strict=False))
        own.update(named)
        n_given = len(own)
        for name, known in self._fields.items():
            if name not in own:
                own[name] = known.default if known.default_factory is None else known.default_factory()
                if own[name] is _REQUIRED:
                    raise TypeError(f"{type(self).__name__} lacks {name!r}")
        if n_given != len(values) + len(named) or len(own) != len(self._fields):
            raise TypeError(f"{type(self).__name__} has {[*self._fields]}; given are {len(values)} and {[*named]}")

    def __setattr__(self, name: str, value: Any) -> Never:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} stays")

    def __delattr__(self, name: str) -> Never:
        raise AttributeError(f"{type(self).__name__} is frozen: {name!r} stays")

    def _values_compared(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name, known in self._fields.items() if known.compare)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values_compared() == other._values_compared()

    def __hash__(self) -> int:
        return hash(self._values_compared())

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name, known in self._fields.items() if known.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __replace__(self, **changes: Any) -> Self:
        kept = {name: getattr(self, name) for name, known in self._fields.items() if known.init}
        return type(self)(**{**kept, **changes})


R = TypeVar("R", bound=Frozen)


def replace(record: R, **changes: Any) -> R:
    """Return a record that differs in some fields."""
    return record.__replace__(**changes)
