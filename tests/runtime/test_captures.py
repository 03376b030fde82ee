"""Which names are bound to something else than what a trace has read?"""

from __future__ import annotations

import functools
import gc
import types
import weakref

import jax.numpy as jnp
import numpy as np

import autograph_lite
from autograph_lite.runtime.tracing.captured_names import Captures


def defined(text: str) -> dict:
    """The namespace of a program of the user's."""
    namespace: dict = {"__name__": "model", "np": np, "jnp": jnp}
    exec(compile(text, "/model/model.py", "exec"), namespace)
    return namespace


def test_a_number_that_is_rebound_is_named():
    model = defined("RATE = 0.1\ndef step(x): return RATE * x")
    captures = Captures(model["step"])
    assert captures.rebound() == ()

    model["RATE"] = 0.2

    assert captures.rebound() == ("RATE",)


def test_an_equal_number_of_another_object_is_the_same():
    model = defined("RATE = 0.1\nNAN = float('nan')\ndef step(x): return RATE * x + NAN")
    captures = Captures(model["step"])

    model["RATE"], model["NAN"] = float("0.1"), float("nan")

    assert captures.rebound() == ()


def test_an_equal_number_of_another_type_is_another():
    model = defined("N = 1\ndef step(x): return N * x")
    captures = Captures(model["step"])

    model["N"] = True

    assert captures.rebound() == ("N",)


def test_arrays_and_containers_are_told_by_identity():
    model = defined(
        "A = jnp.ones(2)\nB = np.ones(2)\nC = [1]\nD = (1,)\ndef step(x): return A + B + C[0] + D[0]"
    )
    captures = Captures(model["step"])
    model["C"].append(2)
    assert captures.rebound() == ()

    model.update(A=jnp.ones(2), B=np.ones(2), C=[1, 2], D=tuple([1]))

    assert captures.rebound() == ("A", "B", "C", "D")


def test_what_was_captured_is_not_kept_alive():
    model = defined("A = np.ones(2)\ndef step(x): return A + x")
    captures, array = Captures(model["step"]), weakref.ref(model["A"])

    model["A"] = np.ones(2)
    gc.collect()

    assert array() is None
    assert captures.rebound() == ("A",)


def test_a_name_that_is_deleted_or_bound_for_the_first_time():
    model = defined("RATE = 0.1\ndef step(x): return max(x, RATE, BIAS)")
    captures = Captures(model["step"])

    del model["RATE"]
    model["BIAS"], model["max"] = 1, min

    assert captures.rebound() == ("BIAS", "RATE", "max")


def test_a_closure_variable_that_is_rebound():
    rate, later = 0.1, 2

    def step(x):
        return rate * x + later

    captures = Captures(step)
    rate = 0.2

    assert captures.rebound() == ("rate",)


def test_a_closure_variable_that_is_not_assigned_yet():
    def step(x):
        return rate * x

    captures = Captures(step)
    assert captures.rebound() == ()
    rate = 0.2

    assert captures.rebound() == ("rate",)


def test_an_attribute_of_the_name_of_a_global_is_none():
    model = defined("rate = 0.1\ndef step(m): return m.rate")
    captures = Captures(model["step"])

    model["rate"] = 0.2

    assert captures.rebound() == ()


def test_names_that_inner_functions_read():
    model = defined("RATE = 0.1\ndef step(x):\n    return (lambda y: RATE * y)(x)")
    captures = Captures(model["step"])

    model["RATE"] = 0.2

    assert captures.rebound() == ("RATE",)


def test_names_that_called_functions_read():
    model = defined("RATE = 0.1\ndef scaled(x): return RATE * x\ndef step(x): return scaled(x)")
    captures = Captures(model["step"])

    model["RATE"] = 0.2

    assert captures.rebound() == ("RATE",)


def test_names_of_another_module_bear_its_name():
    layers = defined("RATE = 0.1\ndef scaled(x): return RATE * x")
    layers["scaled"].__module__ = "layers"
    model = defined("RATE = 3\ndef step(x): return scaled(x)")
    model["scaled"] = layers["scaled"]
    captures = Captures(model["step"])

    layers["RATE"] = 0.2

    assert captures.rebound() == ("layers.RATE",)


def test_functions_that_call_each_other():
    model = defined(
        "N = 1\ndef even(n): return n == 0 or odd(n - N)\ndef odd(n): return n != 0 and even(n - N)"
    )
    captures = Captures(model["even"])

    model["N"] = 2

    assert captures.rebound() == ("N",)


def test_a_function_that_is_defined_again():
    model = defined("def scaled(x): return x\ndef step(x): return scaled(x)")
    captures = Captures(model["step"])

    model["scaled"] = types.FunctionType(model["scaled"].__code__, model)

    assert captures.rebound() == ("scaled",)


def test_names_that_a_converted_function_reads():
    rate = 0.1

    @autograph_lite.convert
    def scaled(x):
        return rate * x

    def step(x):
        return scaled(x)

    captures = Captures(step)
    rate = 0.2

    assert captures.rebound() == ("rate",)


def test_names_that_a_method_reads():
    model = defined("RATE = 0.1\nclass Model:\n    def step(self, x): return RATE * x")
    captures = Captures(model["Model"]().step)

    model["RATE"] = 0.2

    assert captures.rebound() == ("RATE",)


def test_what_has_no_python_code_reads_no_names():
    assert Captures(functools.partial(max, 1)).rebound() == ()
