"""Which calls does one trace serve? Rows named R... are the measured cases of the reference; `!` marks where we differ."""

from __future__ import annotations

import collections
import copy
import gc
import inspect
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite.runtime.types.array_spec import ArraySpec
from autograph_lite.runtime.types.function_type import FunctionType
from autograph_lite.runtime.types.input_signature import accept, from_input_signature
from autograph_lite.runtime.types.trace_type import TracingContext, VariableType, register_leaf
from tests.runtime.traces import of_call

scalar, vector, integer = jnp.float32(1), jnp.ones(3), jnp.int32(1)
Call = collections.namedtuple("Call", "args kwargs")


def call(*args: Any, **kwargs: Any) -> Call:
    return Call(args, kwargs)


def type_of(fn: Any, *args: Any, **kwargs: Any) -> FunctionType:
    return of_call(fn, args, kwargs)[0]


def families(fn: Any, calls: list[Call]) -> list[int]:
    known: dict[FunctionType, int] = {}
    return [known.setdefault(type_of(fn, *args, **kwargs), len(known)) for args, kwargs in calls]


def one(x): ...
def with_default(x, y=1): ...
def many(*args): ...
def keywords(**named): ...
def keyword_only(x, *, k=None): ...
def list_default(x, y=[1, 2]): ...
def array_default(x, y=np.int32(7)): ...
def positional_only(x, /, y): ...
def everything(a, b=3, *args, k="s", **kw): ...


class Arrays:
    """Placeholders that are their own types."""

    def array(self, spec):
        return spec

    def variable(self, type):
        return type


ROWS = {
    "R20-keywords": (one, [call(scalar), call(x=scalar), call(1), call(x=1)], [0, 0, 1, 1]),
    "R21-defaults": (
        with_default,
        [
            call(scalar),
            call(scalar, 1),
            call(scalar, y=1),
            call(scalar, 2),
            call(scalar, integer),
            call(scalar, True),
        ],
        [0, 0, 0, 1, 2, 3],
    ),
    "R22-number_of_arguments": (
        many,
        [call(scalar), call(scalar, scalar), call(scalar, scalar, scalar), call(scalar, scalar), call()],
        [0, 1, 2, 1, 3],
    ),
    "R23-order_of_keywords": (
        keywords,
        [call(a=scalar, b=1), call(b=1, a=scalar), call(a=scalar, c=1), call()],
        [0, 1, 2, 3],
    ),
    "R24-keyword_only_default": (
        keyword_only,
        [call(scalar), call(scalar, k=None), call(scalar, k=scalar), call(scalar, k=3)],
        [0, 0, 1, 2],
    ),
    "R25-list_default": (
        list_default,
        [call(scalar), call(scalar, [1, 2]), call(scalar, [1, 3])],
        [0, 0, 1],
    ),
    "R26-array_default": (array_default, [call(scalar), call(scalar, jnp.int32(5))], [0, 0]),
    "R27-positional_only": (positional_only, [call(scalar, y=scalar), call(scalar, scalar)], [0, 0]),
    "R29!-names_that_parameters_may_not_have": (
        keywords,
        [
            call(**{"a-b": scalar}),
            call(a_b=scalar),
            call(**{"a-b": scalar, "a_b": scalar}),
            call(**{"if": scalar}),
        ],
        [0, 1, 2, 3],
    ),
}


@pytest.mark.parametrize(("fn", "calls", "expected"), ROWS.values(), ids=ROWS)
def test_calls_share_a_trace(fn, calls, expected):
    assert families(fn, calls) == expected


