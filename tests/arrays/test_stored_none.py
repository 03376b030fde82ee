"""None that is stored in an array is what NumPy makes of it: nan among floats, False among bools, else NumPy's TypeError."""

from __future__ import annotations

import numpy as np
import pytest

from autograph_lite import convert
from tests.properties.running import loaded

STORES = {
    "an item": "a[-1] = None",
    "a part": "a[:2] = None",
    "by a mask": "a[a > 1] = None",
    "at a traced index": "a[int(x)] = None",
    "a part of a traced length": "a[int(x):] = None",
    "at several indices": "a[[0, 2]] = 1, None",
    "items of a list": "a[:] = [x, None, 1]",
    "a list of None": "b = [None] * 3\na[:] = b",
    "in a view": "b = a[1:]\nb[0] = None",
    "in a selection": "a = a[a > 1]\na[:] = None\na = a.sum()",
    "flat": "a.flat = None",
    "one of two": "a[1] = x if x < 0 else None",
    "on a path": "if x > 0:\n    a[1] = None",
    "on no path": "if x < 0:\n    a[1] = None",
    "in a loop": "for i in range(2):\n    a[i + 1] = None",
    "in a handler's try": "try:\n    a[1] = None\nexcept TypeError:\n    a[1] = 7",
    "by `fill`": "a.fill(None)",
    "by `put`": "np.put(a, [0, 1], [None, True])",
    "by `put`, named": "np.put(a, v=None, ind=1)",
    "by `putmask`": "np.putmask(a, a > 1, None)",
}
TYPES = ("float", "np.float16", "np.complex64", "bool", "int", "np.uint8")


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_none_is_stored_as_in_numpy(store: str, kind: str) -> None:
    lines = f"a = np.zeros(3, {kind})\na[0] = x\n{store}\nreturn a".replace("\n", "\n    ")
    with loaded(f"def main(x):\n    {lines}\n", np=np) as namespace:
        x, ours = np.int32(2), convert(namespace["main"])
        try:
            wanted = namespace["main"](x)
        except (TypeError, ValueError) as expected:
            with pytest.raises(type(expected)) as found:
                ours(x)
            assert str(found.value) == str(expected)
        else:
            np.testing.assert_array_equal(ours(x), wanted)
