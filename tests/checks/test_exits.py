"""`sys.exit` under a traced condition ends the program where the path is taken, and not while it is traced."""

from __future__ import annotations

import sys
from collections.abc import Callable
from sys import exit as leave
from typing import Any

import numpy as np
import pytest

from autograph_lite import convert


def in_a_branch(x: Any) -> Any:
    if x < 0:
        sys.exit(3)
    return x * 2


def by_another_name(x: Any) -> Any:
    if x < 0:
        leave("negative")
    return x * 2


def of_the_prompt(x: Any) -> Any:
    if x < 0:
        exit()  # noqa: PLR1722
    return x * 2


def in_a_loop(x: Any) -> Any:
    while abs(x) < 9:
        x = x * 2
        if x < -9:
            sys.exit(int(x))
    return x


class Guarded:
    def stop(self, x: Any) -> None:
        sys.exit(f"{x} is negative")

    def root(self, x: Any) -> Any:
        if x < 0:
            self.stop("x")
        return x**0.5


def in_a_method(x: Any) -> Any:
    return Guarded().root(x)


def caught(x: Any) -> Any:
    try:
        if x < 0:
            sys.exit(2)
    except SystemExit:
        x = x + 100
    return x


PROGRAMS = [in_a_branch, by_another_name, of_the_prompt, in_a_loop, in_a_method, caught]


def outcome(function: Callable[[Any], Any], x: Any) -> Any:
    try:
        return float(function(x))
    except SystemExit as error:
        return "left with", str(error.code)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("x", [4.0, -4.0])
def test_only_the_path_that_is_taken_leaves(program: Callable[[Any], Any], x: float) -> None:
    assert outcome(convert(program), np.float32(x)) == outcome(program, np.float32(x))
