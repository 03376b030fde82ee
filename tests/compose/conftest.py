"""Each test here runs in both modes of dispatch: JAX's own in C++, and public names alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograph_lite import config
from autograph_lite.runtime import retracing


@pytest.fixture(autouse=True, params=["fast", "public"])
def dispatch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The mode of the functions that the test converts."""
    monkeypatch.setattr(config, "fast_dispatch", lambda: request.param == "fast")
    monkeypatch.setattr(retracing, "_detectors", {})  # the same `def` in the other mode is no retrace
    yield request.param


# Run in processes of their own, with several devices.
collect_ignore = ["sharded.py", "distributed.py", "children.py"]
