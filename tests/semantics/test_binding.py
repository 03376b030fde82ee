"""Does the spelling of a call count? No, but for the order in `**kwargs`: arguments are bound to parameters first."""

from __future__ import annotations

import autograph_lite

from .probe import C, Probe, ran
from .rows import deviates


def test_R20_keywords_and_positions() -> None:
    def f(x):
        ran()
        return x

    call = Probe(f)

    assert call(C(1)) == "1/1"
    assert (call(x=C(2)), call.value) == ("1/1", 2)
    assert call(1) == "2/2"
    assert (call(x=1), call.value) == ("2/2", 1)


def test_R21_a_default_that_is_passed() -> None:
    def f(x, y=1):
        ran()
        return x + y

    call = Probe(f)

    assert call(C(1)) == "1/1"
    assert call(C(1), 1) == "1/1"
    assert call(C(1), y=1) == "1/1"
    assert (call(C(1), 2), call.value) == ("2/2", 3)
    assert (call(C(1), C(1)), call.value) == ("3/3", 2)


def test_R22_the_number_of_arguments() -> None:
    def f(*args):
        ran()
        return sum(args)

    call = Probe(f)

    assert call(C(1)) == "1/1"
    assert call(C(1), C(2)) == "2/2"
    assert (call(C(1), C(2), C(3)), call.value) == ("3/3", 6)
    assert (call(C(3), C(4)), call.value) == ("3/3", 7)


@deviates(
    "1, 2, 3, 4: their order counts, as of a dict",
    why="the function may go through them, and must do it in the order of the call",
)
def test_R23_the_names_of_keywords() -> None:
    def f(**kwargs):
        ran()
        return kwargs

    call, a, b = Probe(f), C(1), C(2)

    assert call(a=a, b=b) == "1/1"
    assert (call(b=b, a=a), list(call.value)) == ("2/2", ["b", "a"])
    assert (call(a=a, c=b), call.value) == ("3/3", {"a": 1, "c": 2})
    assert call() == "4/4"


def test_R24_a_keyword_that_may_be_none() -> None:
    def f(x, *, k=None):
        ran()
        return x if k is None else x + k

    call = Probe(f)

    assert call(C(1)) == "1/1"
    assert call(C(1), k=None) == "1/1"
    assert (call(C(1), k=C(2)), call.value) == ("2/2", 3)
    assert (call(C(1), k=3), call.value) == ("3/3", 4)


def test_R25_a_list_for_a_default() -> None:
    def f(x, y=[1, 2]):
        ran()
        return x + y[1]

    call = Probe(f)

    assert call(C(1)) == "1/1"
    assert call(C(1), [1, 2]) == "1/1"
    assert (call(C(1), [1, 3]), call.value) == ("2/2", 4)


def test_R26_an_array_for_a_default() -> None:
    def f(x, y=C(5)):
        ran()
        return x + y

    call = Probe(f)

    assert (call(C(1)), call.value) == ("1/1", 6)
    assert (call(C(1), C(7)), call.value) == ("1/1", 8)


def test_R27_a_positional_only_parameter() -> None:
    def f(x, /, y):
        ran()
        return x + y

    call = Probe(f)
    python = "f() got some positional-only arguments passed as keyword arguments: 'x'"

    assert call(C(1), y=C(2)) == "1/1"
    assert call(C(1), C(2)) == "1/1"
    assert (
        call(x=C(1), y=C(2))
        == f"1/1 TypeError: {test_R27_a_positional_only_parameter.__name__}.<locals>.{python}"
    )


def test_R28_calls_that_do_not_fit_say_what_python_says() -> None:
    def f(x):
        ran()
        return x

    call = Probe(f)

    for args, kwargs in (((), {}), ((1, 2), {}), ((1,), {"z": 2})):
        assert call(*args, **kwargs) == f"0/0 TypeError: {_said(f, args, kwargs)}"


def _said(fn, args, kwargs):
    try:
        fn(*args, **kwargs)
    except TypeError as error:
        return str(error)


@deviates(
    "1, 2, 3: such names are keywords like others",
    why="no name of a keyword is changed, so that none can collide",
)
def test_R29_keywords_that_are_no_names() -> None:
    def f(**kwargs):
        ran()
        return sum(kwargs.values())

    call = Probe(f)

    assert call(**{"a-b": C(1)}) == "1/1"
    assert call(**{"a_b": C(1)}) == "2/2"
    assert (call(**{"a-b": C(1), "a_b": C(2)}), call.value) == ("3/3", 3)


@deviates("the types are the annotations of an `inspect.Signature`", why="that is what Python has for it")
def test_R150_a_function_type_prints_as_a_signature() -> None:
    def f(a, b=3, *args, k="s", **kwargs):
        return a

    f = autograph_lite.convert(f)
    concrete = f.get_concrete_function(C(1), 3, C(1.0), z=C(2))

    assert str(concrete.function_type) == (
        "(a: int32[], b: Literal[3], args_0: float32[], /, *, k: Literal['s'], z: int32[]) -> int32[]"
    )
