"""What is a TensorArray? A buffer of fixed size that staged loops and branches carry, written to one element at a time."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import TensorArray
from tests.errors.messages import message, shown


def test_a_loop_with_a_traced_bound_writes_to_it() -> None:
    @autograph_lite.convert
    def squares(n):
        ys = TensorArray(jnp.int32, 5)
        for i in range(n):
            ys = ys.write(i, i * i)
        return ys.stack()

    assert squares(jnp.int32(3)).tolist() == [0, 1, 4, 0, 0]
    assert squares(jnp.int32(5)).tolist() == [0, 1, 4, 9, 16]


def test_the_guides_recurrent_network() -> None:
    @autograph_lite.convert
    def run(xs, weight):
        states = TensorArray(jnp.float32, xs.shape[0], element_shape=(2,))
        state = jnp.zeros(2)
        for i in autograph_lite.range(xs.shape[0]):
            state = xs[i] + weight * state
            states = states.write(i, state)
        return states.stack()

    xs = np.arange(6, dtype=np.float32).reshape(3, 2)
    expected, state = [], np.zeros(2)
    for x in xs:
        state = x + 2 * state
        expected.append(state)
    assert run(xs, jnp.float32(2)).tolist() == np.stack(expected).tolist()


@pytest.mark.parametrize("x", [1.0, -1.0])
def test_a_branch_writes_to_it(x: float) -> None:
    @autograph_lite.convert
    def f(x):
        ys = TensorArray(jnp.float32, 2)
        if x > 0:
            ys = ys.write(0, x)
        else:
            ys = ys.write(1, -x)
        if x > 5:
            ys = ys.write(1, x)
        return ys.stack()

    assert f(jnp.float32(x)).tolist() == ([1, 0] if x > 0 else [0, 1])


def test_a_while_loop_reads_what_it_wrote() -> None:
    @autograph_lite.convert
    def fibonacci(n):
        ys = TensorArray(jnp.int32, 20).unstack(jnp.ones(20, jnp.int32))
        k = 2
        while k < n:
            ys = ys.write(k, ys.read(k - 1) + ys.read(k - 2))
            k += 1
        return ys.read(n - 1)

    assert fibonacci(jnp.int32(10)) == 55


def test_its_gradient() -> None:
    @autograph_lite.convert
    def f(x):
        ys = TensorArray(jnp.float32, 3)
        for i in autograph_lite.range(3):
            ys = ys.write(i, x**i)
        return ys.gather([0, 2]).sum() + ys.read(1)

    assert jax.grad(f)(3.0) == 7
    assert jax.vmap(jax.grad(f))(jnp.array([1.0, 3.0])).tolist() == [3, 7]


def test_everything_that_is_done_to_it() -> None:
    ys = TensorArray(jnp.float32, 3, element_shape=(2,))
    assert (ys.size(), len(ys), ys.dtype, ys.element_shape) == (3, 3, jnp.float32, (2,))
    assert repr(ys) == "TensorArray(size=3, elements=float32[2])"
    ys = ys.scatter([2, 0], [[1.0, 2.0], [3.0, 4.0]])
    assert ys.read(2).tolist() == [1, 2]
    assert ys.gather([0, 1]).tolist() == [[3, 4], [0, 0]]
    assert ys.stack().tolist() == [[3, 4], [0, 0], [1, 2]]
    assert ys.concat().tolist() == [3, 4, 0, 0, 1, 2]
    assert ys.unstack(jnp.ones((3, 2))).stack().tolist() == [[1, 1]] * 3


def test_it_is_an_argument_and_a_result_and_another_size_is_another_trace() -> None:
    traced = []

    @autograph_lite.convert
    def fill(ys, x):
        traced.append(ys.size())
        return ys.write(1, x)

    for size in (2, 2, 3):
        found = fill(TensorArray(jnp.float32, size), jnp.float32(4))
        assert isinstance(found, TensorArray)
        assert found.stack().tolist() == [0, 4, 0][:size]
    assert traced == [2, 3]


def test_it_is_kept_in_an_object_from_call_to_call() -> None:
    class Log:
        def __init__(self):
            self.values = TensorArray(jnp.float32, 3)

    log = Log()

    @autograph_lite.convert
    def note(i, x):
        log.values = log.values.write(i, x)

    note(jnp.int32(0), jnp.float32(5))
    note(jnp.int32(2), jnp.float32(7))
    assert log.values.stack().tolist() == [5, 0, 7]


@pytest.mark.parametrize("index", [3, -1])
def test_an_index_that_is_out_of_range_is_a_check_of_the_program(index: int) -> None:
    @autograph_lite.convert
    def f(n, index):
        ys = TensorArray(jnp.float32, 3)
        for _ in range(n):
            ys = ys.write(index, 1.0)
        return ys.stack()

    assert f(jnp.int32(0), jnp.int32(index)).tolist() == [0, 0, 0]
    with pytest.raises(IndexError) as caught:
        f(jnp.int32(1), jnp.int32(index))
    assert str(caught.value) == f"TensorArray index {index} is out of range: its size is 3."
    with pytest.raises(IndexError) as caught:
        TensorArray(jnp.float32, 3).read(index)
    assert str(caught.value) == f"TensorArray index {index} is out of range: its size is 3."


def test_reading_and_gathering_out_of_range() -> None:
    f = autograph_lite.convert(lambda i: TensorArray(jnp.float32, 3).gather(i))
    assert f(jnp.array([2, 0])).tolist() == [0, 0]
    with pytest.raises(IndexError, match=r"TensorArray index \[0 3\] is out of range: its size is 3\."):
        f(jnp.array([0, 3]))


def test_a_write_whose_result_is_dropped() -> None:
    def f(n):
        ys = TensorArray(jnp.int32, 3)
        for i in range(n):
            ys.write(i, i)
        return ys.stack()

    assert message(f, jnp.int32(3)) == (
        "TensorArrayError: A TensorArray is written to, and the result is dropped.\n"
        "  test.py:3 in f\n"
        "      ys.write(i, i)\n"
        "  A write gives a new TensorArray with the element; the one that was written to does not have it.\n"
        "  Fix: keep what the write returns: ys = ys.write(i, value)."
    )


def test_a_use_after_a_write() -> None:
    def f(x):
        ys = TensorArray(jnp.float32, 3)
        _ = ys.write(0, x)
        return ys.stack()

    expected = (
        "TensorArrayError: A TensorArray is read after it was written to.\n"
        "  test.py:3 in f\n"
        "      return ys.stack()\n"
        "  test.py:2 in f\n"
        "      _ = ys.write(0, x)\n"
        "  A write gives a new TensorArray with the element; the one that was written to does not have it.\n"
        "  Fix: use what the write returned: ys = ys.write(i, value)."
    )
    assert message(f, jnp.float32(3)) == expected
    with pytest.raises(autograph_lite.TensorArrayError) as caught:
        f(1.0)
    assert shown(caught.value, f) == expected


def test_a_use_after_a_write_in_a_staged_statement() -> None:
    def after_branch(x):
        ys = TensorArray(jnp.float32, 3)
        if x > 0:
            _ = ys.write(0, x)
        return ys.stack()

    def after_loop(x):
        ys = TensorArray(jnp.float32, 3)
        while x < 3:
            _ = ys.write(0, x)
            x = x + 1
        return ys.stack()

    def in_branch(x):
        ys = TensorArray(jnp.float32, 3)
        _ = ys.write(0, x)
        return ys.read(0) if x > 0 else x

    for f in (after_branch, after_loop, in_branch):
        with pytest.raises(autograph_lite.TensorArrayError, match="is read after it was written to"):
            autograph_lite.convert(f)(jnp.float32(1))


def test_one_from_outside_is_written_to_by_each_trace() -> None:
    empty = TensorArray(jnp.float32, 2)

    @autograph_lite.convert
    def f(x, k):
        return empty.write(k, x).stack()

    assert f(jnp.float32(3), 0).tolist() == [3, 0]
    assert f(jnp.float32(3), 1).tolist() == [0, 3]


def test_what_does_not_fit() -> None:
    def shape(x):
        return TensorArray(jnp.float32, 3, element_shape=(2,)).write(0, x)

    def kind(x):
        return TensorArray(jnp.int32, 3).write(0, x)

    assert message(shape, jnp.float32(1)) == (
        "TensorArrayError: float32[] is written to a TensorArray in a place of float32[2].\n"
        "  test.py:1 in shape\n"
        "      return TensorArray(jnp.float32, 3, element_shape=(2,)).write(0, x)\n"
        "  All elements have the type and the shape that the TensorArray was made with.\n"
        "  Fix: reshape the value or cast it, value.astype(float32), or make the TensorArray of its type."
    )
    assert message(kind, jnp.float32(1)).startswith(
        "TensorArrayError: float32[] is written to a TensorArray in a place of int32[].\n"
    )
    with pytest.raises(TypeError, match=r"^a TensorArray's index is an integer; this is float 1.0\.$"):
        TensorArray(jnp.int32, 3).read(1.0)


def test_a_size_that_only_the_data_know() -> None:
    def f(n):
        return TensorArray(jnp.float32, n).stack()

    assert message(f, jnp.int32(3)) == (
        "TensorArrayError: A TensorArray has size int32[] and elements of shape ().\n"
        "  test.py:1 in f\n"
        "      return TensorArray(jnp.float32, n).stack()\n"
        "  A compiled program has arrays of fixed shapes, so that these are integers that Python knows.\n"
        "  Fix: give the largest size that is needed, and count how many elements are written."
    )


def test_a_dynamic_size_is_refused_with_the_reason() -> None:
    def f(x):
        return TensorArray(jnp.float32, 0, dynamic_size=True).write(0, x)

    assert message(f, jnp.float32(3)) == (
        "TensorArrayError: A TensorArray can't grow: dynamic_size is True.\n"
        "  test.py:1 in f\n"
        "      return TensorArray(jnp.float32, 0, dynamic_size=True).write(0, x)\n"
        "  A compiled program reserves the memory of all its arrays before it runs.\n"
        "  Fix: give the largest size that is needed, and count how many elements are written."
    )


def test_scalars_are_not_put_one_after_the_other() -> None:
    with pytest.raises(autograph_lite.TensorArrayError, match=r"Fix: use stack\(\)\."):
        TensorArray(jnp.float32, 2).concat()


def test_files_are_written_to_as_ever(tmp_path) -> None:
    @autograph_lite.convert
    def f(x):
        with (tmp_path / "log").open("w") as file:
            file.write("traced")
        return x

    f(jnp.float32(1))
    assert (tmp_path / "log").read_text() == "traced"
