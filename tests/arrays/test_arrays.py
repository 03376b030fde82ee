"""NumPy programs with loops, of which only the import has been changed, give what NumPy gives, and so do their derivatives."""

import jax
import numpy as np
import pytest

import autograph_lite
from benchmarks.arrays.catalogue import CASES
from benchmarks.arrays.measuring import agree, bound, converted, gradient

STEP = 1e-5
everything = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
differentiable = pytest.mark.parametrize(
    "case", [case for case in CASES if case.by is not None], ids=lambda case: case.name
)


def over_numpy(case):
    return case.plain()(*case.given(small=True), **case.chosen(small=True))


def directional(case):
    """A derivative by central differences in double precision over NumPy, and the direction."""
    arrays = [np.asarray(a, np.float64) if a.dtype == np.float32 else a for a in case.given(small=True)]
    run = bound(case.plain(), case, small=True)
    direction = np.random.default_rng(3).normal(size=np.shape(arrays[case.by]))

    def at(step):
        moved = arrays[case.by] + step * direction
        return float(scalar_of(run(*(moved if k == case.by else a for k, a in enumerate(arrays)))))

    return (at(STEP) - at(-STEP)) / (2 * STEP), direction


def scalar_of(results):
    leaves = results if isinstance(results, tuple) else (results,)
    return sum(np.sum(np.square(x)) for x in leaves if np.asarray(x).dtype.kind == "f")


@everything
def test_a_program_gives_with_its_loops_staged_what_it_gives_over_numpy(case):
    found = converted(case, static_loops="stage")(*case.given(small=True), **case.chosen(small=True))
    agree(found, over_numpy(case), case.tolerance)


@everything
def test_the_version_by_hand_gives_what_the_program_gives_over_numpy(case):
    agree(
        jax.jit(bound(case.by_hand(), case, small=True))(*case.given(small=True)),
        over_numpy(case),
        case.tolerance,
    )


@differentiable
def test_the_gradient_of_a_program_is_that_of_finite_differences(case):
    slope, direction = directional(case)
    found = jax.jit(gradient(bound(converted(case, static_loops="stage"), case, small=True), case))(
        *case.given(small=True)
    )
    assert float(np.sum(np.asarray(found) * direction)) == pytest.approx(slope, rel=2e-2, abs=1e-2)


@everything
def test_no_loop_of_a_program_is_unrolled(case):
    decisions = autograph_lite.explain(converted(case, static_loops="stage"))(
        *case.given(small=True), **case.chosen(small=True)
    )
    unrolled = [d for d in decisions if d.statement == "for" and d.became == "unrolled"]
    assert all(d.trips == 1 for d in unrolled), [(d.source, d.why) for d in unrolled]
