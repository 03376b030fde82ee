"""Does an exception come out with what was set in it after it was made, with its notes, its cause and its context?"""

from __future__ import annotations

import sys
import traceback

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from tests.checks.outcomes import raised


class Rejected(Exception):
    def __init__(self, text, code=0):
        super().__init__(text)
        self.code = code

    def with_code(self, code):
        self.code = code
        return self


class Detailed(Exception):
    def __init__(self, text):
        super().__init__(text)
        self.details, self.rows, self.tags, self.info = {}, [], set(), Info(1)


class Slotted(Exception):
    __slots__ = ("code",)


class Info:
    def __init__(self, a):
        self.a = a


def attribute(x):
    if x < 0:
        error = Rejected("negative")
        error.code = 7
        raise error
    return x


def traced_attribute(x):
    if x < 0:
        error = Rejected("negative")
        error.code = x * 2
        raise error
    return x


def new_attribute(x):
    if x < 0:
        error = ValueError("negative")
        error.row = x
        raise error
    return x


def deleted(x):
    error = Rejected("negative")
    del error.code
    if x < 0:
        raise error
    return x


def arguments(x):
    if x < 0:
        error = ValueError("negative")
        error.args = ("below", x)
        raise error
    return x


def inside(x):
    if x < 0:
        error = Detailed("negative")
        error.details["row"] = x
        error.rows.append(x)
        error.rows.append(2)
        error.tags.add("t")
        error.info.a = 5
        raise error
    return x


def an_object(x):
    info = Info(x)
    if x < 0:
        error = Rejected(info, info)
        error.inner = Info(x + 1)
        raise error
    return x


def slot(x):
    if x < 0:
        error = Slotted("negative")
        error.code = x
        raise error
    return x


def pythons_room(x):
    if x < 0:
        error = OSError(2, "missing")
        error.filename = "name"
        raise error
    return x


def by_a_method(x):
    if x < 0:
        raise Rejected("negative").with_code(x)
    return x


def caught(x):
    try:
        if x < 0:
            error = Rejected("negative")
            error.code = x
            raise error
    except Rejected as e:
        return e.code * 2
    return x


def raised_again(x):
    try:
        if x < 0:
            raise Rejected("negative")
    except Rejected as e:
        e.code, e.row = x * 2, 3
        raise
    return x


def caught_again(x):
    try:
        try:
            if x < 0:
                raise Rejected("negative", x)
        except Rejected as e:
            e.code = e.code + 1
            e.more = x
            raise
    except Rejected as e:
        return e.code + e.more
    return x


def caught_another(x):
    try:
        try:
            if x < 0:
                raise Rejected("negative", x)
        except Rejected as e:
            raise ValueError(e.code) from e
    except ValueError as e:
        return e.args[0] * 3
    return x


def raised_twice(x):
    try:
        if x < 0:
            raise Rejected("negative")
    except Rejected as e:
        if x < -1:
            e.code = x
            raise
        raise
    return x


def note(x):
    try:
        if x < 0:
            raise KeyError("k")
    except KeyError as e:
        e.add_note("first")
        e.add_note(f"x is {x:.1f}")
        raise
    return x


def note_before(x):
    if x < 0:
        error = ValueError("negative")
        error.add_note(f"x is {x:.1f}")
        raise error
    return x


def note_of_two(x):
    try:
        if x < 0:
            raise Rejected("negative")
        if x > 5:
            raise ValueError("large")
        if x > 3:
            raise KeyError("not caught")
    except (Rejected, ValueError) as e:
        e.add_note("here")
        e.row = x
        raise
    return x


def chosen_note(x):
    try:
        if x < 0:
            raise Rejected("negative")
    except Rejected as e:
        e.add_note("far" if x < -1 else "near")
        raise
    return x


def _marks(error, x):
    error.add_note("by another")
    error.code = x


def note_by_another(x):
    try:
        if x < 0:
            raise Rejected("negative")
    except Rejected as e:
        _marks(e, x)
        raise
    return x


def context(x):
    try:
        if x < 0:
            raise KeyError("k", x)
    except KeyError:
        raise ValueError("while")  # noqa: B904
    return x


def context_of_several(x):
    try:
        if x < -1:
            raise KeyError("a")
        if x < 0:
            raise KeyError("b", x)
        if x > 5:
            raise ValueError("c")
    except (KeyError, ValueError):
        raise RuntimeError("while")  # noqa: B904
    return x


def cause_of_several(x):
    try:
        if x < -1:
            raise ValueError("a")
        if x < 0:
            raise ValueError("b", x)
        if x > 5:
            raise KeyError("c")
    except (KeyError, ValueError) as e:
        raise RuntimeError("from") from e
    return x


def chain(x):
    try:
        try:
            if x < 0:
                raise KeyError("c")
        except KeyError as c:
            raise ValueError("b") from c
    except ValueError as b:
        raise Rejected("a") from b
    return x


def context_in_a_callee(x):
    try:
        if x < 0:
            raise KeyError("k")
    except KeyError:
        attribute(x)
    return x


def no_context_afterwards(x):
    try:
        if x < 0:
            raise KeyError("k")
    except KeyError:
        x = x * 2
    if x < 0:
        raise ValueError("after")
    return x


def context_known(x):
    try:
        return {}["k"] + x
    except KeyError:
        if x < 0:
            raise ValueError("negative")  # noqa: B904
    return x


