"""Branch traces: how is a branch traced once, without being emitted? In a trace of its own, which the conditional then holds.

It uses JAX's insides; `branch_trace` falls back to public means where these have changed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import api_util, core, source_info_util
from jax._src.interpreters import partial_eval
from jax._src.lax import lax as lax_internal
from jax._src.lax.control_flow import common, conditionals
from jax.extend.core import (  # type: ignore[attr-defined]
    ClosedJaxpr,  # pyright: ignore[reportPrivateImportUsage]
    jaxpr_as_fun,
)

from autograph_lite.jax_internals import avals, constant_folding, tracing_state
from autograph_lite.jax_internals.conditionals import lanewise_cond, store_sinking
from autograph_lite.jax_internals.dataflow.induction_variables import open_jaxpr
from autograph_lite.jax_internals.numpy_constants import KeepingTrace, keep_constants
from autograph_lite.jax_internals.references import ambient


class ClosedTrace:
    """A function, traced once by public means; its equations are emitted again in the end."""

    def __init__(
        self, fun: Callable[..., Sequence[Any]], user: Callable[..., Any], types: Sequence[Any] = ()
    ) -> None:
        self._index: dict[int, int] = {}
        self._kept: Sequence[Any] = ()
        self._finish: Callable[[], Sequence[Any]] = list
        self._outputs: Sequence[Any] = ()

        def run(*arguments: Any) -> Sequence[Any]:
            keep_constants()
            self._kept = [leaf for leaf in fun(*arguments) if isinstance(leaf, core.Tracer)]
            self._index = {id(leaf): i for i, leaf in enumerate(self._kept)}
            return self._kept

        shapes = [jax.ShapeDtypeStruct(kind.shape, kind.dtype, weak_type=kind.weak_type) for kind in types]
        self._jaxpr = jax.make_jaxpr(run)(*shapes)

    def lookup(self, leaf: Any) -> Any:
        """What stands for `leaf`, one of the values that the function gave, where `finish` runs."""
        index = self._index.get(id(leaf))
        return leaf if index is None else self._outputs[index]

    def finish(self, fun: Callable[[], Sequence[Any]]) -> None:
        """Adds the equations of `fun`; the arrays that it gives are the outputs."""
        self._finish = fun

    @property
    def jaxpr(self) -> Any:
        """The function as a closed jaxpr, once it is finished."""
        return jax.make_jaxpr(self.emit)()

    def recompute(self) -> None:
        """As for `OpenTrace`; here the derivative keeps what it needs."""

    def emit(self, *values: Any) -> list[Any]:
        """The outputs for these arguments, computed in the current trace; the function itself is not run again."""
        self._outputs = jaxpr_as_fun(self._jaxpr)(*values)
        return list(self._finish())

    @staticmethod
    def select(test: Any, traces: Sequence[ClosedTrace], _: lanewise_cond.Lanes | None = None) -> list[Any]:
        """The outputs of the first of two where the scalar bool `test` holds; for an int32, of that number."""
        branches = [trace.emit for trace in traces]
        return list(lax.cond(test, *branches) if test.dtype == bool else lax.switch(test, branches))


class OpenTrace:
    """A function, traced once, and emitted at the end alone, if at all: `finish` goes on in the same trace.

    It does what `lax.cond` does with its functions, in two steps.

    Args:
      fun: gives a list of values.
      user: the function that JAX's messages are to name.
      types: of the arguments of `fun`, where it has some.
    """

    def __init__(
        self, fun: Callable[..., Sequence[Any]], user: Callable[..., Any], types: Sequence[Any] = ()
    ) -> None:
        self._debug = core.DebugInfo("cond", api_util.fun_sourceinfo(user), ("",) * len(types), None)
        around = core.trace_ctx.trace
        # One that forwards, inside of such a one: else its operands would be told from what they are by now at the end alone.
        kind = type(around) if isinstance(around, KeepingTrace) else KeepingTrace
        self._trace: Any = kind(self._debug, parent_trace=around)
        ambient.kept_facts(self._trace.frame).is_part = True
        source = source_info_util.current()
        arguments = [self._trace.new_arg(kind, source) for kind in types]
        self._kept = self._inside(lambda: fun(*arguments))  # JAX drops equations whose results nobody holds
        self._jaxpr: Any = None

    def _inside(self, fun: Callable[[], Sequence[Any]]) -> Sequence[Any]:
        with (
            source_info_util.reset_name_stack(),
            partial_eval.TracebackScope(),
            core.set_current_trace(self._trace),
        ):
            return fun()

    def lookup(self, leaf: Any) -> Any:
        """`leaf`, which is of the trace in which `finish` runs."""
        return leaf

    def finish(self, fun: Callable[[], Sequence[Any]]) -> None:
        """Adds the equations of `fun`; the arrays that it gives are the outputs."""
        self._kept = self._inside(fun)
        self._jaxpr = self.closed()

    def closed(self) -> Any:
        """The function as a closed jaxpr; ends the trace."""
        source = source_info_util.current()
        constant_folding.drop_unused(self._trace)
        outputs = [self._trace.to_jaxpr_tracer(array, source_info=source) for array in self._kept]
        jaxpr = ClosedJaxpr(*self._trace.frame.to_jaxpr(self._trace, outputs, self._debug, source))
        tracing_state.empty_trace(self._trace)
        self._kept = ()
        return jaxpr

    @property
    def jaxpr(self) -> Any:
        """The function as a closed jaxpr, once it is finished."""
        return self._jaxpr

    def recompute(self) -> None:
        """Lets the derivative compute again what it needs of the function, once that is finished, and keep its inputs alone."""
        run = jax.checkpoint(jaxpr_as_fun(self._jaxpr), prevent_cse=False)
        self._jaxpr = OpenTrace(run, run).closed()

    def emit(self, *values: Any) -> list[Any]:
        """The outputs for these arguments, computed in the current trace; the function itself is not run again."""
        return list(jaxpr_as_fun(self._jaxpr)(*values))

    @staticmethod
    def select(test: Any, traces: Sequence[OpenTrace], lanes: lanewise_cond.Lanes | None = None) -> list[Any]:
        """The outputs of the first of two where the scalar bool `test` holds; for an int32, of that number.

        Args:
          test: which it is.
          traces: of the branches.
          lanes: how those of a `vmap` go through them; None where JAX decides.
        """
        jaxprs = [trace._jaxpr for trace in traces]
        if not any(jaxpr.effects or jaxpr.out_avals for jaxpr in jaxprs):
            return []  # the branches held nothing but checks that are switched off
        # JAX knows what to do with these.
        unjitted: bool = jax.config.jax_disable_jit  # type: ignore[attr-defined]
        if unjitted or any(jaxpr.effects for jaxpr in jaxprs):
            branches = [trace.emit for trace in traces]
            return list(lax.cond(test, *branches) if test.dtype == bool else lax.switch(test, branches))
        if test.dtype == bool:
            index, jaxprs = lax.convert_element_type(test, np.int32), jaxprs[::-1]
        else:
            index = lax.clamp(np.int32(0), test, np.int32(len(jaxprs) - 1))
        sunk = store_sinking.sink(*merged(jaxprs))
        joined, consts = sunk.branches, sunk.inputs
        # Each device has its lanes, and takes JAX's way through them.
        if any(map(avals.varying_axes, [index, *consts])):
            lanes = None
        if lanes is None and sunk.cheap():
            ways = [jaxpr_as_fun(jaxpr)(*consts) for jaxpr in joined]
            return sunk.written([lax.select_n(index, *values) for values in zip(*ways, strict=True)])
        # An output that is one input on every path needs no branch.
        ways = [partial_eval._jaxpr_forwarding(getattr(jaxpr, "jaxpr", jaxpr)) for jaxpr in joined]
        forwarded = [way[0] if len(set(way)) == 1 else None for way in zip(*ways, strict=True)]
        kept = [way is None for way in forwarded]
        pruned = [partial_eval.prune_closed_jaxpr_outputs(jaxpr, kept) for jaxpr in joined]
        bind = (
            conditionals.cond_p.bind
            if lanes is None
            else functools.partial(lanewise_cond.bind_cond, lanes=lanes)
        )
        outputs = iter(bind(index, *consts, branches=tuple(pruned)))
        return sunk.written(
            [next(outputs) if way is None else lax_internal.asarray(consts[way]) for way in forwarded]
        )


@functools.cache
def branch_trace() -> type[OpenTrace] | type[ClosedTrace]:
    """The faster way of tracing branches, where this JAX has what it needs and it gives what the public way does."""
    try:
        return OpenTrace if _program(OpenTrace) == _program(ClosedTrace) else ClosedTrace
    except Exception:  # whatever another version of JAX raises where its insides have changed
        return ClosedTrace


def _program(kind: Any) -> str:
    """A conditional traced with `kind`, as text: values from outside, a cast, a literal, and an output that is an input."""

    def choose(test: Any, x: Any) -> list[Any]:
        traces = []
        for number in (1, 2.5):
            values: list[Any] = []
            trace = kind(lambda number=number, values=values: values.append(x * number) or values, choose)
            trace.finish(
                lambda trace=trace, values=values: [
                    trace.lookup(values[0]) + jnp.float32(1),
                    jnp.float32(1),
                    x,
                ]
            )
            traces.append(trace)
        return list(kind.select(test, traces))

    return str(jax.make_jaxpr(choose)(True, np.float32(2)))


def merged(branches: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Closed jaxprs without inputs and effects as functions of what any of them holds, and the values of that."""
    separated, held = zip(*map(partial_eval.separate_consts, branches), strict=True)
    inputs = {id(const): const for consts in held for const in consts}
    types = {key: jax.typeof(const) for key, const in inputs.items()}
    alike = all(type(kind) is core.ShapedArray for kind in types.values())
    if not alike or any(len(set(map(id, consts))) < len(consts) for consts in held):
        branches, values = common._merge_common_consts(separated, held)
        return branches, values
    made = []
    for branch, consts in zip(separated, held, strict=True):
        own = dict(zip(map(id, consts), open_jaxpr(branch).invars, strict=True))
        made.append(_of(branch, own, types))
    return made, [*inputs.values()]


def _of(branch: Any, own: Mapping[int, Any], types: Mapping[int, Any]) -> Any:
    """The branch as a function of all inputs: `own` are its variables for some of them."""
    if list(own) == list(types):
        return branch
    jaxpr = open_jaxpr(branch)
    jaxpr = jaxpr.replace(invars=[own.get(key) or core.Var(kind) for key, kind in types.items()])
    return jaxpr if branch is open_jaxpr(branch) else branch.replace(jaxpr=jaxpr)
