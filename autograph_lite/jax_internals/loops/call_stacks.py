"""Call stacks: how does a program run a function that calls itself? As a machine, one `while` loop around one `switch`.

    def fact(n):                          enter(n):    n <= 1: return 1, else push n, resume; enter(n - 1)
        if n <= 1:                        resume:      pop n; return n * result
            return 1
        return n * fact(n - 1)

The function is recorded once, with its calls of itself as equations. Each of them ends a block of the machine; the code
after it, up to the next call or the return, is another one. What that code needs is pushed on stacks, one for each type of
array; what all calls hand on as they got it is not. Calls stand in branches, which are split, and not in loops.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core
from jax.extend.core import Literal

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.loops import loop_binding

MOST = 4000  # equations of all blocks, in which the code after a branch may stand more than once

recursive_call = core.Primitive("recursive_call")  # a call of the function that is recorded, in that program
recursive_call.multiple_results = True
recursive_call.def_abstract_eval(lambda *_, types: [*types])


class NoMachineError(Exception):
    """A function can't be run on stacks; says why."""


@dataclasses.dataclass(eq=False)
class _Step:
    """An equation, a branch with calls in it, or a call; variables are numbers, and other operands values."""

    equation: Any  # of the recorded program
    operands: list[Any]  # what it takes
    outs: list[_Var]  # the variables that it makes
    branches: list[tuple[list[_Step], list[Any]]] | None = None  # of a branch: steps, and what these give

    @property
    def is_call(self) -> bool:
        """Whether the function calls itself here."""
        return self.equation.primitive is recursive_call


@dataclasses.dataclass(frozen=True)
class _Var:
    number: int
    aval: Any


_numbers = itertools.count()


def _has_calls(jaxpr: Any) -> bool:
    return any(
        eqn.primitive is recursive_call or any(map(_has_calls, core.jaxprs_in_params(eqn.params)))
        for eqn in getattr(jaxpr, "jaxpr", jaxpr).eqns
    )


def _steps(jaxpr: Any, consts: Sequence[Any], operands: Sequence[Any]) -> tuple[list[_Step], list[Any]]:
    """The steps of a jaxpr, and what it gives."""
    known: dict[Any, Any] = {
        **dict(zip(jaxpr.constvars, consts, strict=True)),
        **dict(zip(jaxpr.invars, operands, strict=True)),
    }

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, Literal) else known[atom]

    steps: list[_Step] = []
    for eqn in jaxpr.eqns:
        taken = [*map(read, eqn.invars)]
        inner = [*core.jaxprs_in_params(eqn.params)]
        if eqn.primitive is recursive_call or not any(map(_has_calls, inner)):
            step = _Step(eqn, taken, [_Var(next(_numbers), v.aval) for v in eqn.outvars])
        elif eqn.primitive.name == "cond":
            branches = [_steps(b.jaxpr, b.consts, taken[1:]) for b in eqn.params["branches"]]
            step = _Step(eqn, taken[:1], [_Var(next(_numbers), v.aval) for v in eqn.outvars], branches)
        elif eqn.primitive.name in ("jit", "pjit") and len(inner) == 1:
            closed = eqn.params["jaxpr"]
            new, outs = _steps(closed.jaxpr, closed.consts, taken)
            steps += new
            known.update(zip(eqn.outvars, outs, strict=True))
            continue
        else:
            raise NoMachineError(
                "a call of itself stands in a loop, or in what a transformation of JAX's is given"
            )
        steps.append(step)
        known.update(zip(eqn.outvars, step.outs, strict=True))
    return steps, [*map(read, jaxpr.outvars)]


def _all(steps: Sequence[_Step]) -> Iterator[_Step]:
    for step in steps:
        yield step
        for inner, _ in step.branches or ():
            yield from _all(inner)


@dataclasses.dataclass(frozen=True)
class _Rest:
    """What runs when the steps of a branch are over: the steps after it, which find what it `gives` under `outs`."""

    steps: list[_Step]
    at: int
    gives: list[Any]
    outs: list[_Var]
    after: _Rest | None


