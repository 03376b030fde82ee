"""Whole programs over NumPy, of which only the import has been changed, give what NumPy gives."""

import jax
import pytest

import autograph_lite
from benchmarks.arrays.measuring import agree, bound
from benchmarks.whole import by_numba
from benchmarks.whole.catalogue import CASES
from benchmarks.whole.measuring import has_hand_version

# What each of these is told in place of a result.
REFUSED = {
    "gaussian_mixture": [
        "'m_step' writes an item of an array, float64[1,2], which is a part of 'X' there, and 'X' is read later (gaussian_mixture.py:71).",
        "  gaussian_mixture.py:62 in m_step",
        "      self.means[j] = resp[:, j] @ X / totals[j]",
        "  An array is a value to a compiled program: the change would be seen under one of the names only.",
        "  Fix: let 'm_step' return the array, and store it there: X[...] = m_step(...); where 'X' is to stay as it is, hand over a copy, `.copy()`.",
    ],
}


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


def over_numpy(case):
    return case.plain()(*case.given(small=True), **case.chosen(small=True))


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.name not in REFUSED], ids=lambda case: case.name
)
@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning")
def test_a_program_gives_what_it_gives_over_numpy(case):
    found = autograph_lite.convert(case.over_jax(), static_loops="stage")(
        *case.given(small=True), **case.chosen(small=True)
    )
    agree(found, over_numpy(case), case.tolerance)


@pytest.mark.parametrize("case", [case for case in CASES if case.name in REFUSED], ids=lambda case: case.name)
def test_a_program_that_is_refused_says_why(case):
    with pytest.raises(autograph_lite.AutographError) as raised:
        autograph_lite.convert(case.over_jax(), static_loops="stage")(
            *case.given(small=True), **case.chosen(small=True)
        )
    message = str(raised.value).partition("\nMore: ")[0]
    assert message.replace(f"{case.path().parent}/", "").splitlines() == REFUSED[case.name]


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