@pytest.mark.parametrize(
    ("fn", "arguments"),
    [
        pytest.param(one, call(), id="R28-missing"),
        pytest.param(one, call(1, 2), id="R28-too_many"),
        pytest.param(one, call(1, z=2), id="R28-unexpected"),
        pytest.param(positional_only, call(y=1, x=1), id="R27-positional_only"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_as_by_python(fn, arguments):
    with pytest.raises(TypeError) as python:
        inspect.signature(fn).bind(*arguments.args, **arguments.kwargs)
    with pytest.raises(TypeError) as error:
        type_of(fn, *arguments.args, **arguments.kwargs)
    assert str(error.value) == str(python.value)


def test_an_argument_without_a_type_is_named():
    with pytest.raises(TypeError) as error:
        type_of(everything, 1, 2, np.array(["a"]))
    assert str(error.value) == (
        "Argument args_0: A NumPy array of dtype '<U1' can be neither traced nor told from others by its value: "
        "pass a list or a tuple."
    )


def test_R150_a_type_prints_as_a_signature():
    type = type_of(everything, integer, 3, vector, z=integer)
    assert str(type) == "(a: int32[], b: Literal[3], args_0: float32[3], /, *, k: Literal['s'], z: int32[])"
    assert str(type_of(everything, integer)) == "(a: int32[], b: Literal[3], *, k: Literal['s'])"
    assert str(type_of(one, vector).returning(ArraySpec((), "int32"))) == "(x: float32[3]) -> int32[]"


def test_R29_names_print_as_parameters():
    type = type_of(keywords, **{"a-b": 1, "a_b": 2, "if": 3})
    assert str(type) == "(*, a_b: Literal[1], a_b_: Literal[2], if_: Literal[3])"


def test_placeholders_are_passed_as_the_call_passes_them():
    type = type_of(everything, integer, 3, vector, **{"a-b": scalar})
    args, kwargs = type.placeholder_arguments(Arrays())
    assert args == [ArraySpec((), "int32"), 3, ArraySpec((3,), "float32")]
    assert kwargs == {"k": "s", "a-b": ArraySpec((), "float32")}
    assert inspect.signature(everything).bind(*args, **kwargs)


def test_the_arrays_of_a_call_are_in_the_order_of_the_placeholders():
    arguments = call({"w": scalar, "b": integer}, 3, vector, z=jnp.ones(4))
    type, bound = of_call(everything, arguments.args, arguments.kwargs)
    assert [array.shape for array in type.arrays(bound)] == [(), (), (3,), (4,)]
    assert type.arrays(bound)[0] is integer


def test_the_variables_of_a_call_are_numbered_across_its_arguments():
    class Cell:
        shape, dtype = (), jnp.dtype("int32")

    register_leaf(Cell, lambda v, context: VariableType(v.shape, v.dtype, True, context.alias(v)))
    v, w = Cell(), Cell()
    type, bound = of_call(many, (v, [w], v), {})
    assert type.variables(bound) == [v, w]
    assert (
        str(type)
        == "(args_0: Variable(int32[], #0), args_1: [Variable(int32[], #1)], args_2: Variable(int32[], #0), /)"
    )


def test_the_objects_of_a_call_are_found():
    owner = type("Owner", (), {})()
    found = type_of(everything, owner, [owner]).objects()
    assert [part.referent() for part in found] == [owner, owner]
    del owner
    gc.collect()
    assert [part.referent() for part in found] == [None, None]


# Subtypes.


def spec_type(fn, *specs):
    return from_input_signature(inspect.signature(fn), specs)


def test_a_trace_of_any_size_serves_each_size():
    general, special = spec_type(one, ArraySpec([None], "float32")), type_of(one, vector)
    assert special.is_subtype_of(general)
    assert not general.is_subtype_of(special)


def test_a_call_with_more_arguments_is_no_subtype():
    assert not type_of(many, 1, 1).is_subtype_of(type_of(many, 1))
    assert not type_of(many, 1).is_subtype_of(type_of(many, 1, 1))


@pytest.mark.parametrize(
    ("new", "old", "text"),
    [
        pytest.param(call(vector), call(jnp.ones(5)), "(args_0: float32[?], /)", id="R80"),
        pytest.param(call(jnp.ones((5, 6))), call(jnp.ones((2, 6))), "(args_0: float32[?,6], /)", id="R81"),
        pytest.param(call(vector), call(jnp.ones((2, 2))), "(args_0: float32[...], /)", id="R82"),
        pytest.param(call(vector), call(jnp.ones(3, int)), "None", id="R83"),
        pytest.param(call(vector, 1), call(jnp.ones(2), 2), "None", id="R84-literals"),
        pytest.param(
            call(vector, 1), call(jnp.ones(2), 1), "(args_0: float32[?], args_1: Literal[1], /)", id="R84"
        ),
        pytest.param(
            call({"a": vector, "b": [vector]}),
            call({"a": vector, "b": [scalar]}),
            "(args_0: {'a': float32[3], 'b': [float32[...]]}, /)",
            id="R85",
        ),
        pytest.param(call([vector]), call([vector, vector]), "None", id="R85-length"),
        pytest.param(call(vector, vector), call(vector), "None", id="R86!-more_arguments"),
        pytest.param(call(vector, vector), call(vector), "None", id="R99!-more_arguments"),
        pytest.param(call(vector), call(vector, vector), "None", id="R100-fewer_arguments"),
    ],
)
def test_types_are_generalized(new, old, text):
    assert str(type_of(many, *new.args).generalize([type_of(many, *old.args)])) == text


def test_R101_other_keywords_have_no_common_type():
    a, both = type_of(keywords, a=vector), type_of(keywords, a=vector, b=vector)
    assert a.generalize([both]) is None
    assert both.generalize([a]) is None
    assert both.generalize([a, both]) is None
    assert both.generalize([]) == both


def test_differences_name_the_arguments():
    old = type_of(everything, {"w": vector}, 3, vector, z=1)
    new = type_of(everything, {"w": scalar}, 4, vector, vector, k="t")
    assert new.differences(old) == [
        "a['w']: float32[] where float32[3] was",
        "b: Literal[4] where Literal[3] was",
        "args_1: float32[3] where no argument was",
        "k: Literal['t'] where Literal['s'] was",
        "z: no argument where Literal[1] was",
    ]
    assert old.differences(old) == []


def test_a_copy_is_equal():
    type = type_of(everything, integer, 3, 4, z=5)
    assert copy.copy(type) == type
    assert copy.deepcopy(type) == type
    assert str(copy.deepcopy(type)) == str(type)


# input_signature.

Ints = ArraySpec([None], "int32")


def accepted(fn, specs, arguments):
    signature = inspect.signature(fn)
    bound = accept(from_input_signature(signature, specs), signature, arguments.args, arguments.kwargs)
    return bound


@pytest.mark.parametrize(
    ("fn", "specs", "text"),
    [
        pytest.param(one, [Ints], "(x: int32[?])", id="R70"),
        pytest.param(with_default, [Ints], "(x: int32[?], y: Literal[1])", id="R72"),
        pytest.param(with_default, [Ints, Ints], "(x: int32[?], y: int32[?])", id="R72-spec_for_a_default"),
        pytest.param(keyword_only, (Ints,), "(x: int32[?], *, k: Literal[None])", id="R73-default"),
        pytest.param(lambda x, **kw: x, [Ints], "(x: int32[?])", id="R74"),
        pytest.param(lambda *a: a, [Ints, Ints], "(a_0: int32[?], a_1: int32[?], /)", id="R77"),
        pytest.param(
            lambda x, *a: a, [Ints, Ints], "(x: int32[?], a_0: int32[?], /)", id="R77-after_a_parameter"
        ),
        pytest.param(one, [{"b": [Ints], "a": Ints}], "(x: {'a': int32[?], 'b': [int32[?]]})", id="R78"),
    ],
)
def test_an_input_signature_is_one_type(fn, specs, text):
    assert str(from_input_signature(inspect.signature(fn), specs)) == text


@pytest.mark.parametrize(
    ("fn", "specs", "text"),
    [
        pytest.param(
            lambda x, *, k: x,
            [Ints],
            "The keyword-only parameter 'k' has no default: input_signature gives specs for positional parameters only.",
            id="R73",
        ),
        pytest.param(
            lambda x, y: x,
            [Ints],
            "input_signature has no spec for the parameter 'y', which has no default.",
            id="R75",
        ),
        pytest.param(one, [Ints, Ints], "input_signature has 1 more spec than parameters.", id="R76"),
        pytest.param(one, [Ints] * 3, "input_signature has 2 more specs than parameters.", id="R76-two"),
        pytest.param(
            one,
            [[5]],
            "input_signature[0] is made of specs, as ArraySpec(shape, dtype): found 5 of type int.",
            id="R78-no_spec",
        ),
        pytest.param(
            one, Ints, "input_signature is a tuple or a list of specs: found int32[?].", id="R78-no_list"
        ),
    ],
)
def test_an_input_signature_that_does_not_fit_is_refused(fn, specs, text):
    with pytest.raises(TypeError) as error:
        from_input_signature(inspect.signature(fn), specs)
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("fn", "specs", "arguments", "expected"),
    [
        pytest.param(one, [Ints], call([1, 2]), ([1, 2],), id="R70-list"),
        pytest.param(one, [Ints], call(x=np.array([1])), ([1],), id="R70-keyword"),
        pytest.param(with_default, [Ints], call([1], y=1), ([1], 1), id="R72"),
        pytest.param(list_default, [Ints], call([1]), ([1], [1, 2]), id="R72-list_default"),
        pytest.param(lambda *a: a, [Ints, Ints], call([1], [2]), ([1], [2]), id="R77"),
        pytest.param(
            one,
            [{"a": Ints, "b": [Ints]}],
            call({"b": [[3]], "a": [1, 2]}),
            ({"a": [1, 2], "b": [[3]]},),
            id="R78-reordered",
        ),
    ],
)
def test_allowed_arguments_become_arrays_of_the_specs(fn, specs, arguments, expected):
    bound = accepted(fn, specs, arguments)
    type = from_input_signature(inspect.signature(fn), specs)
    assert FunctionType.from_bound(inspect.signature(fn), bound, TracingContext()).is_subtype_of(type)
    plain = [np.asarray(a).tolist() if not isinstance(a, dict) else None for a in bound.args]
    assert plain == [None if isinstance(e, dict) else e for e in expected]


def test_R78_a_structure_keeps_its_values():
    bound = accepted(one, [{"a": Ints, "b": [Ints]}], call({"b": [[3]], "a": [1, 2]}))
    assert bound.arguments["x"]["a"].tolist() == [1, 2]
    assert bound.arguments["x"]["b"][0].tolist() == [3]


nested = [{"a": Ints, "b": [Ints]}]


@pytest.mark.parametrize(
    ("fn", "specs", "arguments", "text"),
    [
        pytest.param(
            one,
            [Ints],
            call(jnp.ones((1, 1), int)),
            "Argument x: found int32[1,1]; allowed: int32[?]",
            id="R70-rank",
        ),
        pytest.param(one, [Ints], call(), "missing a required argument: 'x'", id="R70-missing"),
        pytest.param(
            with_default, [Ints], call([1], 3), "Argument y: found Literal[3]; allowed: Literal[1]", id="R72"
        ),
        pytest.param(
            lambda x, **kw: x, [Ints], call([1], z=1), "got an unexpected keyword argument 'z'", id="R74"
        ),
        pytest.param(lambda *a: a, [Ints, Ints], call([1]), "missing a required argument: 'a_1'", id="R77"),
        pytest.param(lambda *a: a, [Ints], call([1], [1]), "too many positional arguments", id="R77-more"),
        pytest.param(
            one,
            nested,
            call({"a": vector, "b": (vector,)}),
            "Argument x: found {'a': float32[3], 'b': (float32[3],)}; allowed: {'a': int32[?], 'b': [int32[?]]}",
            id="R78-tuple",
        ),
        pytest.param(
            one,
            nested,
            call({"a": vector}),
            "Argument x: found {'a': float32[3]}; allowed: {'a': int32[?], 'b': [int32[?]]}",
            id="R78-missing_key",
        ),
        pytest.param(
            one,
            nested,
            call({"a": [1], "b": [vector]}),
            "Argument x['b'][0]: found float32[3]; allowed: int32[?]",
            id="R78-inside",
        ),
    ],
)
def test_other_arguments_are_refused(fn, specs, arguments, text):
    with pytest.raises(TypeError) as error:
        accepted(fn, specs, arguments)
    assert str(error.value) == text
