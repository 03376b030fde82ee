"""Do pdb, coverage, the jaxpr and the compiled program know the user's lines?"""

from __future__ import annotations

import io
import pathlib
import pdb
import re
import sys

import jax
import jax.numpy as jnp
import pytest

import autograph_lite

from . import model

PATH = str(pathlib.Path(model.__file__))
X, RATE = jnp.float32(20), jnp.float32(0.5)
BODY = {5, 6, 7, 8, 9, 10, 12, 13}  # the lines of `settle`, both branches


class _Stops(pdb.Pdb):
    """A debugger that notes where it stops, and goes on."""

    def __init__(self) -> None:
        super().__init__(stdin=io.StringIO(), stdout=io.StringIO(), nosigint=True)
        self.stops: list[tuple[int, str, list[str]]] = []

    def user_line(self, frame) -> None:
        if frame.f_code.co_filename == PATH:
            self.stops.append((frame.f_lineno, frame.f_code.co_name, sorted(frame.f_locals)))
        self.set_continue()


@pytest.mark.parametrize("line", sorted(BODY))
def test_a_breakpoint_stops(line: int) -> None:
    converted = autograph_lite.to_graph(model.settle)
    debugger = _Stops()
    before = sys.gettrace()

    assert debugger.set_break(PATH, line) is None
    try:
        debugger.runcall(jax.make_jaxpr(lambda *args: converted(*args)), X, RATE)
    finally:
        sys.settrace(before)
        debugger.clear_all_breaks()

    assert {(stop[0], stop[1]) for stop in debugger.stops} == {(line, "settle")}


def test_a_stopped_debugger_sees_the_users_variables() -> None:
    debugger = _Stops()
    before = sys.gettrace()

    debugger.set_break(PATH, 7)
    try:
        debugger.runcall(jax.make_jaxpr(lambda *args: autograph_lite.to_graph(model.settle)(*args)), X, RATE)
    finally:
        sys.settrace(before)
        debugger.clear_all_breaks()

    assert {"x", "steps"} <= set(debugger.stops[0][2])


def executed(fn, *args) -> set[int]:
    """The lines of the user's file that run, as coverage counts them."""
    lines: set[int] = set()

    def trace(frame, event, _):
        if frame.f_code.co_filename != PATH:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        fn(*args)
    finally:
        sys.settrace(before)
    return lines


def test_both_branches_count_as_run_where_both_are_staged() -> None:
    assert executed(autograph_lite.convert(model.settle), X, RATE) == BODY


@pytest.mark.parametrize("x", [20.0, 2.0, 0.5])
def test_the_branch_that_python_takes_counts_as_run(x: float) -> None:
    assert executed(autograph_lite.to_graph(model.settle), x, 0.5) == executed(model.settle, x, 0.5)


def test_the_jaxpr_names_the_users_lines() -> None:
    jaxpr = jax.make_jaxpr(autograph_lite.to_graph(model.settle))(X, RATE)

    text = jaxpr.pretty_print(source_info=True)

    found = {int(line) for line in re.findall(re.escape(PATH) + r":(\d+)", text)}
    assert {6, 7, 8, 9, 10, 12} <= found
    assert "autograph_lite/operators" not in text


def test_the_lowered_program_names_the_users_lines() -> None:
    text = jax.jit(autograph_lite.to_graph(model.settle)).lower(X, RATE).as_text(debug_info=True)

    found = {int(line) for line in re.findall(re.escape(PATH) + r'":(\d+)', text)}
    assert {6, 7, 8, 9, 10, 12} <= found


def test_the_compiled_program_names_the_users_file_and_lines() -> None:
    text = jax.jit(autograph_lite.to_graph(model.settle)).lower(X, RATE).compile().as_text()

    assert PATH in text
    assert "autograph_lite/operators" not in text
    lines = {int(line) for line in re.findall(r"(?:source_line=|\bline=)(\d+)", text)}
    assert {6, 7, 8} <= lines


def test_what_jax_says_of_a_program_names_the_function_and_its_line() -> None:
    def twice(n):
        return n * 2

    code = twice.__code__
    traced = autograph_lite.convert(twice).get_concrete_function(jnp.int32(3)).jaxpr
    assert f"twice at {code.co_filename}:{code.co_firstlineno}" in traced.jaxpr.debug_info.func_src_info
