"""Verifier: is a scan well-formed after a pass, and does it fit the arrays of its loop? Under `AUTOGRAPH_LITE_CHECK=1`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax._src import core
from jax.extend.core import check_jaxpr

from autograph_lite import config
from autograph_lite.jax_internals.dataflow.scan_ir import Scan


class BrokenPassError(BaseException):
    """A pass breaks what it promises: a fault of ours, which no `except Exception` is to take for the user's."""


class Verifier:
    """Checks a scan after each pass."""

    def __init__(self, jaxpr: Any) -> None:
        self._jaxpr, self._seen = jaxpr, [*map(id, jaxpr.eqns)]

    def __call__(self, name: str, scan: Scan, promise: Callable[[Scan], None] | None) -> None:
        """Checks what each pass leaves, and what this one promises; nothing where passes are not checked."""
        if not config.check_passes():
            return
        now = scan.jaxpr(self._jaxpr)
        seen = [*map(id, (*now.eqns, *now.invars, *now.outvars))]
        try:
            if seen != self._seen:  # most passes leave most loops as they are
                _check(scan, now)
            if promise is not None:
                promise(scan)
        except (AssertionError, core.JaxprTypeError) as error:
            raise BrokenPassError(f"after the pass {name!r}: {error}\n{now}") from error
        self._seen = seen


def _check(scan: Scan, jaxpr: Any) -> None:
    """Asserts that nothing in a scan is free or of another type, and that it takes what its loop gives."""
    check_jaxpr(jaxpr)
    given = {**scan.consts, **scan.carried}
    for variable, array in scan.rows.items():
        assert array.shape[0] == scan.length, f"{array.shape[0]} rows for {scan.length} iterations"
        given[variable] = core.mapped_leading_aval(scan.length, jax.typeof(array))
    assert len(jaxpr.invars) == len(given), "a variable is an input twice"
    assert scan.carried.keys() == scan.next.keys(), "what is carried is not what an iteration hands on"
    for variable, value in given.items():
        aval = value if isinstance(value, core.AbstractValue) else jax.typeof(value)
        assert core.typecompat(variable.aval, aval), f"{aval} is given for {variable.aval}"
    for variable, after in scan.next.items():
        assert core.typecompat(variable.aval, after.aval), f"{variable.aval} becomes {after.aval}"


def check_results(arrays: Sequence[Any], variables: Sequence[Any]) -> None:
    """Checks that what comes out of a rewritten loop is of the types of the variables that the loop had."""
    if config.check_passes():
        types = [jax.typeof(array) for array in arrays]
        wanted = [variable.aval for variable in variables]
        if not all(map(core.typecompat, wanted, types)):
            raise BrokenPassError(f"{wanted} have become {types}")
