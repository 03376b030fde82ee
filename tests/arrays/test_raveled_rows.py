"""`row.ravel()[0] = v`: whether it is a view of the row in NumPy, or a copy, follows from how the row lies."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_lite as al
from tests.properties.running import loaded
from tests.properties.test_steps import are_close

ROWS = {
    "unpacked": "p, q = a",
    "of a copy": "c = a.copy()\np, q = c",
    "of columns": "p, q, r = a.T",
    "of columns that are copied": "p, q, r = a.T.copy()",
    "of a part": "p, q = a[:, 1:]",
    "in a list": "p, q = list(a)",
    "starred": "p, *r = a\nq = r[0]",
    "of an iterator": "p = next(iter(a))\nq = a[1]",
    "split": "p, q = np.split(a, 2)",
    "split by columns": "p, q, r = np.split(a, 3, axis=1)",
    "split in unlike parts": "p, q = np.array_split(a[0], 2)",
    "split columns": "p, q = np.hsplit(a, [1])",
    "of a stack": "c = np.stack([a, a * 2])\np, q = c",
    "of a turned stack": "c = np.stack([a, a * 2]).transpose(1, 0, 2)\np, q = c",
    "by a traced index": "p, q = a[n % 2], a[1 - n % 2]",
}
WRITES = [
    "q.ravel()[1:] = n",
    "np.ravel(q)[1:] += n",
    "s = q.ravel()\ns += 1",
    "q.reshape(-1)[:1] = n",
    "if n > 1: q.ravel()[:] = p.ravel()[:1]",
    "for k in range(n): q.ravel()[0] += k",
    "q.ravel().fill(n)",
]
LOOPS = [
    "for q in a: q.ravel()[1] = n",
    "for q in a.T: q.ravel()[0] = n",
    "a[0, 1] = n\nfor q in a.T: q.ravel()[0] = n",
    "a[0, 1] = n\nc = a.T\nfor q in c:\n    s = q.ravel()\n    s[0] = 9",
    "b = a * 1\nb[0, 1] = n\nfor q in b.T: q.ravel()[0] = n\na[1] = b[0]",
    "c = np.stack([a, a * 2])\nfor m in c: m.ravel()[1] = n\nfor m in c.transpose(1, 0, 2): m.ravel()[2] = n\na[:] = c[1]",
    "a[0, 1] = n\nfor q in a.T:\n    if q[0] > 100: q.ravel()[1] = 9",
]


def outcome(body: str, given: str) -> str:
    text = "import numpy as np\n\ndef f(a, n):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    text += f"    return {given}\n"
    ours, theirs = (np.array([[0.5, 2.5, 1.5], [3.5, 0.75, 5.5]], np.float32) for _ in range(2))
    with loaded(text) as namespace:
        wanted = namespace["f"](theirs, 3)
        try:
            found = al.convert(namespace["f"])(ours, np.int32(3))
        except al.MutationError:
            return "refused"
    return (
        "same"
        if are_close((found, ours), (wanted, theirs))
        else f"{found}\n{wanted}\n{ours}\n{theirs}\n{text}"
    )


@pytest.mark.parametrize("rows", ROWS)
def test_rows_that_are_taken_apart(rows: str) -> None:
    found = {write: outcome(f"{ROWS[rows]}\n{write}", "p * 1, q * 1, a") for write in WRITES}
    assert {one for one in found.values() if one not in ("same", "refused")} == set()
    assert "same" in found.values()


@pytest.mark.parametrize("loop", LOOPS)
def test_rows_of_a_loop(loop: str) -> None:
    assert outcome(loop, "a") == "same"
