"""Does each line of printed generated code stand for the lines of the user's that it was made of?"""

from __future__ import annotations

from typing import Any

from autograph_lite import transpiler


def f(x, y):
    """Text."""
    if x > 0:
        y = max(
            x,
            y,
        )
    while y > x:
        y = y - 1
    return [
        x,
        y,
    ]


def mapped(fn: Any) -> list[tuple[str, list[int]]]:
    text, numbers = transpiler.to_mapped_source(fn, lambda *_: False)
    first = fn.__code__.co_firstlineno
    rows = zip(text.splitlines(), numbers, strict=True)
    return [(line.strip(), sorted(n - first for n in lines)) for line, lines in rows]


def test_each_line_of_text_stands_for_lines_of_the_function() -> None:
    found = mapped(f)
    assert all(lines for text, lines in found if text)
    assert found[0] == ("def f(x, y):", [0])
    assert {0, 2, 3, 7, 8, 9} <= {line for _, lines in found for line in lines} <= set(range(13))


def test_a_condition_and_a_body_stand_for_their_own_lines() -> None:
    found = dict(mapped(f))
    assert found["def true_fun(y):"] == [2]
    assert found["return ag.call(max)(x, y)"] == [3, 4, 5]
    assert found["return ag.compare(y, '>', x)"] == [7]
    assert found["y = y - 1"] == [8]


def test_a_lambda_is_mapped_too() -> None:
    ((text, lines),) = mapped(lambda x: x if x > 0 else -x)
    assert text.startswith("lambda x:")
    assert lines == [0]
