"""Which values do example arguments stand for, and which texts are refused?"""

from __future__ import annotations

import pytest

from autograph_lite.cli.example_values import parse_arguments, parse_value
from autograph_lite.cli.usage import UsageError


@pytest.mark.parametrize(
    ("text", "shape", "dtype"),
    [
        ("f32[3,4]", (3, 4), "float32"),
        ("i32[]", (), "int32"),
        ("bool[ ]", (), "bool"),
        ("bf16[0]", (0,), "bfloat16"),
        ("u8[2,]", (2,), "uint8"),
        ("complex64[2]", (2,), "complex64"),
        ("key[]", (), "key<fry>"),
    ],
)
def test_an_array_is_written_as_its_dtype_and_shape(text: str, shape: tuple[int, ...], dtype: str) -> None:
    spec = parse_value(text)
    assert (spec.shape, str(spec.dtype)) == (shape, dtype)


@pytest.mark.parametrize(
    "value", [2.5, -3, True, None, "relu", "f32[]", [1, 2], (1, [2.0]), {"a": (1,)}, 1j, b"x"]
)
def test_everything_else_is_a_python_literal(value: object) -> None:
    assert parse_value(repr(value)) == value


@pytest.mark.parametrize(
    "text", ["", "x", "f32[-1]", "f32[2.5]", "f32[True]", "f32[n]", "f(1)", "[1", "f8[2]", "str[1]"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"is neither an array|is no dtype"):
        parse_value(text)


def test_a_64_bit_dtype_needs_jax_to_have_it() -> None:
    with pytest.raises(UsageError, match=r"^dtype 'f64' needs 64-bit types: set .* JAX_ENABLE_X64=1$"):
        parse_value("f64[3]")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["n=1", "n=2"], "argument 'n' is given twice"),
        (["n=1", "2"], "positional argument '2' follows a keyword argument"),
    ],
)
def test_keywords_follow_pythons_rules(texts: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=f"^{message}$"):
        parse_arguments(texts)
