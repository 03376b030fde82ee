"""Dynamic scope of a trace: what is known where code runs, of the program and of the statements that it stands in?

    with entered(carried=arrays):         # inside, and on this thread only
        ... thread.now.carried ...

A file reads and enters what is its own. Low packages don't know the classes of high ones, so that the fields are typed there.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(eq=False)
class Tracing:
    """What holds where code runs; of several, the innermost comes last.

    Attributes:
      around: that which holds again afterwards.
      journals: of the bodies that are traced (`effects.journal`).
      calls: of functions, in staged statements (`calls.recursion_guard`).
      frames, handlers, tried, replaced: of checks; `default_mode` is what becomes of those outside of any frame
        (`checks.carried_checks`).
      catching: the `try` statements around (`checks.catching`).
      left: whether the code has left the trace that it stands in (`checks.carried_checks`).
      variables: frames with the values of Variables (`state.variable_frames`).
      in_program: whether a program is traced, even if the code has left it (`state.variable_frames`).
      scope: the classes whose methods are converted (`calls.method_patching`).
      rule: by which loops that Python knows are rolled; () where nobody has said it (`loops.rolling`).
      capacity: the room of lists (`lists.capacity`).
      decisions: the log of who listens, and the statements that are decided on (`trace_context.decision_log`).
      clocks: those that were asked, where somebody listens (`effects.clocks`).
      trial: whether a loop is traced on trial; `made` are the iterators that were made in it, `changing` the bodies
        that leave variables of other types, `given` the arrays that stand for the program's own values, and `outside`
        the traces around it (`purity.trial`).
      folding: whether what follows from Python's numbers is known (`values.values`).
      loop, branch: the innermost, with what the user has said of it (`trace_context.loop_options`, `branch_options`).
      facts: what tests have told of values that are one of several (`trace_context.path_facts`).
      carried: the arrays that the innermost staged loop carries, None outside of one (`trace_context.loop_options`).
      barriers: of the innermost staged loop (`trace_context.update_order`).
      reached: which lanes reach this code (`trace_context.lane_termination`).
      foreseen: loops whose numbers are known in each iteration (`lane_eval.path_conditions`).
      growing: lists that loops make longer (`lists.growing_lists`).
      aliases: what arrays were before the loops (`aliasing.loop_carried_aliases`).
      rows: what scans have taken, and of what (`aliasing.loop_rows`).
      walked: what loops go through (`aliasing.store_check`).
      yielded: the arrays that each generator has yielded whose code runs (`aliasing.yielded_arrays`).
      generators: over which loops run that are staged (`python.generator_functions`).
      program: what is known of the references of the program that is traced, if it is one of ours
        (`jax_internals.references.storages`).
      inner: the types of the loops in the one that is traced (`loops.carry_fixpoint`).
      recursions: the functions around that call themselves (`loops.recursion`).
      round, unrolled: the innermost of tail calls, and functions whose tail calls are no loops (`loops.tail_recursion`).
    """

    around: Tracing | None = None
    journals: list[Any] = dataclasses.field(default_factory=list)
    calls: list[Any] = dataclasses.field(default_factory=list)
    frames: list[Any] = dataclasses.field(default_factory=list)
    handlers: list[Any] = dataclasses.field(default_factory=list)
    tried: list[Any] = dataclasses.field(default_factory=list)
    replaced: list[Any] = dataclasses.field(default_factory=list)
    catching: tuple[Any, ...] = ()
    default_mode: str = "callback"
    left: bool = False
    variables: tuple[Any, ...] = ()
    in_program: bool = False
    scope: Any = None
    rule: Any = ()
    capacity: Any = None
    decisions: Any = None
    clocks: list[str] | None = None
    trial: bool = False
    made: dict[int, Any] = dataclasses.field(default_factory=dict)
    changing: dict[Any, bool] = dataclasses.field(default_factory=dict)
    given: dict[int, Any] = dataclasses.field(default_factory=dict)
    outside: tuple[Any, ...] = ()
    folding: bool = True
    loop: Any = None
    branch: Any = None
    facts: tuple[Any, ...] = ()
    carried: Any = None
    barriers: Any = None
    reached: tuple[Any, ...] = ()
    foreseen: tuple[Any, ...] = ()
    growing: tuple[Any, ...] = ()
    aliases: tuple[Any, ...] = ()
    walked: tuple[Any, ...] = ()
    yielded: tuple[Any, ...] = ()
    generators: tuple[Any, ...] = ()
    rows: tuple[Any, ...] = ()
    program: Any = None
    inner: Any = None
    recursions: tuple[Any, ...] = ()
    round: Any = None
    unrolled: frozenset[Any] = frozenset()

    @property
    def references(self) -> Any:
        """What is known of the references of the program that is traced; None outside of one."""
        return self.program if self.program is not None or not ambient else ambient[0]()


# By which those of a program are found that somebody else records (`jax_internals.references.ambient`).
ambient: list[Callable[[], Any]] = []
# What `x += v` does; handed over once, from above (`operators.items.in_place`).
changing: list[Callable[[Any, str, Any], Any]] = []
# What `x[i] = v` does in a function that is not converted, `random.shuffle(x)`; likewise (`operators.items.subscripts`).
storing: list[Callable[[Any, Any, Any], None]] = []


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
