"""Traced values in sets and in `statistics`, and an exception that outlives its handler: what to write instead."""

import collections
import statistics

import numpy as np
import pytest

from autograph_lite import BranchMismatchError, PythonOnlyError, convert


def kept(x):
    last = None
    try:
        if x[0] < 0:
            raise ValueError("negative")
    except ValueError as error:
        last = error
    return 1 if last is not None else 0


UNIQUE = "np.unique(x) has each value once; else use `match` or `if` on the value, or an array indexed by it."
MEAN = "np.mean(x), np.std(x, ddof=1) or np.median(x), of an array or a list of the numbers."
KEPT = "keep what is needed of the exception, as str(e), or a flag, and raise it again in the handler."
REFUSED = {
    "set": (lambda x: len(set(x)), PythonOnlyError, UNIQUE),
    "frozenset": (lambda x: len(frozenset(x.tolist())), PythonOnlyError, UNIQUE),
    "Counter": (lambda x: collections.Counter(x.tolist()), PythonOnlyError, UNIQUE),
    "update": (lambda x: {1.0}.update([x[0]]), PythonOnlyError, UNIQUE),
    "mean": (lambda x: statistics.mean(x), PythonOnlyError, MEAN),
    "mean of ints": (lambda x: statistics.mean([int(x[0]), int(x[1])]), PythonOnlyError, MEAN),
    "fmean": (lambda x: statistics.fmean(x), PythonOnlyError, MEAN),
    "stdev": (lambda x: statistics.stdev(x.tolist()), PythonOnlyError, MEAN),
    "median": (lambda x: statistics.median(x.tolist()), PythonOnlyError, MEAN),
    "an exception": (kept, BranchMismatchError, KEPT),
}


@pytest.mark.parametrize(("function", "kind", "fix"), REFUSED.values(), ids=REFUSED)
def test_the_error_says_what_to_write(function, kind, fix):
    with pytest.raises(kind) as caught:
        convert(function)(np.array([1.0, -2.0]))
    assert f"Fix: {fix}" in str(caught.value)
    assert "unhashable" not in str(caught.value)


def test_what_it_says_works():
    x = np.array([1.0, -2.0, 1.0])
    for fn in (lambda x: len(np.unique(x)), lambda x: (np.mean(x), np.std(x, ddof=1), np.median(list(x)))):
        np.testing.assert_allclose(np.asarray(convert(fn)(x)), np.asarray(fn(x)), rtol=1e-6)
