"""Branch options: what has the user said of an `if`? `set_branch_options(...)`, first in one of its branches, sets it.

    if x > tolerance:
        autograph_lite.set_branch_options(vmap="group")
        x = refine(x)

The call runs when the branch does, or is traced; the statement that it stands in looks at what its branches have left.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from autograph_lite.jax_internals.conditionals import lane_grouping
from autograph_lite.jax_internals.conditionals.lanewise_cond import Lanes
from autograph_lite.operators.user_code import source_places
from autograph_lite.syntax import first_statements
from autograph_lite.tracing import thread

TOLD = {"map": "lanes one by one", "group": "lanes in groups"}
"""What `explain` says of the ways."""


class Branch:
    """A branch that is being traced."""

    __slots__ = ("_code", "lanes")

    def __init__(self, fun: Callable[..., Any]) -> None:
        self._code: types.CodeType | None = getattr(fun, "__code__", None)
        # how those of a `vmap` are to go through it; None where it has not said it
        self.lanes: Lanes | None = None

    def is_run_by(self, frame: types.FrameType) -> bool:
        """Whether a frame runs the statements of the branch."""
        return frame.f_code is self._code


def branch_lanes(branches: Sequence[Branch]) -> Lanes | None:
    """How lanes go through these branches of one statement, or None. Raises ValueError: two of them say different things."""
    said = list(dict.fromkeys(branch.lanes for branch in branches if branch.lanes is not None))
    if len(said) > 1:
        both = " and ".join(f"vmap={one.how!r}, chunk={one.chunk}" for one in said[:2])
        raise ValueError(
            f"set_branch_options: two branches of one statement say {both}; one of them is enough."
        )
    return said[0] if said and said[0].how != "select" else None


def set_branch_options(*, vmap: str = "select", chunk: int = lane_grouping.CHUNK) -> None:
    """Says how the lanes of a `jax.vmap` go through the `if` or `match` one of whose branches starts with this call.

    It changes nothing where the condition is the same for all lanes, nor without `vmap`, nor what is computed. Under plain
    Python it does nothing. A branch that prints, or that calls Python, is run as if nothing had been said, and so are
    all in a `shard_map`.

    Args:
      vmap: "select": all branches are computed for all lanes, as `jax.vmap` does by itself. "map": one lane after the other
        takes its branch, and no other. "group": lanes that take the same branch go through it together, `chunk` at a time.
      chunk: how many. On a CPU 16 to 64 lanes at once took the least time.

    Raises:
      ValueError: it stands elsewhere, or is given something else.
    """
    if vmap not in ("select", *TOLD):
        raise ValueError(f"set_branch_options: vmap is {vmap!r}; it may be 'select', 'map' or 'group'.")
    if type(chunk) is not int or chunk < 1:
        raise ValueError(f"set_branch_options: chunk is {chunk!r}; it may be an int from 1 on.")
    frame = source_places.user_frame()
    if frame is None:
        return
    if first_statements.begins_branch(frame.f_code, frame.f_lineno) is False:
        raise ValueError(
            f"set_branch_options: it is called at {frame.f_code.co_filename}:{frame.f_lineno}, which does not begin a branch; "
            "it may be the first statement in an `if`, an `elif`, an `else` or a `case`."
        )
    branch: Branch | None = thread.now.branch
    if branch is not None and branch.is_run_by(frame):
        branch.lanes = Lanes(vmap, chunk)
