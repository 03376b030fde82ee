"""One signature of a function, traced and compiled: arrays and state in, arrays, state and checks out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
from jax.experimental import checkify
from jax.extend.core import jaxpr_as_fun

from autograph_lite import _jax
from autograph_lite.errors import AutographError, MutatedArgumentError
from autograph_lite.operators import (
    aliases,
    calls,
    checks,
    classes,
    journal,
    mismatch,
    raising,
    recipes,
    spelling,
    stretches,
    trees,
    unconverted,
    unrolling,
    where,
)
from autograph_lite.operators.values import Tracer
from autograph_lite.runtime import cutting, host_calls, leaks
from autograph_lite.runtime.signature import Split
from autograph_lite.runtime.state import State


class Program:
    """A traced function.

    Args:
      fn: the converted function.
      arguments: (args, kwargs) of the call, parted.
      state: the places that the function carries; grows while it is traced.
      checked: whether the program carries checks.
      outside: what becomes of them where the call is part of a trace of somebody else's: 'callback' or 'checkify'.
      owned: whether it is not.
      rolled: whether loops that Python knows are staged, too.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        arguments: Split,
        state: State,
        *,
        checked: bool,
        outside: str,
        owned: bool,
        rolled: bool,
    ) -> None:
        self.fn, self.arguments, self.state = fn, arguments.emptied(), state
        self.checked, self.outside, self.owned, self.rolled = checked, outside, owned, rolled
        self.before = state.read().emptied()
        self.result: Split | None = None
        self.after: Split | None = None
        self.sites: dict[int, checks.Site] = {}
        self.program: object = None
        self.inside = "inner" if owned else outside
        self.cuts = False  # whether it gives lists whose length only its data know
        self.calls_python = False
        self._jit = jax.jit(_named(self._body, fn))
        self._call: Callable[..., Any] | None = None

    def __call__(self, arguments: Split) -> Any:
        """Runs the program; raises what its checks found; writes its state back."""
        assert self._call is not None
        call = functools.partial(self._call, arguments.arrays, self.state.read().arrays)
        result, after, contents = host_calls.raising_own(call) if self.calls_python else call()
        if self.sites:
            self._raise(contents)
        assert self.result is not None
        assert self.after is not None
        values, returned = self.after.merge(after), self.result.merge(result)
        if self.cuts:
            values, returned = cutting.cut([values, returned])
        self.state.write(values)
        return returned

    def prepare(self, arguments: Split) -> None:
        """Traces the function.

        Raises:
          Restart: it carries more state than was known.
        """
        self._call = self._compiled(arguments.arrays, self.state.read().arrays)

    def _compiled(self, arrays: list[Any], state: list[Any]) -> Callable[..., Any]:
        if not self.owned:
            return self._jit
        traced = self._jit.trace(arrays, state)
        self.calls_python = bool(host_calls.in_program(traced.jaxpr))
        if not (self.checked and _jax.has_checks(traced.jaxpr)):
            return self._jit
        # Checks in functions that the user handed to jax.vmap, jax.lax.scan and the like: checkify brings them out.
        run = jax.jit(checkify.checkify(jaxpr_as_fun(traced.jaxpr), errors=checkify.user_checks))
        try:
            run.trace(*jax.tree.leaves((arrays, state)))
        except Exception:  # not out of everything: jax 0.12 refuses a `while_loop` under vmap
            return self._recorded()
        tree = jax.tree.structure(traced.out_info)

        def call(arrays: list[Any], state: list[Any]) -> Any:
            error, leaves = run(*jax.tree.leaves((arrays, state)))
            checks.raise_inner(error, self.program)
            return jax.tree.unflatten(tree, leaves)

        return call

    def _recorded(self) -> Callable[..., Any]:
        """The program with host callbacks, which are slower, in place of the checks that checkify can't bring out."""
        self.inside = "recorded"
        run = jax.jit(_named(self._body, self.fn))
        return lambda arrays, state: raising.run_recorded(lambda: run(arrays, state))

    def _raise(self, contents: dict[Any, Any]) -> None:
        if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(contents)):
            checks.emit(contents, self.sites, self.outside)
        else:
            checks.raise_failed(contents, self.sites)

    def _body(self, arrays: list[Any], state: list[Any]) -> Any:
        args, kwargs = self.arguments.merge(arrays)
        with (
            classes.converted_methods(),
            unrolling.rolling(self.rolled),
            checks.new_frame("outputs" if self.checked else "off", self.inside) as frame,
            journal.journal(outer=None) as written,
        ):
            classes.seen_around(self.fn, args, kwargs)
            self.state.enter(self.before.merge(state))
            result = None
            try:
                result = calls.call(self.fn)(*args, **kwargs)  # notes the globals that it writes, too
            except BaseException as error:
                refusal = recipes.covered(error)
                if refusal is not None and not isinstance(error, AutographError):
                    raise refusal from None
                if unconverted.is_about_tracer(error):
                    raise unconverted.needs_value(error) from error
                if frame.mode == "off" or not checks.is_explicit(error):
                    raise
                # The function always ends in this `raise`, maybe after a check that fails first.
                checks.fail_if(True, error)
            results = Split.of(result, keep_numpy=True)  # as it is now: the changes are about to be undone
            changes = written.changes([self.fn, args, kwargs, *self.state.owners()])
            failures = changes.pop(journal.key_of(frame.place), None)
        _refuse_mutated_arguments((args, kwargs), changes)
        for change in changes.values():
            cutting.refuse_outside(change)
        _refuse_foreign(changes, owned=self.owned)
        after = self.state.after(changes)
        afters = Split.of(after)
        leaks.refuse_hidden(results.literals.values(), "The result")
        leaks.refuse_hidden(afters.literals.values(), "An object from outside of the function")
        self.cuts = cutting.to_cut([result, after])
        self.result, self.after = results.emptied(), afters.emptied()
        self.sites, self.program = frame.sites, frame.program
        return results.arrays, afters.arrays, failures.new if failures is not None else {}


