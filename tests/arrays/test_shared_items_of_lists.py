"""Arrays that lists and others have, as somebody writes to them: each program gives what NumPy gives, or is refused; which is told.

The lists are as long as the data say, have been on one of two paths only, or are gone through by a loop of the program.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_lite as al
from tests.properties.running import loaded
from tests.properties.test_steps import are_close

START = {
    "an array that has a name": ("rows = [w]", "w"),
    "one array twice": ("rows = [w, w]", "0"),
    "the caller's": ("rows = [a[0], a[1]]", "0"),
    "rows of an array": ("rows = list(b)", "b"),
    "another list's": ("m = [w, w * 2]\nrows = list(m)", "m"),
    "an object's": ("o.f = w\nrows = [w]", "o.f"),
}
LONGER = {
    "appended": "for k in range(n): rows.append(a[k % 3] * 2)",
    "added": "for k in range(n): rows = rows + [a[k % 3] * 2]",
    "on a path": "if n > 4: rows = rows + [a[2] * 2]",
    "appended on a path": "if n > 4: rows.append(a[2] * 2)",
    "as many as rows": "for r in a:\n    rows.append(r * 2)\n    m2 = rows[::-1]",
}
WRITE = {
    "an item": "rows[0][1] = 6",
    "the last": "rows[-1][1] = 6",
    "added to": "rows[0] += 1",
    "added to by a name": "y = rows[0]\ny += 1",
    "each": "for y in rows: y += 1",
    "what it has been": "w[1] = 6",
    "the matrix": "b[0] = 7",
    "by its place": "rows[n % 2][0] = 6",
}


def outcome(body: str, given: str, **options: Any) -> str:
    text = "class O: pass\n\ndef f(a, n):\n    o, w, b, m = O(), a[0] * 1, a * 3, 0\n    o.f = 0\n"
    text += "".join(f"    {line}\n" for line in body.split("\n"))
    text += f"    return [x * 1 for x in rows], w, b, {given}\n"
    ours, theirs = (np.arange(6.0, dtype=np.float32).reshape(3, 2) for _ in range(2))
    with loaded(text) as namespace:
        wanted = namespace["f"](theirs, 5)
        try:
            found = al.convert(namespace["f"], **options)(ours, np.int32(5))
        except al.AutographError:
            return "refused"
    return "same" if are_close((found, ours), (wanted, theirs)) else f"{found}\n{wanted}\n{text}"


@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning")
@pytest.mark.parametrize("static_loops", ["auto", "stage"])
@pytest.mark.parametrize("longer", LONGER)
@pytest.mark.parametrize("start", START)
def test_what_a_list_starts_with_is_somebody_elses(start: str, longer: str, static_loops: Any) -> None:
    body, given = START[start]
    found = {
        name: outcome(f"{body}\n{LONGER[longer]}\n{write}", given, static_loops=static_loops)
        for name, write in WRITE.items()
    }
    assert {one for one in found.values() if one not in ("same", "refused")} == set()
