"""What does a concrete function tell that was asked for by arrays of any rank?"""

from __future__ import annotations

import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import ArraySpec

ANY = ArraySpec(None, "float32")


def test_each_rank_has_a_program():
    double = autograph_lite.convert(lambda x: x * x.ndim).get_concrete_function(ANY)
    for shape in ((), (2,), (2, 3)):
        assert (double(jnp.ones(shape)) == len(shape)).all()


@pytest.mark.parametrize("part", ["jaxpr", "equation_count"])
def test_the_program_of_one_rank_is_not_shown_for_all(part):
    def double(x):
        return x * 2

    concrete = autograph_lite.convert(double).get_concrete_function(ANY)
    with pytest.raises(TypeError) as caught:
        getattr(concrete, part)
    assert str(caught.value) == (
        "double(x: float32[...]) has a program for each rank: ask for a concrete function of a known one, "
        "as in ArraySpec((None, 3), 'float32'), where None is any size."
    )


def test_a_function_that_rank_0_does_not_suit_is_asked_for_by_its_rank():
    def first(x):
        return x[0]

    with pytest.raises(TypeError) as caught:
        autograph_lite.convert(first).get_concrete_function(ANY)
    assert str(caught.value) == (
        "first(x: float32[...]): each rank is a program of its own, and that of rank 0, which was tried, can't be "
        "traced (IndexError). Ask with a known rank: ArraySpec((None, 3), 'float32'), where None is any size."
    )
    first_row = autograph_lite.convert(first).get_concrete_function(ArraySpec((None, 3), "float32"))
    assert first_row(jnp.ones((2, 3))).tolist() == [1, 1, 1]


def test_a_program_of_one_rank_is_not_saved_for_all(tmp_path):
    double = autograph_lite.convert(lambda x: x * 2, input_signature=[ANY])
    with pytest.raises(autograph_lite.SaveError):
        autograph_lite.save(double, tmp_path / "double")
