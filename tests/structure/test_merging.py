"""Do branches take what JAX's own merging has them take, whichever arrays they hold, and in whichever order?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, strategies as st

from autograph_lite.jax_internals.conditionals import branch_traces

XS = [np.float32(x) for x in (2, 3, 5, 7)]
CONSTANT = jnp.float32([11, 13])


def conditional(choices: Sequence[Sequence[int]]) -> Any:
    """One of several branches: each holds these arrays, and tells their order."""

    def program(test: Any, *xs: Any) -> list[Any]:
        held = [*xs, CONSTANT]

        def result(numbers: Sequence[int]) -> Any:
            found = xs[0] * 0 if 0 in numbers else jnp.float32(0)
            for number in numbers:
                found = found * 17 + jnp.sum(held[number])
            return found

        traces = []
        for numbers in choices:
            values: list[Any] = []
            trace = branch_traces.OpenTrace(lambda n=numbers, v=values: v.append(result(n)) or v, result)
            trace.finish(lambda trace=trace, v=values: [trace.lookup(v[0]), jnp.float32(1)])
            traces.append(trace)
        return list(branch_traces.OpenTrace.select(test, traces))

    return program


def as_jax_does(branches: Sequence[Any]) -> Any:
    separated, held = zip(*map(branch_traces.partial_eval.separate_consts, branches), strict=True)
    return branch_traces.common._merge_common_consts(separated, held)


@given(st.lists(st.lists(st.integers(0, len(XS)), max_size=4), min_size=2, max_size=4))
def test_the_program_is_that_of_jax(choices: list[list[int]]) -> None:
    tests: list[Any] = [True, False] if len(choices) == 2 else [np.int32(n) for n in range(len(choices))]
    program = conditional(choices)
    ours = jax.make_jaxpr(program)(tests[0], *XS)
    with mock.patch.object(branch_traces, "merged", as_jax_does):
        assert str(ours) == str(jax.make_jaxpr(conditional(choices))(tests[0], *XS))
    expected = [eager(numbers) for numbers in choices]
    assert [float(jax.jit(program)(test, *XS)[0]) for test in tests] == expected


def eager(numbers: Sequence[int]) -> float:
    found = 0.0
    for number in numbers:
        found = found * 17 + float(np.sum([*XS, np.asarray(CONSTANT)][number]))
    return found
