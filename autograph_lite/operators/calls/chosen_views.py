"""`d.items()`, where a traced value decides which dict `d` is: what is seen is what the dicts hold when it is looked at."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

from autograph_lite.errors import BranchMismatchError
from autograph_lite.operators.values.one_of import OneOf, on_each, options_of

_VIEWS = ("keys", "values", "items")


def view_of(methods: OneOf) -> Callable[[], ChosenView] | None:
    """What is called in place of one of several dicts' `keys`, `values` or `items`; None for other callables."""
    options = options_of(methods)
    is_view = all(
        isinstance(each, types.BuiltinMethodType) and type(each.__self__) is dict and each.__name__ in _VIEWS
        for each in options
    )
    return (lambda: ChosenView(methods)) if is_view else None


class ChosenView:
    """The keys, values or items of one of several dicts, as many in each."""

    def __init__(self, methods: OneOf) -> None:
        self._methods = methods

    def each(self, fun: Callable[..., Any], **how: Any) -> Any:
        """`fun` of the view of each dict, by which what looks at keys knows them."""
        return on_each(lambda method: fun(method(), **how), self._methods)

    def _now(self) -> tuple[Any, ...]:
        found = self.each(tuple)
        if isinstance(found, tuple):
            return found
        raise BranchMismatchError(
            "A traced value decides which dict is gone through, and they have not as many keys.",
            why="How many items there are has to be known while tracing.",
            fix="go through each of the dicts on its path.",
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(self._now())

    def __reversed__(self) -> Iterator[Any]:
        return iter(self._now()[::-1])

    def __len__(self) -> int:
        return len(self._now())

    def __contains__(self, item: Any) -> bool:
        return bool(on_each(lambda method: item in method(), self._methods))

    def isdisjoint(self, other: Any) -> Any:
        """As a set's."""
        return on_each(lambda method: method().isdisjoint(other), self._methods)


def _operate(name: str, symbol: Callable[[Any, Any], Any], *, turned: bool = False) -> None:
    def operate(self: ChosenView, other: Any) -> Any:
        def of(method: Any) -> Any:
            return symbol(other, method()) if turned else symbol(method(), other)

        return on_each(of, self._methods, asks=True)

    setattr(ChosenView, name, operate)


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _operate(f"__{_name}__", getattr(operator, _name))
for _name, _symbol in (
    ("and", operator.and_),
    ("or", operator.or_),
    ("xor", operator.xor),
    ("sub", operator.sub),
):
    _operate(f"__{_name}__", _symbol)
    _operate(f"__r{_name}__", _symbol, turned=True)
