"""Are the `try` statements of a generator that waits none of the code's that runs meanwhile?"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from autograph_lite import HandledRaiseError, convert
from autograph_lite.tracing import thread

A = np.arange(12.0).reshape(3, 4)


def counted(x: Any) -> Iterator[Any]:
    try:
        yield x
        yield x + 1
    except ValueError:
        yield -5.0
    finally:
        len([])


def raised_meanwhile(a: Any, t: Any) -> Any:
    items = counted(t)
    next(items)
    if t > 3:
        raise ValueError("more than 3")
    return a[0, 0] + next(items)


def caught_meanwhile(a: Any, t: Any) -> Any:
    items = counted(t)
    next(items)
    try:
        if t > 3:
            raise ValueError("more than 3")
        total = 2.0
    except ValueError:
        total = -1.0
    for item in items:
        total = total + item
    return total


def ends_in_a_try(a: Any, t: Any) -> Any:
    items = counted(t)
    next(items)
    try:
        total = sum(list(items))
        if t > 3:
            raise ValueError("more than 3")
    except ValueError:
        total = -1.0
    return total


def narrowed_meanwhile(a: Any, t: Any) -> Any:
    items, j = counted(t), None
    next(items)
    for i in range(3):
        if a[i, 0] > t and j is None:
            j = i
    return a[j]


def two_at_once(a: Any, t: Any) -> Any:
    one, other = counted(t), counted(t * 2)
    total = next(one) + next(other)
    total += next(one) + sum(list(one)) + next(other)
    try:
        if t > 2:
            raise ValueError("more than 2")
    except ValueError:
        return total - 1
    finally:
        total += len([*other])
    return total


PROGRAMS = [raised_meanwhile, caught_meanwhile, ends_in_a_try, narrowed_meanwhile, two_at_once]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("t", [1.0, 2.5, 3.5])
def test_it_is_python_s(program: Callable[..., Any], t: float) -> None:
    try:
        expected = program(A.copy(), t)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)):
            convert(program)(A.copy(), np.array(t))
    else:
        np.testing.assert_allclose(convert(program)(A.copy(), np.array(t)), expected)


def test_what_is_raised_in_the_generator_is_still_its_own() -> None:
    def check(x: Any) -> None:
        if x > 3:
            raise ValueError

    def items(x: Any) -> Iterator[Any]:
        try:
            yield x
            check(x)
        except ValueError:
            yield -5.0

    with pytest.raises(HandledRaiseError, match="inside a `try` that catches it"):
        convert(lambda x: sum([*items(x)]))(np.array(1.0))


def test_a_generator_that_nobody_ends_leaves_nothing() -> None:
    def begin(t: Any) -> Any:
        items = counted(t)
        raise TypeError(f"after {len([next(items)])} item")

    with pytest.raises(TypeError, match="after 1 item") as held:  # its traceback holds the generator
        convert(begin)(np.array(2.5))
    assert (thread.now.tried, thread.now.handlers, thread.now.around) == ((), (), None)
    np.testing.assert_array_equal(convert(narrowed_meanwhile)(A.copy(), np.array(1.0)), A[1])
    del held
    gc.collect()  # pytest makes an error of what a `finally` raises there
