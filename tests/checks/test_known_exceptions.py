"""Is what Python raises because a value is traced never taken for what it raises with the value?"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import enum
import fractions
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import PythonOnlyError


class Status(enum.Enum):
    IDLE = 1
    BUSY = 2


class Holder:
    def __init__(self):
        self.u = self.v = 0

    def member(self, n):
        try:
            return Status(n).value
        except ValueError:
            return -1


@dataclasses.dataclass(frozen=True)
class Frozen:
    u: object = 0


def member(n):
    try:
        return Status(n).value
    except ValueError:
        return -1


def member_of_a_sum(n):
    try:
        return Status(n * 2 - n).value
    except ValueError:
        return -1


def member_in_a_method(n):
    return Holder().member(n)


def member_in_a_loop(n):
    total = 0
    for i in range(n):
        try:
            total += Status(i).value
        except ValueError:
            total -= 1
    return total


def member_in_a_callee(n):
    def found(number):
        return Status(number).value

    try:
        return found(n)
    except Exception:
        return -1


def member_suppressed(n):
    found = -1
    with contextlib.suppress(ValueError):
        found = Status(n).value
    return found


def member_dropped(n):
    found = -1
    for _ in range(1):
        try:
            found = Status(n).value
        finally:
            break
    return found


def fraction(n):
    try:
        return fractions.Fraction(n, 3).numerator
    except TypeError:
        return -1


def days(n):
    try:
        return datetime.timedelta(n + 1).days
    except TypeError:
        return -1


def days_of_a_call(n):
    try:
        return datetime.timedelta(days=max(n, 1)).days
    except TypeError:
        return -1


def bits(n):
    try:
        return n.to_bytes(2)
    except AttributeError:
        return -1


def chosen_name(n):
    holder = Holder()
    try:
        setattr(holder, "u" if n > 1 else "v", 10)
        done = 1
    except TypeError:
        done = -1
    return done, holder.u, holder.v


@pytest.mark.parametrize("run", [al.convert, lambda f: jax.jit(al.to_graph(f))], ids=["convert", "jit"])
@pytest.mark.parametrize(
    "f",
    [member, member_of_a_sum, member_in_a_method, member_in_a_loop, member_in_a_callee, member_suppressed,
     member_dropped, fraction, days, days_of_a_call, bits, chosen_name],
)  # fmt: skip
def test_an_exception_that_a_traced_value_brings_about_is_not_caught(run, f):
    said = "is caught, is raised because a value is traced|is looked up by a traced value|know which of several a value is"
    with pytest.raises(PythonOnlyError, match=said):
        run(f)(jnp.int32(2))


def test_the_refusal_names_the_line_and_the_remedy():
    with pytest.raises(PythonOnlyError) as refused:
        al.convert(days)(jnp.int32(2))
    assert isinstance(refused.value.__cause__, TypeError)
    first, _, line, _, fix, *_ = str(refused.value).splitlines()
    assert first == (
        "'TypeError', which is caught, is raised because a value is traced. "
        "unsupported type for timedelta days component: traced value"
    )
    assert line.strip() == "return datetime.timedelta(n + 1).days"
    assert "decide with `if` or `match` on the value" in fix


def no_number(n):
    try:
        return float("abc") + n
    except ValueError:
        return n - 1


def no_item(n):
    try:
        return {"a": n}["b"]
    except KeyError:
        return n - 2


def no_place(n):
    try:
        return [n, n + 1][n.ndim + 3]
    except IndexError:
        return n - 3


def stored_past_the_end(n):
    found = [0]
    try:
        found[1] = n
    except IndexError:
        found[0] = n
    return found[0]


def no_attribute_of_an_object(n):
    holder: Any = Holder()
    try:
        return holder.w + n
    except AttributeError:
        return n - 4


def no_attribute_of_any_number(n):
    try:
        return n.detach()
    except AttributeError:
        return n - 5


def one_argument_too_few(n):
    def both(a, b):
        return a + b

    call: Any = both
    try:
        return call(n)
    except TypeError:
        return n - 6


def no_such_argument_of_a_class(n):
    length: Any = datetime.timedelta
    try:
        return length(n, hour=1).days
    except TypeError:
        return n - 7


def nothing_to_call(n):
    call: Any = None
    try:
        return call(n)
    except TypeError:
        return n - 8


def raised_by_hand(n):
    def checked(a):
        if a.ndim == 0:
            raise ValueError(a)
        return a

    try:
        return checked(n)
    except ValueError:
        return n - 9


def shapes_that_do_not_fit(n):
    try:
        return jnp.sum(jnp.ones(3) * n + jnp.ones(4))
    except (TypeError, ValueError):
        return n - 10


def written_to_a_frozen_one(n):
    frozen: Any = Frozen()
    try:
        frozen.u = n
        return n
    except dataclasses.FrozenInstanceError:
        return n - 11


def known_member(n):
    try:
        return Status(n.ndim).value + n
    except ValueError:
        return n - 12


def known_days(n):
    length: Any = datetime.timedelta
    try:
        return length(str(n.ndim)).days
    except TypeError:
        return n - 13


def no_length(n):
    try:
        return len(n)
    except TypeError:
        return n - 14


def taken_apart(n):
    try:
        a, b = [n] * 3
    except ValueError:
        a, b = n, 15
    return a - b


@pytest.mark.parametrize(
    "f",
    [no_number, no_item, no_place, stored_past_the_end, no_attribute_of_an_object, no_attribute_of_any_number,
     one_argument_too_few, no_such_argument_of_a_class, nothing_to_call, raised_by_hand, shapes_that_do_not_fit,
     written_to_a_frozen_one, known_member, known_days, no_length, taken_apart],
)  # fmt: skip
def test_an_exception_that_the_values_have_no_part_in_is_caught(f):
    assert al.convert(f)(jnp.int32(2)) == f(np.int32(2))
    assert jax.jit(al.to_graph(f))(jnp.int32(2)) == f(np.int32(2))
