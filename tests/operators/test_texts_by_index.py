"""`"NESW"[k]` of a traced `k`: the letter that Python gives."""

import numpy as np
import pytest

from autograph_lite import TracedIndexError, convert


def letter(x):
    return "NESW"[int(x[0])]


def compared(x):
    d = "NESW"[int(x[0]) - 2]
    return 1 if d in "NS" else 2 if d == "E" else 3


def counted(x):
    n = 0
    for v in x:
        if "NESW"[int(v)] == "E":
            n += 1
    return n


def byte(x):
    return b"NESW"[int(x[0])] + 1


def handled(x):
    try:
        return "NESW"[int(x[0]) + 2]
    except IndexError:
        return "none"


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("function", [letter, compared, counted, byte, handled], ids=lambda fn: fn.__name__)
def test_the_letter_is_pythons(function, first):
    x = np.array([first, 1, 3])
    assert convert(function)(x) == function(x)


@pytest.mark.parametrize("text", ["NESW", b"NESW"], ids=["text", "bytes"])
def test_an_index_beyond_the_end_is_pythons_error(text):
    def beyond(x):
        return text[int(x)]

    for fn in (beyond, convert(beyond)):
        with pytest.raises(IndexError, match="^(string )?index out of range"):
            fn(np.int64(7))


def test_a_long_text_is_refused():
    with pytest.raises(TracedIndexError, match="at most 16 values"):
        convert(lambda x: "abcdefghijklmnopqrstuvwxyz"[int(x)])(np.int64(3))