def _named(body: Callable[..., Any], fn: Callable[..., Any]) -> Callable[..., Any]:
    """`body` under the name of the user's function, which JAX's messages, profiles and compiled programs show."""

    def run(arrays: list[Any], state: list[Any]) -> Any:
        return body(arrays, state)

    functools.update_wrapper(run, fn, assigned=("__name__", "__qualname__"), updated=())
    return run


def _refuse_foreign(changes: dict[Any, journal.Change], *, owned: bool) -> None:
    """Refuses what would leave a tracer of somebody else's trace in an object."""
    for change in changes.values():
        for key, value in change.new.items():
            if isinstance(value, list) and stretches.holds(value):
                continue  # see `cutting`
            tracers = [leaf for leaf in trees.leaves(value) if isinstance(leaf, Tracer)]
            if value is change.old.get(key) or not tracers:
                continue
            if not (owned and all(map(_jax.is_of_this_trace, tracers))):
                raise mismatch.foreign(change.place.label(key), change.place.owner, owned=owned)


def _refuse_mutated_arguments(arguments: Any, changes: dict[Any, Any]) -> None:
    containers = {id(container) for container in aliases.containers(arguments)}
    for change in changes.values():
        if id(change.place.owner) in containers:
            kind = type(change.place.owner).__name__
            name = spelling.base(change.place.owner)
            what = (
                f"'{name}', a {kind} that was passed as an argument,"
                if name
                else f"A {kind} that was passed as an argument"
            )
            raise MutatedArgumentError(
                f"{what} is changed inside the function.",
                where=spelling.written_at(change.place.owner) or where.here(),
                why="The caller would not see the change: a compiled function gets the values of its arguments.",
                fix=f"make a new {kind} and return it.",
            )
