"""How does a row run? From counts of 0."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from autograph_lite import RetraceWarning

from . import probe


@pytest.fixture(autouse=True)
def counts() -> Iterator[None]:
    """Counts from 0; the rows retrace on purpose."""
    probe.forget()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RetraceWarning)
        yield
