"""Objects that have whatever attribute they are asked for, as mock objects: no search through objects goes round in them for ever."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock, Mock, call

import numpy as np
import pytest

import autograph_lite


class Anything:
    def __getattr__(self, name: str) -> Any:
        return Anything()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Anything()


@pytest.mark.parametrize("kind", [MagicMock, Mock, Anything])
def test_an_object_from_outside_is_called(kind: Any) -> None:
    made = kind()

    def f(x):
        model = made(kernel="rbf")
        model.fit(len(x))
        return x.sum() if x[0] > 0 else x[0]

    assert autograph_lite.convert(f)(np.ones(3)) == 3
    if isinstance(made, Mock):
        assert [tuple(each) for each in made.mock_calls] == [
            ("", (), {"kernel": "rbf"}),
            ("().fit", (3,), {}),
        ]


@pytest.mark.parametrize("kind", [MagicMock, Mock, Anything])
def test_an_object_that_is_an_argument_is_called(kind: Any) -> None:
    def f(x, log):
        for i in range(3):
            log.step(i)
        return x * 2

    made = kind()
    assert (autograph_lite.convert(f)(np.ones(3), made) == 2).all()
    if isinstance(made, Mock):
        assert made.step.call_args_list == [call(0), call(1), call(2)]
