"""Does a converted function do what plain Python does, where a traced value decides which of several values a variable has?"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite

PROGRAMS: dict[str, list[Any]] = {}


def program(*calls: tuple[Any, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Names a function as one that is compared for the arguments of each of these calls."""

    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        found = PROGRAMS.setdefault(function.__module__, [])
        found += [(function, call) for call in calls]
        return function

    return note


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """What a call gives; of an exception, its class, and its message where that is the user's."""
    try:
        return function(*args)
    except autograph_lite.AutographError:
        raise
    except (TypeError, AttributeError) as error:  # whose messages name the types of operands
        return type(error)
    except Exception as error:
        return type(error), str(error)


def same(found: Any, expected: Any) -> bool:
    """Whether two results are alike: the same objects of Python's, close numbers."""
    if isinstance(expected, (bool, int, float, np.generic, np.ndarray, jax.Array)):
        is_number = isinstance(found, (bool, int, float, np.generic, np.ndarray, jax.Array))
        return (
            is_number
            and np.shape(found) == np.shape(expected)
            and np.allclose(found, expected, rtol=1e-5, equal_nan=True)
        )
    if isinstance(expected, (tuple, list)):
        return (
            type(found) is type(expected) and len(found) == len(expected) and all(map(same, found, expected))
        )
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[key], expected[key]) for key in expected)
    return type(found) is type(expected) and found == expected


def agrees(function: Callable[..., Any], call: tuple[Any, ...]) -> None:
    """Compares a call of the converted function, with all numbers traced, with one of the function itself."""
    numbers = (bool, int, float, np.ndarray)
    plain = [np.float32(arg) if isinstance(arg, float) else copy.copy(arg) for arg in call]
    given = [jnp.asarray(arg) if isinstance(arg, numbers) else arg for arg in call]
    expected = outcome(function, *plain)
    found = outcome(autograph_lite.convert(function), *given)
    assert same(found, expected), (found, expected)
