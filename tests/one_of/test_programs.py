"""Programs whose variables are one of several, compared with plain Python."""

from __future__ import annotations

import pytest

from tests.one_of import none_programs, object_programs, once_refused, text_programs
from tests.one_of.agreement import PROGRAMS, agrees


@pytest.mark.parametrize(("function", "call"), PROGRAMS[none_programs.__name__])
def test_none_beside_an_array(function, call) -> None:
    agrees(function, call)


@pytest.mark.parametrize(("function", "call"), PROGRAMS[text_programs.__name__])
def test_texts_enums_functions_and_classes(function, call) -> None:
    agrees(function, call)


@pytest.mark.parametrize(("function", "call"), PROGRAMS[object_programs.__name__])
def test_objects(function, call) -> None:
    agrees(function, call)


@pytest.mark.parametrize(("function", "call"), PROGRAMS[once_refused.__name__])
def test_what_was_refused(function, call) -> None:
    agrees(function, call)
