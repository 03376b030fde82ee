"""What counts of an array, and what of a number or a text?"""

from __future__ import annotations

import decimal
import fractions

import numpy as np

from .probe import C, Probe, echo, see
from .rows import deviates

NARROW = "JAX narrows 64 bits to 32 unless `jax_enable_x64` is set, so that both are one type"
BY_TYPE = "a program in which `n / 2` or `flag is True` was decided for `1` must not serve `True` or `1.0`"


def test_R1_the_value_of_an_array_does_not_count_its_dtype_and_shape_do() -> None:
    f = Probe(echo)

    assert f(C(1)) == "1/1"
    assert (f(C(2)), f.value) == ("1/1", 2)
    assert (f(C(1.0)), f.value.dtype) == ("2/2", "float32")
    assert f(C([1, 2])) == "3/3"
    assert (f(C([3, 4])), f.value.tolist()) == ("3/3", [3, 4])
    assert f(C([1, 2, 3])) == "4/4"
    assert f(C([[1]])) == "5/5"
    assert f(C(1, "uint32")) == "6/6"


def test_R8_a_number_and_an_array_of_that_value_are_two() -> None:
    f = Probe(echo)

    assert (f(1), f.value) == ("1/1", 1)
    assert f(C(1)) == "2/2"
    assert (f(2), f.value) == ("3/3", 2)
    assert (f(C(2)), f.value) == ("3/3", 2)


@deviates("2, 2, 2: `np.float64(2.0)` uses the trace of a float32 array", why=NARROW)
def test_R155_a_float_an_array_and_a_scalar_of_numpy() -> None:
    f = Probe(echo)

    assert (f(2.0), f.value) == ("1/1", 2.0)
    assert f(C(2.0)) == "2/2"
    assert (f(np.float64(3.0)), f.value) == ("2/2", 3.0)


@deviates(
    "int64 and int32 share a trace; an array of objects is a `TypeError`",
    why=NARROW + "; objects are neither traced nor told from others by their values",
)
def test_R9_an_array_of_numpy_is_an_array() -> None:
    f = Probe(echo)

    assert f(np.array([1, 2])) == "1/1"
    assert (f(np.array([3, 4])), f.value.tolist()) == ("1/1", [3, 4])
    assert f(C([1, 2])) == "1/1"
    assert f(np.array([1.0, 2.0])) == "2/2"
    assert f(np.array([1, 2], np.int32)) == "2/2"
    assert f(np.array(1)) == "3/3"
    assert f(np.array([None])) == (
        "3/3 TypeError: Argument x: A NumPy array of dtype 'object' can be neither traced nor told from others by its value: "
        "pass a list or a tuple."
    )


def test_R10_a_scalar_of_numpy_is_an_array() -> None:
    f = Probe(echo)

    assert f(np.int32(1)) == "1/1"
    assert (f(np.int32(2)), f.value) == ("1/1", 2)
    assert f(C(1)) == "1/1"
    assert f(np.float32(1)) == "2/2"
    assert (f(np.float32(3)), f.value) == ("2/2", 3)
    assert f(np.bool_(True)) == "3/3"
    assert f(True) == "4/4"


@deviates(
    "1, 2, 3, 4, 5: `np.str_` and `str` are literals, each by its value",
    why="JAX has no arrays of text; the classes are two, as `1` and `True` are",
)
def test_R142_texts() -> None:
    f = Probe(echo)

    assert f("a") == "1/1"
    assert (f("b"), f.value) == ("2/2", "b")
    assert f("a") == "2/2"
    assert f(np.str_("a")) == "3/3"
    assert f(np.str_("b")) == "4/4"
    assert f(np.str_("a")) == "4/4"


def test_R2_an_int_by_its_value() -> None:
    f = Probe(echo)

    assert f(1) == "1/1"
    assert f(1) == "1/1"
    assert (f(2), f.value) == ("2/2", 2)
    assert (f(1), f.value) == ("2/2", 1)


@deviates("1, 2, 3, 4, 5: five traces", why=BY_TYPE)
def test_R3_equal_numbers_of_different_types() -> None:
    f = Probe(echo)

    assert f(1) == "1/1"
    assert f(True) == "2/2"
    assert f(1.0) == "3/3"
    assert f(1 + 0j) == "4/4"
    assert f(np.float64(1)) == "5/5"


@deviates("each comes back as the type that it was given as", why=BY_TYPE)
def test_R4_what_is_returned_for_equal_numbers_of_different_types() -> None:
    f = Probe(echo)
    returned = []
    for number in (1, True, 1.0):
        f(number)
        returned.append((f.value, type(f.value)))

    assert returned == [(1, int), (True, bool), (1.0, float)]
    assert f.counts == "3/3"


@deviates("three traces, and `training is True` holds in that of `True`", why=BY_TYPE)
def test_R149_equal_numbers_in_containers_and_a_flag() -> None:
    def flag(training):
        return "train" if training is True else "not train"

    f, g = Probe(lambda items: items[0]), Probe(flag)
    values = []
    for number in (1, True, 1.0):
        f([number])
        values.append(type(f.value))
    g(1)
    g(True)

    assert values == [int, bool, float]
    assert g.value == "train"


@deviates("1, 2, 3, 4: `-0.0` is not `0.0` either", why="`1 / x` and `math.copysign` tell them apart")
def test_R5_zeros() -> None:
    f = Probe(echo)

    assert f(0) == "1/1"
    assert f(False) == "2/2"
    assert f(0.0) == "3/3"
    assert (f(-0.0), str(f.value)) == ("4/4", "-0.0")


def test_R6_texts_bytes_none_and_ellipsis() -> None:
    f = Probe(echo)

    assert f("a") == "1/1"
    assert f("a") == "1/1"
    assert f("b") == "2/2"
    assert f(b"a") == "3/3"
    assert f(None) == "4/4"
    assert f(None) == "4/4"
    assert (f(...), f.value) == ("5/5", ...)


@deviates(
    "1, 1, 2, 3: a complex nan is no `float`",
    why=BY_TYPE,
)
def test_R7_nan_is_nan() -> None:
    f = Probe(echo)

    assert f(float("nan")) == "1/1"
    assert f(float("nan")) == "1/1"
    assert f(np.float64("nan")) == "2/2"
    assert f(complex("nan")) == "3/3"


@deviates("1, 2, 3, 4, 5: a Fraction, a float and a Decimal that are equal are three", why=BY_TYPE)
def test_R143_large_ints_fractions_decimals_and_complex_numbers() -> None:
    f = Probe(echo)

    assert (f(10**30), f.value) == ("1/1", 10**30)
    assert f(fractions.Fraction(1, 2)) == "2/2"
    assert (f(0.5), type(f.value)) == ("3/3", float)
    assert (f(decimal.Decimal("0.5")), type(f.value)) == ("4/4", decimal.Decimal)
    assert f(1j) == "5/5"


def test_R144_a_tuple_of_a_thousand_ints() -> None:
    f = Probe(see)
    numbers = tuple(range(1000))

    assert f(numbers) == "1/1"
    assert f(tuple(range(1000))) == "1/1"
    assert f((*numbers[:500], -1, *numbers[501:])) == "2/2"
