"""How do the tests run: on which device, with which checks, with how many random examples?"""

from __future__ import annotations

import collections
import gc
import os
import sys
from collections.abc import Iterator

# Before anything imports jax or reads our options.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("AUTOGRAPH_LITE_CHECK", "1")

import hypothesis
import pytest

from tests.examples import share

hypothesis.settings.register_profile(
    "default", deadline=None, max_examples=share(30), suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile(
    "ci", parent=hypothesis.settings.get_profile("default"), derandomize=True, database=None
)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "default")

# Programs and traces live on: looking through all of them after each 700 new objects takes a twentieth of the time.
gc.set_threshold(50_000, 20, 100)


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Python goes from thread to thread as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-slow", action="store_true", help="run the tests marked slow, too")
    parser.addoption(
        "--every-nth-case",
        type=int,
        default=1,
        metavar="N",
        help="of each test with several cases, run the first ones and each N-th after them",
    )
    parser.addoption(
        "--first-cases",
        type=int,
        default=1,
        metavar="K",
        help="how many are the first ones of --every-nth-case",
    )
    parser.addoption(
        "--case-offset",
        type=int,
        default=0,
        metavar="M",
        help="which of N cases --every-nth-case takes: all of them have run after N values",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if (step := config.getoption("--every-nth-case")) > 1:
        first, offset = config.getoption("--first-cases"), config.getoption("--case-offset")
        config.hook.pytest_deselected(items=_left_out(items, first, step, offset))
    if config.getoption("--run-slow"):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow; runs with --run-slow"))


def _left_out(items: list[pytest.Item], first: int, step: int, offset: int) -> list[pytest.Item]:
    """Takes all cases of each test but the `first` ones, and each `step`-th after them, out of `items`, and gives them."""
    seen: collections.Counter[str] = collections.Counter()
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        test = item.nodeid.partition("[")[0]
        behind = seen[test] - (first - 1)  # the last of the first ones is 0
        (left_out if behind > 0 and (behind - offset) % step else kept).append(item)
        seen[test] += 1
    items[:] = kept
    return left_out


@pytest.fixture(autouse=True, scope="module")
def young_garbage(request: pytest.FixtureRequest) -> Iterator[None]:
    """Modules that collect garbage collect their own: to look through that of all tests before takes seconds each time."""
    if not hasattr(request.module, "gc"):
        yield
        return
    gc.freeze()
    yield
    gc.unfreeze()
