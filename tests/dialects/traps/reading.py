"""A statement by its brackets: what a rule needs to know of it, read without the library that wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

_TEXT = re.compile(r"'(?:[^']|'')*'")
_TEXT_OR_COMMENT = re.compile(rf"({_TEXT.pattern})|--[^\n]*")
_TOKEN = re.compile(
    r"""
    '[^']*' | "[^"]*" | `[^`]*` | \[[^\]]*\] | \d+(?:\.\d+)?(?:e[+-]?\d+)? | \w+ | <> | [<>!]= | \|\| | \*\* | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DIRECTION = re.compile(r"( ASC)?( NULLS (FIRST|LAST))?\Z")  # of a key, but for DESC
_SETS = {"UNION", "INTERSECT", "EXCEPT"}


@dataclass
class Brackets:
    """What stands in brackets, or the whole statement, with the words before it at the same depth."""

    before: Sequence[Item] = ()
    items: list[Item] = field(default_factory=list)

    def everything(self) -> Iterator[str]:
        """All tokens, at any depth."""
        for item in self.items:
            if isinstance(item, Brackets):
                yield from ("(", *item.everything(), ")")
            else:
                yield item

    def within(self) -> Iterator[Brackets]:
        """These brackets and all inside."""
        yield self
        for item in self.items:
            if isinstance(item, Brackets):
                yield from item.within()

    def follows(self, *words: str) -> bool:
        """Whether one of the words stands right before them."""
        return bool(self.before) and word(self.before[-1]) in words

    def starts_with(self, first: str) -> bool:
        """Whether they begin with a word."""
        return bool(self.items) and word(self.items[0]) == first


Item: TypeAlias = str | Brackets


def word(item: Item) -> str:
    """A token in capitals; nothing for brackets."""
    return "" if isinstance(item, Brackets) else item.upper()


def shown(items: Iterable[Item]) -> str:
    """Tokens on one line."""
    return " ".join(item if isinstance(item, str) else f"({shown(item.items)})" for item in items)


def words(items: Sequence[Item]) -> list[str]:
    """Tokens in capitals; nothing for each of the brackets."""
    return [word(item) for item in items]


@dataclass(frozen=True)
class Column:
    """A column of a SELECT: what it is made of, and its name where AS gives one."""

    items: Sequence[Item]
    alias: str | None

    @property
    def tokens(self) -> list[str]:
        """All tokens of its value."""
        return list(Brackets(items=list(self.items)).everything())


@dataclass(frozen=True)
class Select:
    """A SELECT at one depth, up to the next UNION or the closing bracket.

    Attributes:
        items: what stands behind the word.
        inside: the brackets that it stands in.
        is_united: whether a UNION joins it to others.
    """

    items: Sequence[Item]
    inside: Brackets
    is_united: bool

    @property
    def reads_something(self) -> bool:
        """Whether it has a FROM."""
        return "FROM" in words(self.items)

    @property
    def is_ordered(self) -> bool:
        """Whether it has an ORDER BY of its own, or of the UNION that it ends."""
        return "ORDER" in words(self.items)

    @property
    def columns(self) -> list[Column]:
        """Its columns."""
        end = words(self.items).index("FROM") if self.reads_something else len(self.items)
        return [_column(part) for part in _split(self.items[:end], ",")]

    @property
    def windows(self) -> set[Window]:
        """What stands behind OVER in its columns."""
        return {_window(brackets.items) for brackets in _windows(self.items)}


@dataclass(frozen=True)
class Window:
    """By what rows are parted, and then by what they are ordered."""

    partition: tuple[str, ...]
    order: tuple[str, ...]

    @property
    def sorting(self) -> tuple[str, ...]:
        """By what an engine sorts rows for it."""
        return self.partition + self.order


def _windows(items: Sequence[Item]) -> Iterator[Brackets]:
    for item in items:
        if isinstance(item, Brackets) and item.follows("OVER"):
            yield item
        elif isinstance(item, Brackets) and not item.starts_with("SELECT"):
            yield from _windows(item.items)


def _window(items: Sequence[Item]) -> Window:
    known = words(items)
    frame = next((place for place, kind in enumerate(known) if kind in {"ROWS", "RANGE"}), len(known))
    order = known.index("ORDER") if "ORDER" in known else frame
    partition, ordered = items[:order], items[order:frame]  # each with its first two words
    return Window(*(tuple(map(_key, _split(part[2:], ","))) if part else () for part in (partition, ordered)))


def _key(items: Sequence[Item]) -> str:
    return _DIRECTION.sub("", shown(items))


def _column(items: Sequence[Item]) -> Column:
    has_alias = len(items) > 2 and word(items[-2]) == "AS" and isinstance(items[-1], str)
    return Column(items[:-2], str(items[-1])) if has_alias else Column(items, None)


def _split(items: Sequence[Item], mark: str) -> list[Sequence[Item]]:
    places = [place for place, item in enumerate(items) if word(item) == mark]
    return [items[start + 1 : end] for start, end in zip([-1, *places], [*places, len(items)], strict=True)]


@dataclass(frozen=True)
class Statement:
    """A statement of one dialect."""

    text: str
    dialect: str

    @cached_property
    def code(self) -> str:
        """The text without its comments."""
        return _TEXT_OR_COMMENT.sub(lambda found: found[1] or "", self.text)

    @cached_property
    def bare(self) -> str:
        """The code with one word for every text in quotes."""
        return _TEXT.sub("'t'", self.code)

    @cached_property
    def brackets(self) -> list[Brackets]:
        """The whole, and all brackets in it."""
        whole = Brackets()
        open_ones = [whole]
        for token in _TOKEN.findall(self.bare):
            if token == "(":
                inner = Brackets(before=open_ones[-1].items[-3:])
                open_ones[-1].items.append(inner)
                open_ones.append(inner)
            elif token == ")":
                open_ones.pop()
            else:
                open_ones[-1].items.append(token)
        return list(whole.within())

    @cached_property
    def selects(self) -> list[Select]:
        """Every SELECT, the outermost last of those at the first depth."""
        return [select for brackets in self.brackets for select in _selects(brackets)]

    @property
    def stages(self) -> list[str]:
        """The names of its stages."""
        stages = [brackets for brackets in self.brackets if brackets.follows("AS") and brackets.starts_with("SELECT")]
        return [name for stage in stages for name in stage.before[-2:-1] if isinstance(name, str)]


def _selects(brackets: Brackets) -> Iterator[Select]:
    kinds = words(brackets.items)
    starts = [place for place, kind in enumerate(kinds) if kind == "SELECT"]
    for start, following in zip(starts, [*starts[1:], len(kinds)], strict=False):
        part = kinds[start + 1 : following]
        end = start + 1 + next((place for place, kind in enumerate(part) if kind in _SETS), len(part))
        yield Select(brackets.items[start + 1 : end], brackets, is_united=len(starts) > 1)