class _Machine:
    """The blocks of a function.

    A block takes arguments, results and the frame that was popped, and gives the number of the frame that it pushes, 0 where
    it returns, that frame, and arguments and results.
    """

    def __init__(self, closed: Any, given: Sequence[Any]) -> None:
        self.inputs = [_Var(next(_numbers), aval) for aval in closed.in_avals]
        self.steps, self.gives = _steps(closed.jaxpr, closed.consts, self.inputs)
        calls = [step for step in _all(self.steps) if step.is_call]
        passed = [all(call.operands[n] is each for call in calls) for n, each in enumerate(self.inputs)]
        self.same = {
            each: value for each, value, same in zip(self.inputs, given, passed, strict=True) if same
        }
        self.varying = [n for n, same in enumerate(passed) if not same]
        self.results = [*closed.out_avals]
        self.resumes: dict[_Step, tuple[_Rest, list[_Var]]] = {}
        self.count = 0
        self._find_resumes(self.steps, None)
        sizes: collections.Counter[Any] = collections.Counter()
        for _, live in self.resumes.values():
            sizes |= collections.Counter(map(_kind, live))
        self.stacks = [(kind, n) for kind, size in sizes.items() for n in range(size)]
        self.frame = [jnp.zeros(*kind) for kind, _ in self.stacks]
        self.blocks: list[Callable[..., Any]] = [
            self._enter,
            *(functools.partial(self._resume, step) for step in self.resumes),
        ]

    def _find_resumes(self, steps: list[_Step], after: _Rest | None) -> None:
        for n, step in enumerate(steps):
            for inner, gives in step.branches or ():
                self._find_resumes(inner, _Rest(steps, n + 1, gives, step.outs, after))
            if step.is_call:
                rest = _Rest(steps, n + 1, [], [], after)
                self.resumes[step] = rest, self._live(step, rest)

    def _live(self, call: _Step, rest: _Rest) -> list[_Var]:
        """The variables that the code after a call reads, and that it does not make."""
        read: list[Any] = [*self.gives]
        made: set[_Var] = {*call.outs, *self.same}
        now: _Rest | None = rest
        while now is not None:
            for step in _all(now.steps[now.at :]):
                made.update(step.outs)
                read += [*step.operands, *(each for _, gives in step.branches or () for each in gives)]
            made.update(now.outs)
            read += now.gives
            now = now.after
        found = dict.fromkeys(each for each in read if isinstance(each, _Var) and each not in made)
        for each in found:
            if jnp.issubdtype(each.aval.dtype, jax.dtypes.extended) or not all(
                isinstance(n, int) for n in each.aval.shape
            ):
                raise NoMachineError(f"it keeps {each.aval.str_short()} while it waits")
        return [*found]

    def _slots(self, live: Sequence[_Var]) -> list[int]:
        """The stacks that variables are kept on."""
        seen: collections.Counter[Any] = collections.Counter()
        found = []
        for kind in map(_kind, live):
            found.append(self.stacks.index((kind, seen[kind])))
            seen[kind] += 1
        return found

    def _enter(self, arguments: Sequence[Any], results: Sequence[Any], frame: Sequence[Any]) -> Any:
        known = {**self.same, **dict(zip((self.inputs[n] for n in self.varying), arguments, strict=True))}
        return self._run(self.steps, 0, known, None, (arguments, results))

    def _resume(
        self, call: _Step, arguments: Sequence[Any], results: Sequence[Any], frame: Sequence[Any]
    ) -> Any:
        rest, live = self.resumes[call]
        kept = (frame[slot] for slot in self._slots(live))
        known = {
            **self.same,
            **dict(zip(live, kept, strict=True)),
            **dict(zip(call.outs, results, strict=True)),
        }
        return self._run(rest.steps, rest.at, known, rest.after, (arguments, results))

    def _run(self, steps: list[_Step], at: int, known: dict[Any, Any], after: _Rest | None, now: Any) -> Any:
        def read(each: Any) -> Any:
            return known[each] if isinstance(each, _Var) else each

        while True:
            for n, step in enumerate(steps[at:], at + 1):
                self.count += 1
                if self.count > MOST:
                    raise NoMachineError("its branches lead to too many equations")
                operands = [*map(read, step.operands)]
                if step.is_call:
                    return self._push(step, operands, known, now)
                if step.branches is not None:
                    rests = [_Rest(steps, n, gives, step.outs, after) for _, gives in step.branches]
                    ways = [
                        functools.partial(self._run, inner, 0, dict(known), rest, now)
                        for (inner, _), rest in zip(step.branches, rests, strict=True)
                    ]
                    return lax.switch(operands[0], ways)
                primitive, params = step.equation.primitive, step.equation.params
                outs = primitive.bind(*operands, **primitive.get_bind_params(params))
                known.update(zip(step.outs, outs if primitive.multiple_results else [outs], strict=True))
            if after is None:
                results = [_as(read(each), aval) for each, aval in zip(self.gives, self.results, strict=True)]
                return jnp.int32(0), self.frame, now[0], results
            known.update(zip(after.outs, map(read, after.gives), strict=True))
            steps, at, after = after.steps, after.at, after.after

    def _push(self, call: _Step, operands: Sequence[Any], known: dict[Any, Any], now: Any) -> Any:
        _, live = self.resumes[call]
        frame = [*self.frame]
        for each, slot in zip(live, self._slots(live), strict=True):
            frame[slot] = _as(known[each], each.aval)
        arguments = [_as(operands[n], self.inputs[n].aval) for n in self.varying]
        number = [*self.resumes].index(call) + 1
        return jnp.int32(number), frame, arguments, now[1]


