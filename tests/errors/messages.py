"""What does the whole message of an error say, apart from where on this machine the file lies?"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import autograph_lite


def message(fn: Callable[..., Any], *args: Any) -> str:
    """Class and message of the error that the converted `fn` raises; lines count from the `def` of `fn`, which is 0."""
    with pytest.raises(autograph_lite.AutographError) as caught:
        autograph_lite.convert(fn)(*args)
    return shown(caught.value, fn)


def shown(error: BaseException, fn: Callable[..., Any]) -> str:
    """Class and message of an error, with lines that count from the `def` of `fn`."""
    code = fn.__code__
    place = re.escape(code.co_filename) + r":(\d+)"
    text = re.sub(place, lambda found: f"test.py:{int(found[1]) - code.co_firstlineno}", str(error))
    return f"{type(error).__name__}: {text}"
