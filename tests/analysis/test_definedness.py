from __future__ import annotations

import pytest

from tests.analysis.reading import unsure, unsure_reads


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if c:\n    y = 1\nelse:\n    y = 2\nreturn y", ""),
        ("if c:\n    y = 1\nreturn y", "y"),
        ("y = 0\nif c:\n    y = 1\nreturn y", ""),
        ("if c:\n    t = 1\nreturn 0", ""),
        ("for x in xs:\n    y = x\nreturn y", "y"),
        ("for x in xs:\n    pass\nreturn x", "x"),
        ("for x in xs:\n    t = x\n    s = t\nreturn 0", ""),
        ("while c:\n    y = 1\nreturn y", "y"),
        ("if c:\n    b = 1\n    a = 1\nreturn a + b", "b a"),
        ("try:\n    y = 1\nexcept E:\n    pass\nif c:\n    y = y + 1\nreturn y", "y"),
        ("try:\n    pass\nfinally:\n    y = 1\nif c:\n    y = y + 1\nreturn y", ""),
        ("with open(p):\n    y = 1\nif c:\n    y = y + 1\nreturn y", ""),
        ("y = ag.deleted(y, 'y')\nif c:\n    y = 1\nreturn y", "y"),
        (
            "y = 0\ntry:\n    y = ag.deleted(y, 'y')\n    y = 1\nfinally:\n    if c:\n        y = y + 1\nreturn 0",
            "y",
        ),
        ("y = 0\nfor x in xs:\n    if c:\n        y = y + 1\n    y = ag.deleted(y, 'y')\nreturn 0", "y"),
        ("if (y := c) > 0:\n    y = y + 1\nreturn y", ""),
        ("use(c and (y := 1))\nif c:\n    y = y + 1\nreturn y", "y"),
        ("import y\nif c:\n    y = 1\nreturn y", ""),
        ("if c:\n    return 0\nelse:\n    y = 1\nif c:\n    y = y + 1\nreturn y", ""),
    ],
)
def test_names_that_a_statement_takes_unsurely(source: str, expected: str) -> None:
    assert unsure(source, "c", "xs", "p") == expected.split()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("y = 0\ntry:\n    y = ag.deleted(y, 'y')\nfinally:\n    use(y)\nreturn 0", [("y", 5)]),
        (
            "y = 0\ntry:\n    y = ag.deleted(y, 'y')\n    y = 1\nexcept E:\n    use(y)\nreturn y",
            [("y", 6), ("y", 7)],
        ),
        (
            "y = 0\ntry:\n    use(1)\nexcept E:\n    y = ag.deleted(y, 'y')\nfinally:\n    use(y)\nreturn 0",
            [("y", 7)],
        ),
        ("y = 0\ntry:\n    use(y)\nfinally:\n    y = ag.deleted(y, 'y')\nreturn y", [("y", 6)]),
        (
            "y = 0\nwhile y:\n    use(y)\n    y = ag.deleted(y, 'y')\nreturn y",
            [("y", line) for line in (2, 3, 4, 5)],
        ),
        ("y = 0\nfor x in xs:\n    use(y)\n    y = ag.deleted(y, 'y')\n    y = 1\nreturn 0", []),
        ("if c:\n    y = 1\nreturn y", [("y", 3)]),
        ("if c:\n    y = 1\n    use(y)\nreturn 0", []),
        ("if c:\n    y = 1\ny = 2\nreturn y", []),
        ("for x in xs:\n    y = x\nuse(y)\ny = 1\nreturn y", [("y", 3)]),
        ("if c:\n    y = 1\ny += 1\nreturn y", [("y", 3)]),
        ("for x in xs:\n    pass\nreturn x", [("x", 3)]),
    ],
)
def test_reads_that_have_to_be_checked(source: str, expected: list[tuple[str, int]]) -> None:
    assert unsure_reads(source, "c", "xs") == expected


def test_a_parameter_is_always_assigned() -> None:
    assert unsure("if c:\n    y = 1\nreturn y", "c", "y") == []
