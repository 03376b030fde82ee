"""What is a cached property whose first read is inside of a staged statement?"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError


class Model:
    def __init__(self, w):
        self.w = w
        self.scale = 2.0

    @functools.cached_property
    def norm(self):
        return (self.w**2).sum() ** 0.5

    @functools.cached_property
    def order(self):
        return 3

    @functools.cached_property
    def both(self):
        return self.norm, self.order

    @functools.cached_property
    def sizes(self):
        return [1, 2]

    def scaled(self, x):
        return x / self.norm if self.order > 2 else x


def in_a_branch(x):
    model = Model(x)
    if x[0] > 0:
        y = model.norm * 2
    else:
        y = x[1]
    return y + model.norm


def in_both_branches(x):
    model = Model(x)
    y = model.norm if x[0] > 0 else -model.norm
    return y * model.order


def in_a_loop(x):
    model, s = Model(x), x[0] * 0
    for v in x:
        s = s + v * model.norm + model.order
    return s


def in_a_while(x):
    model, i = Model(x), 0
    while x[0] > i:
        i += model.order
    return i + model.both[0]


def nested(x):
    model, s = Model(x), x[0] * 0
    for v in x:
        if v > 0:
            s = s + model.norm
            if v > 1:
                s = s - model.both[0] * model.both[1]
    return s


def by_a_method(x):
    model = Model(x)
    if x[0] > 0:
        return model.scaled(x)
    return x


def read_before(x):
    model = Model(x)
    before = model.norm
    for v in x:
        if v > 0:
            before = before + model.norm
            model.w = model.w * 2
    return before + model.norm


outside = Model(np.array([3.0, 4.0]))


def of_an_object_outside(x):
    if x[0] > 0:
        return x * outside.norm
    return x + outside.order


PROGRAMS = [
    in_a_branch,
    in_both_branches,
    in_a_loop,
    in_a_while,
    nested,
    by_a_method,
    read_before,
    of_an_object_outside,
]
FORMS = {"convert": autograph_lite.convert, "jit": lambda f: jax.jit(autograph_lite.to_graph(f))}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_it_gives_what_it_gives_in_python(f, form):
    converted = FORMS[form](f)
    for x in ([1.0, 2.0], [-1.0, 3.0], [0.0, -2.0]):
        vars(outside).pop("norm", None), vars(outside).pop("order", None)
        np.testing.assert_allclose(converted(jnp.array(x)), f(np.array(x)), rtol=1e-5)


def test_nothing_traced_stays_in_an_object_outside():
    vars(outside).pop("norm", None)
    autograph_lite.convert(of_an_object_outside)(jnp.array([1.0, 2.0]))
    assert "norm" not in vars(outside)
    assert outside.norm == 5


def test_derivatives_and_lanes():
    x = jnp.array([1.0, 2.0])
    f = autograph_lite.convert(in_a_branch)
    np.testing.assert_allclose(jax.grad(f)(x), jax.grad(lambda x: 3 * (x**2).sum() ** 0.5)(x), rtol=1e-6)
    xs = jnp.array([[1.0, 2.0], [-1.0, 3.0]])
    np.testing.assert_allclose(jax.vmap(f)(xs), [in_a_branch(np.array(x)) for x in xs], rtol=1e-6)


def message(f):
    with pytest.raises(MutationError) as error:
        autograph_lite.convert(f)(jnp.array([1.0, 2.0]))
    return [line for line in str(error.value).splitlines() if ".py:" not in line and "More:" not in line]


def test_a_change_after_it_is_refused():
    def f(x):
        model = Model(x)
        y = x[0]
        if x[0] > 0:
            y = model.norm
        model.w = model.w * 2
        return y + model.norm

    assert message(f) == [
        "The cached property 'Model.norm' is first read inside of a staged statement, after it was read there.",
        "      y = model.norm",
        "      return y + model.norm",
        "  Python would give the value from before the change if it has come there, and the new one if it has not.",
        "  Fix: read 'Model.norm' once before the statement.",
    ]


def test_a_change_beside_it_is_refused():
    def f(x):
        model, s = Model(x), x[0]
        for v in x:
            s = s + model.norm
            model.w = model.w + v
        return s

    assert message(f)[0] == (
        "The cached property 'Model.norm' is first read inside of a staged statement, where 'model.w' is changed."
    )


def test_a_value_that_can_be_changed_is_refused():
    def f(x):
        model = Model(x)
        if x[0] > 0:
            model.sizes.append(3)
        return len(model.sizes)

    assert message(f) == [
        "The cached property 'Model.sizes' is first read inside of a staged statement, and is a list.",
        "      model.sizes.append(3)",
        "  Python keeps the object that one path alone makes, with all later changes to it.",
        "  Fix: read 'Model.sizes' once before the statement.",
    ]
