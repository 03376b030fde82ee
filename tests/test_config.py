"""Are options read once, validated, and is the verbosity what was last asked for?"""

from __future__ import annotations

import logging

import pytest

from autograph_lite import config
from autograph_lite.config import Options


@pytest.fixture(autouse=True)
def verbosity_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_chosen_verbosity", None)


def test_unset_and_empty_variables_keep_the_defaults() -> None:
    assert Options.from_environment({}) == Options(verbosity=0, check_passes=False, fuzz_programs=1000)
    assert Options.from_environment({"AUTOGRAPH_LITE_CHECK": ""}) == Options()


def test_each_variable_sets_its_option() -> None:
    environ = {
        "AUTOGRAPH_LITE_VERBOSITY": "3",
        "AUTOGRAPH_LITE_CHECK": "1",
        "AUTOGRAPH_LITE_FUZZ_PROGRAMS": "20000",
    }
    assert Options.from_environment(environ) == Options(3, True, 20000)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("AUTOGRAPH_LITE_VERBOSITY", "4", "AUTOGRAPH_LITE_VERBOSITY is '4'; it may be 0, 1, 2 or 3."),
        ("AUTOGRAPH_LITE_VERBOSITY", "-1", "AUTOGRAPH_LITE_VERBOSITY is '-1'; it may be 0, 1, 2 or 3."),
        ("AUTOGRAPH_LITE_CHECK", "true", "AUTOGRAPH_LITE_CHECK is 'true'; it may be 0 or 1."),
        ("AUTOGRAPH_LITE_CHECK", "²", "AUTOGRAPH_LITE_CHECK is '²'; it may be 0 or 1."),
        (
            "AUTOGRAPH_LITE_FUZZ_PROGRAMS",
            "0",
            "AUTOGRAPH_LITE_FUZZ_PROGRAMS is '0'; it may be an integer from 1 to 10000000.",
        ),
    ],
)
def test_a_wrong_value_names_the_variable_and_the_valid_values(name: str, value: str, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        Options.from_environment({name: value})
    assert str(raised.value) == message


def test_the_environment_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before = config.options()
    monkeypatch.setenv("AUTOGRAPH_LITE_CHECK", "0" if before.check_passes else "1")
    assert config.options() is before
    assert config.check_passes() == before.check_passes


def test_set_verbosity_goes_over_the_environment() -> None:
    config.set_verbosity(2)
    assert config.verbosity() == 2


def test_set_verbosity_says_which_levels_there_are() -> None:
    with pytest.raises(ValueError, match=r"^set_verbosity: level is 9; it may be 0, 1, 2 or 3\.$"):
        config.set_verbosity(9)
    with pytest.raises(TypeError, match=r"^set_verbosity: level is True; it may be 0, 1, 2 or 3\.$"):
        config.set_verbosity(True)


def test_only_what_the_verbosity_asks_for_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    config.set_verbosity(1)
    with caplog.at_level(logging.INFO, logger="autograph_lite"):
        config.log(1, "converted %s", "step")
        config.log(2, "code of %s", "step")
    assert caplog.messages == ["converted step"]
