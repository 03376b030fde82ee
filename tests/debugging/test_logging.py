"""What is logged at each verbosity?"""

from __future__ import annotations

import logging
import os
import pathlib
import re
import subprocess
import sys

import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import config
from autograph_lite.transpiler import PASS_NAMES

HERE = str(pathlib.Path(__file__))
ROOT = pathlib.Path(__file__).parents[2]


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
    return [re.sub(r" in \d+\.\d ms$", " in TIME", record.getMessage()) for record in caplog.records]


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
        f"converted {f.__qualname__} ({HERE}:{first}) in TIME",
        f"converted {helper_of_this_test.__qualname__} ({HERE}:{first - 3}) in TIME",
    ]


def test_the_generated_code_is_logged_at_verbosity_2(caplog: pytest.LogCaptureFixture) -> None:
    def f(x):
        if x > 0:
            x = x * 2
        return x

    place = f"{f.__qualname__} ({HERE}:{f.__code__.co_firstlineno})"
    line, text = log_of(caplog, 2, f)
    assert line == f"converted {place} in TIME"
    assert text.startswith(f"{place} is converted to:\ndef f(x):\n")
    assert "ag.if_stmt" in text


def test_the_code_after_each_pass_is_logged_at_verbosity_3(caplog: pytest.LogCaptureFixture) -> None:
    def f(x):
        return x if x > 0 else -x

    _, *texts = log_of(caplog, 3, f)
    place = f"{f.__qualname__} ({HERE}:{f.__code__.co_firstlineno})"
    assert [text.partition(":\n")[0] for text in texts] == [f"{place} after {name}" for name in PASS_NAMES]


def test_a_function_left_as_it_is_is_logged_with_the_reason(caplog: pytest.LogCaptureFixture) -> None:
    namespace: dict[str, object] = {}
    exec("def plain(x):\n    return x + 1\n", namespace)
    plain = namespace["plain"]

    def f(x):
        return plain(x)

    said = (
        "plain (<string>:1) is not converted: No source for 'plain'. Python has kept no text for '<string>'."
    )
    assert said in log_of(caplog, 1, f)


def test_a_function_that_is_marked_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    @autograph_lite.do_not_convert
    def plain(x):
        return x + 1

    def f(x):
        return plain(plain(x))

    place = f"{plain.__qualname__} ({HERE}:{plain.__code__.co_firstlineno})"
    said = [line for line in log_of(caplog, 1, f) if "not converted" in line]
    assert said == [f"{place} is not converted: It is marked with do_not_convert."]


def test_the_level_of_the_logger_asks_for_lines(monkeypatch: pytest.MonkeyPatch, caplog) -> None:
    monkeypatch.setattr(config, "_chosen_verbosity", None)
    monkeypatch.setattr(config, "_leveled", False)

    def f(x):
        return x + 1

    for level, verbosity in [(logging.WARNING, 0), (logging.DEBUG, 2), (logging.INFO, 1)]:
        caplog.set_level(level, logger="autograph_lite")
        assert config.verbosity() == verbosity
    autograph_lite.convert(f)(jnp.float32(2))
    assert len(caplog.records) == 1


def test_without_a_configuration_of_logging_lines_go_to_stderr(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "model.py"
    program.write_text("import autograph_lite\nautograph_lite.to_graph(lambda x: x if x > 0 else -x)(1)\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AUTOGRAPH_LITE_VERBOSITY": "1"}
    done = subprocess.run(
        [sys.executable, program], env=environment, capture_output=True, text=True, check=True
    )
    assert re.fullmatch(rf"converted <lambda> \({program}:2\) in \d+\.\d ms\n", done.stderr)
