"""What does a library see of the code that calls it? The user's frames and functions, converted or not."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import heapq
import json
import linecache
import logging
import pickle
import sys
import traceback
import typing
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite.operators.calls import callables

FORMS: dict[str, Callable[[Any], Any]] = {
    "light": autograph_lite.to_graph,
    "full": callables.convert_callable,
}


@pytest.fixture(params=FORMS)
def converted(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return FORMS[request.param]


def helper(x: float) -> float:
    return 2 * x


class Stored(typing.NamedTuple):
    fn: Any


@dataclasses.dataclass
class Held:
    fn: Any


def warns(x: float) -> float:
    warnings.warn("here", UserWarning)  # noqa: B028
    if x > 0:
        warnings.warn("there", DeprecationWarning, stacklevel=2)
    return x


def warns_in_library() -> Any:
    logging.getLogger("unheard").warn("here")  # deprecated


def logs(x: float) -> None:
    if x > 0:
        logging.getLogger("a user's").warning("message")


def named() -> list[Any]:
    return [
        collections.namedtuple("Point", "x y").__module__,
        enum.Enum("Colour", "RED").__module__,
        typing.TypeVar("T").__module__,
        dataclasses.make_dataclass("Made", ["x"]).__module__ if sys.version_info >= (3, 12) else __name__,
        sys._getframe(1).f_code.co_name,
    ]


def fails() -> Any:
    return json.loads("{")


def keeps() -> list[Any]:
    """What holds a function holds that function."""
    queue: list[Any] = []
    heapq.heappush(queue, (1, helper))
    heapq.heappush(queue, (0, helper))
    part = functools.partial(helper, 2.0)
    return [
        len(queue),
        queue[0][1] is helper,
        Stored(helper).fn is helper,
        Held(helper).fn is helper,
        dict(fn=helper)["fn"] is helper,
        weakref.ref(helper)() is helper,
        functools.wraps(helper)(lambda: None).__wrapped__ is helper,
        part.func is helper,
        pickle.loads(pickle.dumps(part))(),
    ]


def test_a_warning_names_the_users_lines(converted: Callable[[Any], Any]) -> None:
    expected = [(__file__, warns.__code__.co_firstlineno + 1), (__file__, line() + 3)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        converted(warns)(1.0)
    assert [(warning.filename, warning.lineno) for warning in caught] == expected


def test_a_warning_while_tracing_names_the_line_that_calls() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _, expected = autograph_lite.convert(warns)(jnp.ones(())), line()
    assert [(w.filename, w.lineno) for w in caught if str(w.message) == "there"] == [(__file__, expected)]


def test_a_librarys_warning_names_the_line_that_calls_it(converted: Callable[[Any], Any]) -> None:
    with pytest.warns(DeprecationWarning) as caught:
        converted(warns_in_library)()
    assert (caught[0].filename, caught[0].lineno) == (__file__, warns_in_library.__code__.co_firstlineno + 1)


def test_a_log_record_names_the_users_line(
    converted: Callable[[Any], Any], caplog: pytest.LogCaptureFixture
) -> None:
    converted(logs)(1.0)
    (record,) = caplog.records
    assert (record.pathname, record.funcName) == (__file__, "logs")
    assert record.lineno == logs.__code__.co_firstlineno + 2


def test_what_a_library_names_after_its_caller_is_the_users(converted: Callable[[Any], Any]) -> None:
    assert converted(named)() == named()


def test_no_frame_of_ours_is_in_the_traceback_of_a_librarys_error(converted: Callable[[Any], Any]) -> None:
    def entries(fn: Callable[[], Any]) -> list[str]:
        with pytest.raises(json.JSONDecodeError) as caught:
            fn()
        return [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)][1:]

    assert entries(converted(fails)) == entries(fails)


def test_a_function_that_is_stored_stays_that_function(converted: Callable[[Any], Any]) -> None:
    assert converted(keeps)() == keeps() == [2, *[True] * 7, 4.0]


def test_a_list_handed_to_a_library_while_tracing_is_the_users() -> None:
    def pushes(x: jax.Array) -> jax.Array:
        queue: list[Any] = []
        heapq.heappush(queue, (1, helper))
        heapq.heappush(queue, (0, helper))
        return x + len(queue)

    assert autograph_lite.convert(pushes)(jnp.float32(1.0)) == 3.0


def test_local_names_are_the_users(converted: Callable[[Any], Any]) -> None:
    def names(x: float, *, scale: float = 2.0) -> tuple[Any, ...]:
        y = helper(x)
        return {**locals()}, {**vars()}, dir()

    assert converted(names)(1.0) == names(1.0)


def test_a_class_that_is_called_stays_as_it_is(converted: Callable[[Any], Any]) -> None:
    class Plain:
        pass

    converted(lambda: Plain())()
    assert "__annotations__" not in vars(Plain)


def test_a_compiler_flag_of_ours_is_not_the_users(converted: Callable[[Any], Any]) -> None:
    source = "def f(x: int): pass"
    names: dict[str, Any] = {"converted": converted}
    exec(
        compile(f"def user():\n    return compile({source!r}, 'a', 'exec')", "<a user's>", "exec", 0, True),
        names,
    )
    linecache.cache["<a user's>"] = (
        0,
        None,
        ["def user():\n", f"    return compile({source!r}, 'a', 'exec')\n"],
        "",
    )
    assert converted(names["user"])() == names["user"]()


def test_a_function_is_called_as_it_is_where_its_text_is_anothers(converted: Callable[[Any], Any]) -> None:
    names: dict[str, Any] = {}
    exec(compile("def f(x): return x", "<reused>", "exec"), names)
    linecache.cache["<reused>"] = (0, None, ["def f(x): return -x\n"], "<reused>")
    assert converted(lambda: names["f"](3))() == 3


def line() -> int:
    """The line that calls this."""
    return sys._getframe(1).f_lineno
