"""A converted standard-library module passes the tests that it passes unconverted."""

from __future__ import annotations

import importlib.util

import pytest

from .modules import QUICK, TARGETS
from .run import run

needs_cpython_tests = pytest.mark.skipif(
    importlib.util.find_spec("test.test_textwrap") is None,
    reason="this Python comes without its test package",
)
SLOW = [name for name in TARGETS if name not in QUICK]


@needs_cpython_tests
@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_module_passes_its_own_tests_when_converted(name: str) -> None:
    result = run(name)
    assert result.functions > 0
    assert result.new_failures == {}
