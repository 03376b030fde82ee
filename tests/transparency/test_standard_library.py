"""A converted standard-library module passes the tests that it passes unconverted."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from typing import Any

import pytest

from .modules import QUICK, QUICK_IN_FULL, TARGETS
from .run import run

needs_cpython_tests = pytest.mark.skipif(
    importlib.util.find_spec("test.test_textwrap") is None,
    reason="this Python comes without its test package",
)


def _cases(quick: Iterable[str]) -> list[Any]:
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in TARGETS]


@needs_cpython_tests
@pytest.mark.parametrize("name", _cases(QUICK))
def test_module_passes_its_own_tests_when_converted(name: str) -> None:
    result = run(name)
    assert result.functions > 0
    assert result.new_failures == {}


@needs_cpython_tests
@pytest.mark.parametrize("name", _cases(QUICK_IN_FULL))
def test_module_passes_its_own_tests_in_the_form_for_traced_values(name: str) -> None:
    result = run(name, light=False)
    assert result.functions > 0
    assert result.new_failures == {}
