"""Does a traceback show the user's functions only, one entry each, with the user's lines and carets?"""

from __future__ import annotations

import pathlib
import traceback

import jax
import jax.numpy as jnp
import pytest

import autograph_lite

from . import model

PACKAGE = str(pathlib.Path(autograph_lite.__file__).parent) + "/"
PATH = pathlib.Path(model.__file__)


def at(text: str, function: str) -> str:
    """How a traceback names the line of the user's file that reads `text`."""
    lines = [line.strip() for line in PATH.read_text().splitlines()]
    return f'File "model.py", line {lines.index(text) + 1}, in {function}'


def failure(fn, *args) -> str:
    """The traceback as Python prints it, from the user's file on, without the message."""
    with pytest.raises(Exception) as caught:
        autograph_lite.convert(fn)(*args)
    tb = traceback.TracebackException.from_exception(caught.value)
    for entry in tb.stack:
        assert not entry.filename.startswith((PACKAGE, str(pathlib.Path(jax.__file__).parent)))
    shown = [entry for entry in tb.stack if entry.filename == str(PATH)]
    text = "".join(traceback.StackSummary.from_list(shown).format())
    return text.replace(str(PATH), "model.py")


def test_one_entry_for_each_function_of_the_user() -> None:
    text = failure(model.outer, jnp.float32(2))

    lines = [line.strip() for line in text.splitlines() if line.startswith("  File")]
    assert lines == [at("return inner(y)", "outer"), at("y = y.reshape(7, 7) + k", "inner")]


def test_a_loop_that_is_left_has_one_entry() -> None:
    text = failure(model.leaves, jnp.ones(3))

    lines = [line.strip() for line in text.splitlines() if line.startswith("  File")]
    assert lines == [at("total = total + x.missing", "leaves")]


def test_carets_stand_under_the_users_expression() -> None:
    text = failure(model.outer, jnp.float32(2)).splitlines()

    code, carets = text[-2:]
    assert code.strip() == "y = y.reshape(7, 7) + k"
    first = min(carets.index(mark) for mark in "~^" if mark in carets)
    assert code[first : len(carets)] == "y.reshape(7, 7)"


def test_an_operand_belongs_to_its_function() -> None:
    text = failure(model.both, jnp.float32(2), jnp.float32(2))

    lines = [line.strip() for line in text.splitlines() if line.startswith("  File")]
    assert lines == [at("and y.missing", "both")]


def test_an_assert_of_several_lines_shows_its_first() -> None:
    with pytest.raises(AssertionError) as wanted:
        model.requires(2.0)
    line = traceback.extract_tb(wanted.value.__traceback__)[-1].lineno

    assert f'File "model.py", line {line}, in requires' in failure(model.requires, jnp.float32(2))
    assert line == model.requires.__code__.co_firstlineno + 1


def test_a_condition_of_several_lines_shows_its_first() -> None:
    assert at("if (x > 0", "tests") in failure(model.tests, jnp.ones(3))


def test_a_check_shows_the_line_that_raised() -> None:
    text = failure(model.raises, jnp.float32(2))

    assert at('raise ValueError(f"{x:.1f}")', "raises") in text
    assert text.count("File") == 1
    assert text.splitlines()[1].strip() == 'raise ValueError(f"{x:.1f}")'


def test_an_error_of_ours_shows_the_statement() -> None:
    text = failure(model.settle, jnp.ones(3), 0.5)

    assert at("while x > 1:", "settle") in text
    assert text.splitlines()[1].strip() == "while x > 1:"


def test_the_frames_are_there_for_who_wants_them() -> None:
    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", "off")

    try:
        with pytest.raises(autograph_lite.ConditionError) as caught:
            autograph_lite.convert(model.settle)(jnp.ones(3), 0.5)
    finally:
        jax.config.update("jax_traceback_filtering", before)

    files = [entry.filename for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert any(name.endswith("autograph_lite/operators/loops/while_stmt.py") for name in files)
