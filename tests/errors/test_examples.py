"""Do the programs in the docstrings of the error classes fail and work as they say, and does docs/errors.md show them?"""

from __future__ import annotations

import pytest

import autograph_lite
from autograph_lite import errors

from .examples import CLASSES, WARNINGS, example, run
from .page import PAGE, page


@pytest.mark.parametrize("kind", CLASSES)
def test_the_failing_program_raises_this_very_class(kind: type[errors.AutographError]) -> None:
    with pytest.raises(kind) as caught:
        run(example(kind).fails)

    assert type(caught.value) is kind


@pytest.mark.parametrize("kind", CLASSES)
def test_the_failing_program_names_its_line_and_a_remedy(kind: type[errors.AutographError]) -> None:
    with pytest.raises(kind) as caught:
        run(example(kind).fails)

    assert caught.value.fix
    assert caught.value.where or kind is errors.SourceNotFoundError


@pytest.mark.parametrize("kind", WARNINGS)
def test_the_failing_program_gives_this_very_warning_at_its_line(kind: type[Warning]) -> None:
    with pytest.warns(kind) as caught:
        run(example(kind).fails)

    assert [(each.category, each.filename) for each in caught] == [(kind, "model.py")]


@pytest.mark.parametrize("kind", [*CLASSES, *WARNINGS])
def test_the_mended_program_runs_without_a_warning(kind: type[Exception]) -> None:
    run(example(kind).works)


@pytest.mark.parametrize("kind", CLASSES)
def test_the_class_is_public_and_derives_from_a_builtin(kind: type[errors.AutographError]) -> None:
    assert getattr(autograph_lite, kind.__name__) is kind
    assert any(base.__module__ == "builtins" and base is not Exception for base in kind.__mro__[:-3])


def test_the_page_in_the_docs_shows_the_docstrings_and_their_messages() -> None:
    assert PAGE.read_text() == page() + "\n", "run: python -m tests.errors.page"