def run_recursive(
    closed: Any, given: Sequence[Any], depth: int, failed: tuple[int, int] | None
) -> tuple[list[Any], Any]:
    """The results of a function that calls itself, and whether more than `depth` of its calls were to wait at once.

    Args:
      closed: its jaxpr, where a call of itself is `recursive_call`.
      given: the arguments.
      depth: how many calls the stacks have room for.
      failed: which of the arguments, and of the results, is not 0 when all is over; with those after it, which are the last
        ones, it is a result then.

    Raises:
      NoMachineError: it can't be run so.
    """
    machine = _Machine(closed, given)
    arguments = [_as(given[n], machine.inputs[n].aval) for n in machine.varying]
    results = [jnp.zeros(aval.shape, aval.dtype) for aval in machine.results]
    stacks = [jnp.zeros((depth + 1, *kind[0]), kind[1]) for kind, _ in machine.stacks]
    zero = jnp.int32(0)
    state = (zero, zero, jnp.asarray(False), jnp.zeros(depth + 1, np.int32), stacks, arguments, results)
    flat, tree = jax.tree.flatten(state)

    def argument(arguments: Sequence[Any], n: int) -> Any:
        return arguments[machine.varying.index(n)] if n in machine.varying else given[n]

    def goes_on(arrays: list[Any]) -> tuple[None, list[Any]]:
        block, *_, arguments, results = jax.tree.unflatten(tree, arrays)
        if failed is None:
            return None, [block >= 0]
        return None, [(block >= 0) & (argument(arguments, failed[0]) == 0) & (results[failed[1]] == 0)]

    def step(arrays: list[Any]) -> tuple[None, list[Any]]:
        block, height, _, waiting, stacks, arguments, results = jax.tree.unflatten(tree, arrays)
        frame = [lax.dynamic_index_in_dim(stack, height, keepdims=False) for stack in stacks]
        blocks = [functools.partial(each, arguments, results, frame) for each in machine.blocks]
        pushed, frame, arguments, results = lax.switch(block, blocks)
        returns = pushed == 0
        place = jnp.where(returns, depth, height)  # the last row is nobody's
        below = lax.dynamic_index_in_dim(waiting, jnp.maximum(height - 1, 0), keepdims=False)
        waiting = lax.dynamic_update_index_in_dim(waiting, pushed, place, 0)
        stacks = [lax.dynamic_update_index_in_dim(a, b, place, 0) for a, b in zip(stacks, frame, strict=True)]
        over = ~returns & (height >= depth)
        block = jnp.where(over | (returns & (height == 0)), -1, jnp.where(returns, below, 0))
        height = jnp.where(returns, height - 1, height + 1)
        new = (block, height, over, waiting, stacks, arguments, results)
        return None, jax.tree.leaves(new)

    types = [*map(jax.typeof, flat)]
    _, test = loop_binding.trace(goes_on, types, run_recursive)
    _, body = loop_binding.trace(step, types, run_recursive)
    state = jax.tree.unflatten(tree, loop_binding.while_loop(test, body, flat))
    *_, over, _, _, arguments, results = state
    if failed is not None:
        told = [argument(arguments, n) for n in range(failed[0], len(given))]
        kept = zip(told, results[failed[1] :], strict=True)
        results[failed[1] :] = [jnp.where(told[0] != 0, a, b) for a, b in kept]
    return results, over


def _as(value: Any, aval: Any) -> Any:
    return avals.as_type(value, aval.dtype, False)


def _kind(var: _Var) -> Any:
    return var.aval.shape, var.aval.dtype
