"""The fixture of `autograph_lite` for pytest. Beside the package, so that pytest imports JAX only where a test asks for it."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def assert_converts() -> Callable[..., Any]:
    """Asserts that a function does, converted and compiled, what it does in Python: `autograph_lite.testing`."""
    from autograph_lite import testing

    return testing.assert_converts
