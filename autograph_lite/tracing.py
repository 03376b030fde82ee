"""Dynamic scope of a trace: what is known where code runs, of the program and of the statements that it stands in?

    with entered(carried=arrays):         # inside, and on this thread only
        ... thread.now.carried ...

A file reads and enters what is its own. Low packages don't know the classes of high ones, so that the fields are typed there.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
import types
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(eq=False)
class Tracing:
    """What holds where code runs; of several, the innermost comes last."""

    around: Tracing | None = None  # that which holds again afterwards
    # of the bodies that are traced (`effects.journal`)
    journals: list[Any] = dataclasses.field(default_factory=list)
    # of functions, in staged statements (`calls.recursion_guard`)
    calls: list[Any] = dataclasses.field(default_factory=list)
    # `frames`, `tried`, `replaced`: of checks; `default_mode` is what becomes of those outside of any frame
    # (`checks.carried_checks`)
    frames: list[Any] = dataclasses.field(default_factory=list)
    tried: tuple[Any, ...] = ()
    replaced: tuple[Any, ...] = ()
    handlers: tuple[Any, ...] = ()  # what `except` clauses and managers around catch
    catching: tuple[Any, ...] = ()  # the `try` statements around (`checks.catching`)
    default_mode: str = "callback"
    leaving: bool = False  # whether a `with` is left (`calls.handlers`)
    managers: tuple[Any, ...] = ()  # those of `with` statements that are entered (`calls.handlers`)
    left: bool = False  # whether the code has left the trace that it stands in (`checks.carried_checks`)
    variables: tuple[Any, ...] = ()  # frames with the values of Variables (`state.variable_frames`)
    # whether a program is traced, even if the code has left it (`state.variable_frames`)
    in_program: bool = False
    scope: Any = None  # the classes whose methods are converted (`calls.method_patching`)
    # by which loops that Python knows are rolled; () where nobody has said it (`loops.rolling`)
    rule: Any = ()
    capacity: Any = None  # the room of lists (`lists.capacity`)
    # the log of who listens, and the statements that are decided on (`trace_context.decision_log`)
    decisions: Any = None
    clocks: list[str] | None = None  # those that were asked, where somebody listens (`effects.clocks`)
    # whether a loop is traced on trial; `made` are the iterators that were made in it, `changing` the bodies that leave
    # variables of other types, `given` the arrays that stand for the program's own values, and `outside` the traces
    # around it; `decided`: in it, the program's values decide whether the code runs (`purity.trial`)
    trial: bool = False
    decided: bool = False
    made: dict[int, Any] = dataclasses.field(default_factory=dict)
    changing: dict[Any, bool] = dataclasses.field(default_factory=dict)
    given: dict[int, Any] = dataclasses.field(default_factory=dict)
    outside: tuple[Any, ...] = ()
    folding: bool = True  # whether what follows from Python's numbers is known (`values.values`)
    # `loop`, `branch`: the innermost, with what the user has said of it (`trace_context.loop_options`, `branch_options`)
    loop: Any = None
    branch: Any = None
    # what tests have told of values that are one of several (`trace_context.path_facts`)
    facts: tuple[Any, ...] = ()
    # the tags of values that are one of several, and the number of the variant that is looked at, without a branch: a check
    # fails for that one alone (`branches.each_variant`)
    variants: tuple[tuple[Any, int], ...] = ()
    # the arrays that the innermost staged loop carries, None outside of one (`trace_context.loop_options`)
    carried: Any = None
    barriers: Any = None  # of the innermost staged loop (`trace_context.update_order`)
    reached: tuple[Any, ...] = ()  # which lanes reach this code (`trace_context.lane_termination`)
    # loops whose numbers are known in each iteration (`lane_eval.path_conditions`)
    foreseen: tuple[Any, ...] = ()
    growing: tuple[Any, ...] = ()  # lists that loops make longer (`lists.growing_lists`)
    aliases: tuple[Any, ...] = ()  # what arrays were before the loops (`aliasing.loop_carried_aliases`)
    walked: tuple[Any, ...] = ()  # what loops go through (`aliasing.store_check`)
    # the arrays that each generator has yielded whose code runs (`aliasing.yielded_arrays`)
    yielded: tuple[Any, ...] = ()
    generators: tuple[Any, ...] = ()  # over which loops run that are staged (`python.generator_functions`)
    rows: tuple[Any, ...] = ()  # what scans have taken, and of what (`aliasing.loop_rows`)
    handed: Any = (
        None  # the function that a derivative calls, which nobody records (`calls.handed_functions`)
    )
    # what is known of the references of the program that is traced, if it is one of ours
    # (`jax_internals.references.storages`)
    program: Any = None
    # what NumPy raised of errors of floats when its trace began (`jax_internals.references.float_errors`)
    float_errors: Any = None
    inner: Any = None  # the types of the loops in the one that is traced (`loops.carry_fixpoint`)
    recursions: tuple[Any, ...] = ()  # the functions around that call themselves (`loops.recursion`)
    # `round`, `unrolled`: the innermost of tail calls, and functions whose tail calls are no loops
    # (`loops.tail_recursion`)
    round: Any = None
    unrolled: frozenset[Any] = frozenset()

    @property
    def references(self) -> Any:
        """What is known of the references of the program that is traced; None outside of one."""
        return self.program if self.program is not None or not ambient else ambient[0]()

    @property
    def in_try(self) -> bool:
        """Whether a `try` around the code that runs has a `finally`; a generator that waits has left its own."""
        return any(is_on_stack(each.frame) for each in self.tried)


def is_on_stack(frame: int) -> bool:
    """Whether a frame of this thread, by its id, runs: that of a generator which has yielded does not."""
    now: types.FrameType | None = sys._getframe()
    while now is not None and id(now) != frame:
        now = now.f_back
    return now is not None


# By which those of a program are found that somebody else records (`jax_internals.references.ambient`).
ambient: list[Callable[[], Any]] = []
# What `x += v` does; handed over once, from above (`operators.items.in_place`).
changing: list[Callable[[Any, str, Any], Any]] = []
# What `x[i] = v` does in a function that is not converted, `random.shuffle(x)`; likewise (`operators.items.subscripts`).
storing: list[Callable[[Any, Any, Any], None]] = []
# What is asked of an index before `x[1]` is read where it stands so in the code; likewise (`operators.checks.index_bounds`).
indexing: list[Callable[[Any, Any], None]] = []


class _Thread(threading.local):
    def __init__(self) -> None:
        self.now = Tracing()


thread = _Thread()


class entered:  # noqa: N801 (a context manager that reads as a verb)
    """Inside, these are others; all is as it was afterwards. `dataclasses.replace` takes ten times as long.

    What a generator enters may be left after what is around it: then it is over, and to leave it changes nothing.
    """

    __slots__ = ("_changes", "_made")

    def __init__(self, **changes: Any) -> None:
        self._changes = changes

    def __enter__(self) -> None:
        around = thread.now
        assert vars(around).keys() >= self._changes.keys()
        self._made = thread.now = object.__new__(Tracing)
        vars(self._made).update(vars(around), around=around, **self._changes)

    def __exit__(self, *exception: object) -> None:
        now: Tracing | None = thread.now
        while now is not None and now is not self._made:
            now = now.around
        if now is not None and now.around is not None:
            thread.now = now.around