def asked_for(x):
    try:
        if x < 0:
            raise Rejected("negative", x)
        if x > 5:
            raise Rejected("large", 2 * x)
    except Rejected:
        return sys.exception().code + (1 if sys.exc_info()[0] is Rejected else 0)
    return x if sys.exception() is None else 0.0


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        try:
            if x + i < -1:
                error = Rejected("negative")
                error.code = x * i
                raise error
            total += x
        except Rejected as e:
            total += e.code
            e.add_note(f"pass {i}")
            e.index = i
            if x + i < -3:
                raise
    return total


PROGRAMS = [
    attribute, traced_attribute, new_attribute, deleted, arguments, inside, an_object, slot, pythons_room, by_a_method, caught,
    raised_again, caught_again, caught_another, raised_twice, note, note_before, note_of_two, chosen_note, note_by_another,
    context, context_of_several, cause_of_several, chain, context_in_a_callee, no_context_afterwards, context_known,
    asked_for, in_a_loop,
]  # fmt: skip


def _told(value):
    """What an exception holds, and an object that it holds."""
    if isinstance(value, BaseException):
        held = {name: each for name, each in vars(value).items() if not name.startswith("__pytest")}
        more = [getattr(value, name, None) for name in ("code", "errno", "filename")]
        others = value.__cause__, value.__context__, value.__suppress_context__
        return [type(value).__name__, *map(_told, (value.args, held, more, others))]
    if isinstance(value, Info):
        return _told(value.a)
    if isinstance(value, (list, tuple)):
        return [*map(_told, value)]
    if isinstance(value, dict):
        return {name: _told(each) for name, each in value.items()}
    return value if isinstance(value, (str, set, type(None))) else float(value)


def _outcome(fn, x):
    try:
        return _told(fn(x))
    except Exception as error:
        return _told(error)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_an_exception_holds_what_it_holds_in_python(program) -> None:
    converted = autograph_lite.convert(program)
    for x in (1.0, -1.0, -2.0, -5.0, 4.0, 6.0):
        assert _outcome(converted, jnp.float32(x)) == _outcome(program, np.float32(x))


def test_what_the_caller_handles_is_the_context_of_the_first() -> None:
    converted = autograph_lite.convert(context)
    for error in (TypeError("around"), OSError("around")):
        try:
            raise error
        except (TypeError, OSError):
            found = raised(ValueError, converted, jnp.float32(-1))
        assert type(found.__context__) is KeyError
        assert found.__context__.__context__ is error
    found = raised(ValueError, converted, jnp.float32(-1))
    assert found.__context__ is not None
    assert found.__context__.__context__ is None


def test_each_call_gets_an_exception_of_its_own() -> None:
    converted = autograph_lite.convert(by_a_method)
    first, second = (raised(Rejected, converted, jnp.float32(x)) for x in (-1, -2))
    assert (float(first.code), float(second.code)) == (-1, -2)


def test_an_object_from_outside_stays_the_one_that_it_is() -> None:
    class Solver:
        def __init__(self):
            self.state = np.float32(3)

        def step(self, x):
            if x < 0:
                raise Rejected(self)
            self.state = self.state + x
            return self.state

    solver = Solver()
    step = autograph_lite.convert(solver.step)
    assert float(step(jnp.float32(1))) == 4
    assert raised(Rejected, step, jnp.float32(-1)).args[0] is solver
    assert float(solver.state) == 4


def test_a_note_on_one_path_is_refused() -> None:
    def f(x):
        try:
            if x < 0:
                raise Rejected("negative")
        except Rejected as e:
            if x < -1:
                e.add_note("far")
            raise
        return x

    with pytest.raises(autograph_lite.MutationError, match="raise on the path that adds it"):
        autograph_lite.convert(f)(jnp.float32(1))


def test_lanes_and_derivatives() -> None:
    converted = autograph_lite.to_graph(caught_again)
    xs = jnp.array([1.0, -1.0, -4.0])
    assert jax.vmap(converted)(xs).tolist() == [1, -1, -7]
    assert jax.vmap(jax.grad(converted))(xs).tolist() == [1, 2, 2]


def test_the_traceback_of_what_a_traced_condition_has_raised_is_refused():
    def f(x):
        try:
            if x < 0:
                raise Rejected("negative")
        except Rejected:
            return traceback.format_exc()
        return ""

    def known(x):
        try:
            {}["k"]
        except KeyError:
            return traceback.format_exc().splitlines()[-1], x
        return "", x

    with pytest.raises(
        autograph_lite.PythonOnlyError, match=r"^traceback\.format_exc\(\) is called for an exception"
    ):
        autograph_lite.convert(f)(np.float32(-2))
    assert autograph_lite.convert(known)(np.float32(-2)) == known(np.float32(-2))


def test_attribute_may_be_one_of_several_exceptions():
    def kept(x):
        try:
            try:
                if x < 0:
                    raise ArithmeticError("neg")
                if x == 0:
                    raise ValueError("zero", 3)
            except (ArithmeticError, ValueError) as error:
                raise Detailed(error) from error
            return x
        except Detailed as error:
            last = error.args[0]
            return 10.0 * len(last.args) + (isinstance(last, ValueError) if x < 5 else 0)

    for x in (3.0, -1.0, 0.0):
        assert autograph_lite.convert(kept)(jnp.asarray(x)) == kept(x)
