"""Loop peeling for types: would the loop need no union if its first iteration ran before it? And if it may not run at all?

last = None
for x in xs:                          one of None and an array before each iteration, an array after each:
    ... last ...                      with the first one peeled, `last` is an array in the loop and after it
    last = x
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.branches.branch_paths import Path, enter_generated
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.joins.join_types import Captured
from autograph_lite.operators.joins.unions import has_union
from autograph_lite.operators.loops.carry import Key
from autograph_lite.operators.loops.loop_updates import update_all
from autograph_lite.operators.trace_context import decision_log, loop_options, path_facts


@tracing_state.without_leak_check
def settles_types(
    places: Sequence[int | Key], item: Callable[[], Any], body_fun: Callable[..., Any], values: Sequence[Any]
) -> bool:
    """Whether an iteration leaves arrays where the loop would need unions. It is traced for that alone.

    There, by the numbers of variables, and the keys of places in the user's objects. `item` gives the first item.
    """

    def iteration(*now: Any) -> Any:
        enter_generated(body_fun, now)
        return body_fun(item(), *now)

    renumber = carried_checks.renumbering()
    try:
        path = Path(iteration, values, max(len(values), 2), jnp.asarray(True), 0)
        path.trace.finish(list)
    except Exception:  # the loop itself will tell
        return False
    finally:
        renumber()
        decision_log.forget_inside()
    after: dict[int | Key, Captured] = dict(enumerate(path.values))
    for owner, change in path.changes.items():
        after.update(((owner, key), captured) for key, captured in change.captured.items())
    return path.raised is None and all(place in after and _is_array(after[place]) for place in places)


def run_first_apart(
    goes_on: Callable[..., Any], first: Callable[..., Any], rest: Callable[..., Any],
    values: Sequence[Any], names: Sequence[str], body_fun: Callable[..., Any],
) -> tuple[Any, ...]:  # fmt: skip
    """The variables after a first iteration, if there is one, and the rest of the loop, if there is more.

    params = {"w": w, "b": b}
    while loss(params) > eps:             here the keys come in the order of above, or sorted
        params = jax.tree.map(..)         in the rest, sorted before and after each iteration

    `goes_on` says whether there is another iteration, given how many have run, and the variables.
    """
    loop = loop_options.current()
    done = loop.done + 1

    def skip(*now: Any) -> Any:
        return now

    def run(*now: Any) -> Any:
        enter_generated(body_fun, now)
        now = tuple(first(*now))
        loop.done = done
        if loop.is_left():
            return now
        return update_all(goes_on(1, *now), remaining, skip, now, names, body_fun)

    def remaining(*now: Any) -> Any:
        return rest(*map(path_facts.narrow, now))

    return update_all(goes_on(0, *values), run, skip, values, names, body_fun)


def _is_array(value: Captured) -> bool:
    """Whether a value is made of arrays, and is not one of several."""
    return not has_union(value.template.tree) and any(isinstance(leaf, jax.Array) for leaf in value.leaves)
