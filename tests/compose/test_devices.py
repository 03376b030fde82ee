"""Do converted functions run on many devices as plain ones do? See `sharded.py`, which runs in a process with 8."""

from __future__ import annotations

import functools
import re

import pytest

from tests.compose import children

CASES = re.findall(r"^def (\w+)\(\):", (children.FOLDER / "sharded.py").read_text(), re.M)


@functools.cache
def outcome() -> dict[str, str]:
    """What became of each case."""
    output = children.finished(children.start("sharded.py", devices=8))
    return {
        name: text
        for text, name in re.findall(
            r"^((?:well|badly): (\w+)(?:(?!^(?:well|badly):).)*)", output, re.M | re.S
        )
    }


@pytest.mark.parametrize("case", CASES)
def test_on_eight_devices(case):
    assert outcome()[case].strip() == f"well: {case}"
