"""What does the output of part 1 call? These few operators, in plain Python; the staged ones understand them too."""

from __future__ import annotations

import builtins
import contextlib
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")
IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv,
    "//=": operator.ifloordiv, "%=": operator.imod, "**=": operator.ipow, "<<=": operator.ilshift,
    ">>=": operator.irshift, "&=": operator.iand, "|=": operator.ior, "^=": operator.ixor, "@=": operator.imatmul,
}  # fmt: skip
slice = builtins.slice


def bounds(fun: Callable[..., tuple[Any, ...]], *values: Any) -> builtins.slice:
    """A slice with the bounds, and the step, that `fun` computes of `values`."""
    return builtins.slice(*fun(*values))


class Maybe:
    """A variable that may not have a value: `present` is False, True or, while staging, a traced bool.

    Attributes:
      present: whether the variable has its value.
      value: the value, meaningless where `present` does not hold.
      name: the variable's name.
      missing: the branches that may have left it unassigned, as a `mismatch.Lost`; None where it was a loop.
    """

    __slots__ = ("missing", "name", "present", "value")

    def __init__(self, present: Any, value: Any, name: str, missing: Any = None) -> None:
        self.present, self.value, self.name, self.missing = present, value, name, missing

    def __repr__(self) -> str:
        return (
            f"Undefined({self.name!r})" if self.present is False else f"Maybe({self.name!r}, {self.value!r})"
        )


class Returned(Maybe):
    """The return value of a function while it is not sure that a `return` was reached."""

    __slots__ = ()


NO_RETURN = Returned(False, None, "the return value")


def Undefined(name: str) -> Maybe:
    """A variable that has not been assigned yet."""
    return Maybe(False, None, name)


def Return(value: Any) -> Returned:
    """`return value`, taken inside a statement that has to be left first."""
    return Returned(True, value, "the return value")


class catching:  # noqa: N801 (called like a function)
    """A `try`, whose exceptions Python's own `except` catches."""

    def __init__(self, _kinds: Callable[[], Any]) -> None:
        self._passed = False

    def __enter__(self) -> None:
        """Does nothing."""

    def __exit__(self, kind: Any, *_: object) -> None:
        self._passed = kind is None

    def passed(self) -> bool:
        """Whether nothing was raised."""
        return self._passed


passed = catching.passed


def catches(_tried: catching, _number: int, _kind: Callable[[], Any]) -> bool:
    """Whether a traced condition has raised what a handler catches."""
    return False


def exception(_tried: catching, _number: int) -> None:
    """The exception that a handler has caught, and which a traced condition has raised."""


again = exception


def cause(error: BaseException) -> BaseException:
    """The exception that another one is raised from."""
    return error


def leave(_tried: catching) -> None:
    """What a traced condition has raised, and nothing has caught, goes on."""


def settling(_tried: catching) -> contextlib.AbstractContextManager[None]:
    """Around a `try` and what it does with exceptions."""
    return contextlib.nullcontext()


def each_variant(_subject: Any) -> bool:
    """Whether an `if` runs, as it does for each variant of a value: a value of Python's is one."""
    return True


class Suppress(contextlib.suppress):
    """`contextlib.suppress` around a `try` that catches the same."""


def suppressing(manager: Any) -> Any:
    """A manager around a `try` that catches what it suppresses, if it is `contextlib.suppress`."""
    kinds = manager._exceptions if type(manager) is contextlib.suppress else None  # type: ignore[attr-defined]
    return manager if kinds is None else Suppress(*kinds)


