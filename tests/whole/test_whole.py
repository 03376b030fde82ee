"""Whole programs over NumPy, of which only the import has been changed, give what NumPy gives."""

import jax
import pytest

import autograph_lite
from benchmarks.arrays.measuring import agree, bound
from benchmarks.whole import by_numba
from benchmarks.whole.catalogue import CASES
from benchmarks.whole.measuring import has_hand_version


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


def over_numpy(case):
    return case.plain()(*case.given(small=True), **case.chosen(small=True))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning")
def test_a_program_gives_what_it_gives_over_numpy(case):
    found = autograph_lite.convert(case.over_jax(), static_loops="stage")(
        *case.given(small=True), **case.chosen(small=True)
    )
    agree(found, over_numpy(case), case.tolerance)


@pytest.mark.parametrize("case", list(filter(has_hand_version, CASES)), ids=lambda case: case.name)
def test_the_version_by_hand_gives_what_the_program_gives_over_numpy(case):
    found = jax.jit(bound(case.by_hand(), case, small=True))(*case.given(small=True))
    agree(found, over_numpy(case), case.tolerance)


@pytest.mark.parametrize("case", list(filter(by_numba.has_numba_version, CASES)), ids=lambda case: case.name)
def test_what_numba_compiles_gives_what_the_program_gives_over_numpy(case):
    # As Python runs it: Numba takes seconds to compile each, and is installed for the benchmark alone.
    agree(
        by_numba.plain(case)(*case.given(small=True), **case.chosen(small=True)),
        over_numpy(case),
        case.tolerance,
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", list(filter(by_numba.has_numba_version, CASES)), ids=lambda case: case.name)
def test_numba_gives_what_the_program_gives_over_numpy(case):
    pytest.importorskip("numba")
    made = by_numba.compiled(by_numba.NumbaForm(case), case.given())
    agree(made.run(), case.plain()(*case.given(), **case.chosen()), case.tolerance)
