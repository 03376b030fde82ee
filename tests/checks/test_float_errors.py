"""What a function tells NumPy of errors of floats: where it is to raise them, the program can't, and says so."""

import math
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import PythonOnlyError, convert, to_graph


@pytest.fixture(autouse=True, params=["default", "error"])
def warned(request):
    """What holds around the calls: what a function tells counts in either."""
    with warnings.catch_warnings():
        warnings.simplefilter(request.param, RuntimeWarning)
        yield


def divides_where_each_is_raised(a, b):
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            y = a / b
    except FloatingPointError:
        y = a * 0 - 1
    return y


def divides_numbers(a, b):
    try:
        with np.errstate(all="raise"):
            return a[0] / b[0]
    except FloatingPointError:
        return -1.0


def divides_whole_numbers(a, b):
    with np.errstate(divide="raise"):
        return a.astype(int) // b.astype(int)


def takes_a_logarithm_after_seterr(a, b):
    known = np.seterr(all="raise")
    try:
        return np.log(a)
    except FloatingPointError:
        return a * 0 - 1
    finally:
        np.seterr(**known)


@np.errstate(all="raise")
def is_decorated(a, b):
    return a / b


def calls_one_that_is_decorated(a, b):
    return is_decorated(b, a)


def hands_errors_to_a_function(a, b):
    with np.errstate(divide="call", call=lambda kind, flag: None):
        return a / b


def changes_an_array(a, b):
    with np.errstate(invalid="raise"):
        a /= b
        return a


def takes_a_mean(a, b):
    with np.errstate(over="raise"):
        return a.mean()


def sums(a, b):
    with np.errstate(over="raise"):
        return sum(a)


def divides_a_selection(a, b):
    with np.errstate(divide="raise"):
        return (1 / a[b > 0]).sum()


def divides_in_a_staged_branch(a, b):
    with np.errstate(divide="raise"):
        if a[0] > 0:
            b = a / b
    return b


def raises_warnings(a, b):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.sqrt(a)
        except RuntimeWarning:
            return a * 0 - 1


def raises_these_warnings(a, b):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "invalid value encountered", RuntimeWarning)
        try:
            return np.sqrt(a)
        except RuntimeWarning:
            return a * 0 - 1


def raises_warnings_by_the_manager(a, b):
    with warnings.catch_warnings(action="error", category=RuntimeWarning):
        return np.sqrt(a)


TOLD = [
    divides_where_each_is_raised, divides_numbers, divides_whole_numbers, takes_a_logarithm_after_seterr, is_decorated,
    calls_one_that_is_decorated, hands_errors_to_a_function, changes_an_array, takes_a_mean, sums, divides_a_selection,
    divides_in_a_staged_branch, raises_warnings, raises_these_warnings, raises_warnings_by_the_manager,
]  # fmt: skip


@pytest.mark.parametrize("function", TOLD, ids=lambda function: function.__name__)
def test_what_numpy_is_told_to_raise_is_refused(function):
    before = np.geterr(), [*warnings.filters]
    with pytest.raises(PythonOnlyError, match="where NumPy is told to raise errors of floats"):
        convert(function)(np.array([1.0, 2.0]), np.array([0.0, 4.0]))
    assert (np.geterr(), [*warnings.filters]) == before


def test_the_error_names_the_operation_and_says_what_to_write():
    with pytest.raises(PythonOnlyError) as caught:
        convert(divides_numbers)(np.array([1.0]), np.array([0.0]))
    text = str(caught.value)
    assert "'/' is asked of traced values" in text
    assert "errors of floats, divide='raise', over='raise', under='raise', invalid='raise'." in text
    assert "return a[0] / b[0]" in text
    assert "`if b == 0:`" in text


def ignores(a, b):
    with np.errstate(all="ignore"):
        return a / b


def warns(a, b):
    with np.errstate(all="warn"):
        return np.log(b)


def tells_of_another_error(a, b):
    with np.errstate(divide="raise"):
        return np.where(a + b > 0, np.maximum(a, b), -a).max(), np.sqrt(a), a[1:] * 2


def takes_back_what_it_has_told(a, b):
    with np.errstate(all="raise"):
        c = np.log(np.arange(1.0, 3.0))
        with np.errstate(all="ignore"):
            c = c + a / b
    return c


def divides_numbers_of_pythons(a, b):
    with np.errstate(all="raise"):
        return float(a[0]) / 2 + math.sqrt(a[1])


def raises_other_warnings(a, b):
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        warnings.filterwarnings("error", "old")
        return a / b


OTHERS = [
    ignores, warns, tells_of_another_error, takes_back_what_it_has_told, divides_numbers_of_pythons, raises_other_warnings,
]  # fmt: skip


@pytest.mark.parametrize("function", OTHERS, ids=lambda function: function.__name__)
def test_other_settings_stay(function):
    a, b = np.array([1.0, 2.0]), np.array([0.0, 4.0])
    with warnings.catch_warnings(action="ignore"):
        expected = function(a, b)
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-6), convert(function)(a, b), expected)


def test_arrays_of_jaxs_raise_nothing():
    a, b = jnp.array([1.0, 2.0]), jnp.array([0.0, 4.0])
    assert convert(divides_where_each_is_raised)(a, b).tolist() == [np.inf, 0.5]
    assert jax.jit(to_graph(divides_where_each_is_raised))(a, b).tolist() == [np.inf, 0.5]


def test_what_holds_around_a_call_is_not_part_of_it():
    with np.errstate(all="raise"):
        assert convert(lambda a, b: a / b)(np.ones(1), np.zeros(1)).tolist() == [np.inf]


def test_a_setting_that_changes_nothing_leaves_the_program_as_it_is():
    def plain(a, b):
        return a / b

    a = np.ones(2)
    jaxprs = [str(convert(function).get_concrete_function(a, a).jaxpr) for function in (ignores, plain)]
    assert jaxprs[0] == jaxprs[1]
