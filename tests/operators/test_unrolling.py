"""Is one warned, at the user's line, of a loop over Python values that becomes a long program?"""

from __future__ import annotations

import inspect
import warnings

import jax
import pytest

import autograph_lite as al
from autograph_lite import config


def straight(x, n):
    for k in range(n):
        x = x * k + 1
    return x


def with_branches(x, n):
    for k in range(n):
        if x > k:
            x = x * 2 - k
        else:
            while x < k:
                x = x + 1
    return x


def leaving(x, n):
    for k in range(n):
        if x > k:
            break
        x = x * 2 + k
    return x


def nested(x, n):
    for _ in range(3):
        for k in range(n):
            x = x * k + 1
    return x


def warned(f, n, limit, monkeypatch, static_loops="python"):
    """The lines of `f` that warnings name, counted from its `def`, with their texts."""
    monkeypatch.setattr(config, "unroll_limit", lambda: limit)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        jax.make_jaxpr(lambda x: al.to_graph(f, static_loops=static_loops)(x, n))(1.0)
    first = inspect.getsourcelines(f)[1]
    return {  # Python shows a warning once
        (each.lineno - first, str(each.message))
        for each in found
        if each.category is al.UnrolledLoopWarning and each.filename == __file__
    }


@pytest.mark.parametrize("f", [straight, with_branches, leaving])
def test_a_long_loop_is_warned_of_once(f, monkeypatch):
    ((line, text),) = warned(f, 60, 100, monkeypatch)
    assert line == 1
    assert "has been unrolled into 1" in text
    assert text.endswith(
        "Use autograph_lite.range to stage it, or convert with static_loops='auto' to roll such loops."
    )


def test_equations_in_branches_count(monkeypatch):
    # 60 conds and no more, outside of them
    ((_, text),) = warned(with_branches, 30, 200, monkeypatch)
    assert 200 < int(text.split("unrolled into ")[1].split()[0]) < 220


def test_the_inner_one_of_two_loops_is_named(monkeypatch):
    ((line, _),) = warned(nested, 60, 100, monkeypatch)
    assert line == 2


def test_the_outer_one_is_where_the_inner_one_is_short(monkeypatch):
    ((line, _),) = warned(nested, 20, 100, monkeypatch)
    assert line == 1


@pytest.mark.parametrize(("n", "limit"), [(5, 100), (60, 0)])
def test_a_short_one_is_not_warned_of_nor_any_without_a_limit(n, limit, monkeypatch):
    assert warned(straight, n, limit, monkeypatch) == set()


def over_a_set(x, n):
    for k in frozenset(range(n)):
        x = x * k + 1
    return x


def looking_up(x, n):
    names = {k: k for k in range(n)}
    for k in range(n):
        x = x * names[k] + 1
    return x


def test_one_that_can_not_be_rolled_is_warned_of_without_the_advice_to_roll_it(monkeypatch):
    ((line, text),) = warned(over_a_set, 60, 100, monkeypatch, "auto")
    assert line == 1
    assert text.endswith(
        "its items are Python values, so each iteration is traced and compiled. Use autograph_lite.range to stage it."
    )
    ((line, text),) = warned(looking_up, 60, 100, monkeypatch, "auto")
    assert line == 2
    assert (
        "by its first 51 iterations. It can't be rolled: 'names[k]' indexes a dict with a traced value"
        in text
    )


@pytest.mark.parametrize("f", [straight, with_branches, leaving, nested])
def test_a_long_loop_that_can_be_rolled_is_rolled_by_default(f, monkeypatch):
    assert warned(f, 60, 100, monkeypatch, "auto") == set()
