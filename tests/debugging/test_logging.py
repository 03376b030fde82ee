"""What is logged at each verbosity?"""

from __future__ import annotations

import logging
import pathlib

import jax.numpy as jnp
import pytest

import autograph_lite

HERE = str(pathlib.Path(__file__))


@pytest.fixture(autouse=True)
def _quiet_afterwards():
    yield
    autograph_lite.set_verbosity(0)


def helper(x):
    return x + 1


def log_of(caplog: pytest.LogCaptureFixture, level: int, fn) -> list[str]:
    autograph_lite.set_verbosity(level)
    with caplog.at_level(logging.INFO, logger="autograph_lite"):
        autograph_lite.convert(fn)(jnp.float32(2))
    return [record.getMessage() for record in caplog.records]


def test_nothing_is_logged_at_verbosity_0(caplog: pytest.LogCaptureFixture) -> None:
    def f(x):
        return helper(x)

    assert log_of(caplog, 0, f) == []


def test_each_converted_function_is_a_line_at_verbosity_1(caplog: pytest.LogCaptureFixture) -> None:
    def helper_of_this_test(x):
        return x + 1

    def f(x):
        return helper_of_this_test(x)

    first = f.__code__.co_firstlineno
    assert log_of(caplog, 1, f) == [
        f"converted {f.__qualname__} ({HERE}:{first})",
        f"converted {helper_of_this_test.__qualname__} ({HERE}:{first - 3})",
    ]


def test_the_generated_code_is_logged_at_verbosity_2(caplog: pytest.LogCaptureFixture) -> None:
    def f(x):
        if x > 0:
            x = x * 2
        return x

    (text,) = log_of(caplog, 2, f)
    assert text.startswith(f"converted {f.__qualname__} ({HERE}:{f.__code__.co_firstlineno}):\n")
    assert "ag.if_stmt" in text


def test_a_function_left_as_it_is_is_logged_with_the_reason(caplog: pytest.LogCaptureFixture) -> None:
    namespace: dict[str, object] = {}
    exec("def plain(x):\n    return x + 1\n", namespace)
    plain = namespace["plain"]

    def f(x):
        return plain(x)

    assert "plain is not converted: No source for 'plain'. Python has kept no text for '<string>'." in log_of(
        caplog, 1, f
    )