def suppressed(callee: Any, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """What an `except` catches in a `with` that calls something of the name of `contextlib.suppress`."""
    return kinds if callee is contextlib.suppress else ()


def unraised() -> bool:
    """Whether Python would run the statement: where Python runs, it does."""
    return True


def unwind() -> None:
    """Ends what nothing runs of after an exception."""


proceed = unwind


def failure() -> None:
    """What says which check has failed so far."""


def unraised_since(_known: None) -> None:
    """Ends a statement that changes something after it may have raised."""


def quotient(left: Any, right: Any) -> Any:
    """`left / right`."""
    return left / right


def floor_quotient(left: Any, right: Any) -> Any:
    """`left // right`."""
    return left // right


def remainder(left: Any, right: Any) -> Any:
    """`left % right`."""
    return left % right


def divisor(_left: Any, right: Any, _sign: str) -> Any:
    """What a number is divided by."""
    return right


def returned(ret: Maybe) -> Any:
    """Whether a `return` was reached."""
    return ret.present


def without(names: Any, ours: str) -> Any:
    """What `locals()`, `vars()` or `dir()` gives, without a name of ours."""
    if ours in names:
        names.pop(ours) if isinstance(names, dict) else names.remove(ours)
    return names


def until(stop: Callable[[], Any], iterable: Iterable[T]) -> Iterator[T]:
    """Yields from `iterable` until `stop()` holds; it is asked before an item is taken, as `break` would leave."""
    iterator = iter(iterable)
    while not stop():
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item


def view(*_names: Any, **_options: bool) -> None:
    """Whether an item of a view is written matters where arrays are values; Python's are changed in place."""


viewed = view


def unread(_value: Any) -> None:
    """Whether `x += v` makes a new array that nothing reads matters where arrays are values; Python's is changed in place."""


def walked(_value: Any, *_builtins: Any) -> None:
    """The array whose places a loop is to count: Python gives the items of each as they are by then."""
    return


def places_of(value: T, _walked: None) -> T:
    """What a loop walks over."""
    return value


def at_place(_now: Any, item: T, _walked: None) -> T:
    """The item that a loop has come to."""
    return item


def defined(value: T, *, free: bool = False) -> T:
    """`value`, unless the variable read is unassigned."""
    if isinstance(value, Maybe) and value.present is False:
        raise unbound(value.name, free=free)
    return value


def unbound(name: str, *, free: bool) -> NameError:
    """What Python raises where a variable has no value: one of the function's own, or of a function around it."""
    where = "where it is not associated with a value"
    if free:
        return NameError(f"cannot access free variable '{name}' {where} in enclosing scope")
    return UnboundLocalError(f"cannot access local variable '{name}' {where}")


def assigned(value: Any) -> Any:
    """The value of a variable that is known to have one where this is evaluated."""
    return value.value if isinstance(value, Maybe) else value


def held(value: Any) -> Any:
    """What a variable holds that may have no value; not what a function gives back, after which nothing is done."""
    return value.value if type(value) is Maybe and value.present is not False else value


def deleted(value: Any, name: str) -> Maybe:
    """What a name holds after `del`."""
    defined(value)
    return Undefined(name)


def truth(value: object) -> bool:
    """Whether a test holds: Python asks an operand that decides once."""
    return bool(value)


def python_structure(value: T, _deep: bool, _sequences: int = 0) -> T:
    """The subject of a `match` that asks for its class or its items."""
    return value


def reached(_: bool) -> bool:
    """Whether a statement has been reached: Python reaches what it runs."""
    return True


def found(value: T, _reached: bool, _name: str) -> T:
    """`value`, which a `finally` reads."""
    return value


def method_of_item(base: Any, index: Any, name: str) -> Any:
    """`base[index].name`, a method that changes a container."""
    return getattr(base[index], name)


def set_item(base: T, index: Any, value: Any) -> T:
    """`base[index] = value`; returns `base`."""
    base[index] = value  # type: ignore[index]
    return base


def store(value: Any, base: T, *steps: Any) -> T:
    """`base.a[i] = value` for the steps `'a', (i,)`; returns `base`."""
    _write(_reach(base, steps[:-1]), evaluated(steps[-1]), value)
    return base


def update_item(base: T, *steps_operator_operand: Any) -> T:
    """`base.a[i] += operand()` for the steps `'a', (i,)` and the operator `'+='`; returns `base`."""
    *steps, symbol, operand = steps_operator_operand
    owner = _reach(base, steps[:-1])
    last = evaluated(steps[-1])
    _write(owner, last, IN_PLACE[symbol](_read(owner, last), operand()))
    return base


def step(index: Callable[[], Any]) -> Callable[[], Any]:
    """`[index()]` as a step of a path: the index is evaluated once what it is an item of has been reached."""
    return index


def evaluated(step: Any) -> Any:
    """A step with its index evaluated."""
    return (step(),) if callable(step) else step


def still(_before: object, _new: object, now: T) -> T:
    """What a variable is after a statement that has written an item of what it was."""
    return now


def _reach(base: Any, steps: Iterable[Any]) -> Any:
    for step in steps:
        base = _read(base, evaluated(step))
    return base


def _read(owner: Any, step: Any) -> Any:
    return getattr(owner, step) if isinstance(step, str) else owner[step[0]]


def _write(owner: Any, step: Any, value: Any) -> None:
    if isinstance(step, str):
        setattr(owner, step, value)
    else:
        owner[step[0]] = value
