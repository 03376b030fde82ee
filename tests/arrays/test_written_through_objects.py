"""An array that an object in a list, or what a call gives, has as an attribute is written, and others have the array, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph_lite import convert

A = np.array([[0.5, 2.5, 1.5], [3.5, 0.75, 5.5]], np.float32)


class Two:
    """Has one array by two names."""

    def __init__(self, x: Any) -> None:
        self.x = x
        self.y = x

    def itself(self) -> Any:
        return self


def item_of_a_list(a, n):
    held = [Two(np.zeros(3, np.float32))]
    for k in range(n):
        held[0].x[k] = 7
    return held[0].y


def item_of_a_list_on_a_path(a, n):
    held = [Two(np.zeros(3, np.float32))]
    if a[0, 1] > 1:
        held[0].x[0] = 7
    return held[0].y


def two_objects_have_it(a, n):
    z = np.zeros(3, np.float32)
    held = [Two(z), Two(z)]
    for k in range(n):
        held[0].x[k] += 7
    return held[1].x, z


def item_that_a_traced_index_takes(a, n):
    held = [Two(a[0] * 1), Two(a[1] * 1)]
    for k in range(n):
        held[k % 2].x[k] = 7
    return held[0].y, held[1].y


def what_a_method_gives(a, n):
    two = Two(a[0] * 1)
    for k in range(n):
        two.itself().x[k] = 7
    return two.y


def what_a_function_gives(a, n):
    two = Two(np.zeros(3, np.float32))

    def get():
        return two

    if a[0, 1] > 1:
        get().x[0] = 7
    return two.y


def item_of_a_dict(a, n):
    held = {"a": Two(np.zeros(3, np.float32))}
    for k in range(n):
        held.get("a").x[k] += 7
    return held["a"].y


def item_of_a_new_list(a, n):
    held = [Two(np.zeros(3, np.float32))]
    for k in range(n):
        [two for two in held][0].x[k] += 7
    return held[0].y


def objects_in_objects(a, n):
    two = Two([Two(a[0] * 1)])
    for k in range(n):
        two.x[0].x[k] = 5
    return two.y[0].y


@pytest.mark.parametrize("static_loops", ["auto", "stage"])
@pytest.mark.parametrize(
    "function",
    [
        item_of_a_list,
        item_of_a_list_on_a_path,
        two_objects_have_it,
        item_that_a_traced_index_takes,
        what_a_method_gives,
        what_a_function_gives,
        item_of_a_dict,
        item_of_a_new_list,
        objects_in_objects,
    ],
    ids=lambda function: function.__name__,
)
def test_all_who_have_it_see_it(function: Any, static_loops: Any) -> None:
    for n in (0, 3):
        ours, theirs = A.copy(), A.copy()
        found = convert(function, static_loops=static_loops)(ours, np.int32(n))
        np.testing.assert_array_equal(found, function(theirs, n))
        np.testing.assert_array_equal(ours, theirs)
