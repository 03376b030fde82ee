"""In which ways does a row run? Once by each kind of dispatch, and from counts of 0."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from autograph_lite import RetraceWarning, config

from . import probe


@pytest.fixture(params=["fast", "public"], autouse=True)
def dispatch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Functions that are made in a test find their programs in one of the two ways."""
    monkeypatch.setattr(config, "fast_dispatch", lambda: request.param == "fast")
    probe.forget()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RetraceWarning)  # the rows retrace on purpose
        yield request.param
