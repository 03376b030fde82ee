"""Does `autograph-lite error` show what an error means, and does each error name the command?"""

from __future__ import annotations

import traceback

import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import errors
from autograph_lite.cli import commands
from tests.errors.examples import CLASSES, WARNINGS, example


@pytest.mark.parametrize("kind", [*CLASSES, *WARNINGS])
def test_it_shows_the_meaning_and_both_programs(kind, capsys):
    assert commands.main(["error", kind.__name__]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"{kind.__name__}: {example(kind).meaning.splitlines()[0]}\n")
    lines = [line.strip() for line in shown.splitlines()]
    programs = example(kind).fails + example(kind).works
    assert [line for line in programs.splitlines() if line.strip() not in lines] == []


def test_without_a_name_it_lists_all(capsys):
    assert commands.main(["error"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown] == [kind.__name__ for kind in [*CLASSES, *WARNINGS]]


def test_a_name_that_does_not_exist(capsys):
    assert commands.main(["error", "CarryMissmatchError"]) == 2
    assert (
        capsys.readouterr().err
        == "autograph-lite: no error named 'CarryMissmatchError'; did you mean CarryMismatchError?\n"
    )


def test_two_names(capsys):
    assert commands.main(["error", "CarryMismatchError", "CopyError"]) == 2
    assert capsys.readouterr().err == "autograph-lite: error takes one name, and 'CopyError' is another\n"


def test_a_traceback_names_the_command_once_and_what_it_names_exists():
    @autograph_lite.convert
    def f(x):
        if x > 0:
            y = x
        return y

    with pytest.raises(errors.UndefinedVariableError) as caught:
        f(jnp.float32(1))
    said = "".join(traceback.format_exception_only(caught.value)).splitlines()
    assert said.count("More: autograph-lite error UndefinedVariableError") == 1
    assert "More:" not in str(caught.value)


def test_an_error_of_a_users_own_class_names_no_command():
    class Own(errors.ConversionError):
        pass

    assert not hasattr(Own("no"), "__notes__")
