"""Which values do a function's variables have after each statement, in Python and in a compiled program?

Both run one source, which calls `Recording.note` after each statement: so both say in which order they have come where.
A program says it while it runs, by JAX's ordered callbacks.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any

import gast
import jax
import numpy as np

from autograph_lite.analysis import probes, scopes
from autograph_lite.analysis.probes import Site
from autograph_lite.errors import ConversionError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values.boxes import unboxed
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.verifying.observations import Seen, observe
from autograph_lite.syntax import loader, trees
from autograph_lite.syntax.names import Fresh, used_names
from autograph_lite.syntax.source_text import source

EVENTS = 20_000  # that are kept of one call
_NUMERIC = (bool, int, float, complex, np.generic, np.ndarray, jax.Array)

Place = tuple[str, int, str]  # of a function: file, line and name, which its converted form has, too
Wanted = Callable[[Place, int, str], bool]  # of a function, a site in it, and what may have changed there


@dataclasses.dataclass(frozen=True)
class Event:
    """A statement that has run."""

    fn: Place
    site: int
    values: Mapping[str, Seen]


class Recording:
    """What one run tells of itself."""

    def __init__(self, wanted: Wanted) -> None:
        self.events: list[Event] = []
        self.sites: dict[Place, list[Site]] = {}
        self._wanted = wanted
        self._telling: dict[types.FunctionType, types.FunctionType] = {}

    def telling(self, fn: Any, instance: Any = None) -> Any:
        """A function or bound method that tells of itself, in place of the user's. Raises ConversionError: no source."""
        fn = getattr(fn, "python_function", fn)
        if isinstance(fn, types.MethodType):
            return types.MethodType(self.telling(fn.__func__, fn.__self__), fn.__self__)
        if isinstance(fn, functools.partial):
            return functools.partial(self.telling(fn.func), *fn.args, **fn.keywords)
        if not isinstance(fn, types.FunctionType):
            raise ConversionError("it is no function or method")
        if fn not in self._telling:
            self._telling[fn] = self._made(fn, instance)
        return self._telling[fn]

    def _made(self, fn: types.FunctionType, instance: Any) -> types.FunctionType:
        read = source.read_source(fn)
        if not isinstance(read.node, gast.FunctionDef):
            raise ConversionError("a lambda has no statements")
        fresh = Fresh(used_names(read.node))
        probe, into = fresh("probe"), fresh("into")
        first = (scopes.parameter_names(read.node.args) or [""])[0]
        probes.follow(read.node, into, lambda name: _is_followed(fn, first, instance, name))
        code = fn.__code__
        place = code.co_filename, code.co_firstlineno, code.co_qualname
        sites = self.sites[place] = probes.insert_probes(
            read.node, probe, functools.partial(self._wanted, place)
        )
        shown = [
            [name for name in site.shown if self._wanted(place, i, name)] for i, site in enumerate(sites)
        ]

        def note(site: int, *values: Any) -> None:
            self._note(place, site, shown[site], values)

        called = {probe: note, into: self.telling}
        made = loader.load_function(trees.copy_tree(read.node), fn, called)
        source.give(made.__code__, read)
        return made

    def _note(self, fn: Place, site: int, names: list[str], values: tuple[Any, ...]) -> None:
        """What a function calls after a statement."""
        leaves, tree = jax.tree.flatten(tuple(map(unboxed, values)))
        late = [isinstance(leaf, Tracer) for leaf in leaves]

        def arrived(*arrays: Any) -> None:
            known = iter(arrays)
            found = [next(known) if is_late else leaf for leaf, is_late in zip(leaves, late, strict=True)]
            self._take(fn, site, names, jax.tree.unflatten(tree, found))

        if any(late) or tracing_state.is_tracing():
            arrays = [leaf for leaf, is_late in zip(leaves, late, strict=True) if is_late]
            jax.debug.callback(arrived, *arrays, ordered=True)
        else:
            self._take(fn, site, names, values)

    def _take(self, fn: Place, site: int, names: list[str], values: tuple[Any, ...]) -> None:
        if len(self.events) < EVENTS:
            pairs = zip(names, values, strict=True)
            found = {name: observe(value) for name, value in pairs if is_recordable(value)}
            self.events.append(Event(fn, site, found))


def _is_followed(fn: types.FunctionType, first: str, instance: Any, name: str) -> bool:
    """Whether what `fn` calls under a name is a function of the user's, another one, that can tell of itself, too."""
    root, *attributes = name.split(".")
    found = (
        type(instance)
        if instance is not None and root == first and attributes
        else ownership.lookup(fn, root)
    )
    for attribute in attributes:
        found = inspect.getattr_static(found, attribute, None) if isinstance(found, _NAMESPACES) else None
    found = getattr(found, "python_function", found)
    if found is fn or not (isinstance(found, types.FunctionType) and ownership.is_users(found)):
        return False
    try:
        return isinstance(source.read_source(found).node, gast.FunctionDef)
    except ConversionError:
        return False


_NAMESPACES = (types.ModuleType, type)


def is_recordable(value: Any) -> bool:
    """Whether a value is arrays and numbers, which a program can tell of while it runs."""
    value = unboxed(value)
    return isinstance(value, _NUMERIC) or (type(value) is tuple and all(map(is_recordable, value)))


def everything(fn: Place, site: int, shown: str) -> bool:
    """All that statements may change."""
    return True


def numeric_in(recording: Recording) -> Wanted:
    """What is an array or a number wherever it was met."""
    found: dict[tuple[Place, int], set[str]] = {}
    for event in recording.events:
        names = found.setdefault((event.fn, event.site), set(event.values))
        names &= event.values.keys()
    return lambda fn, site, shown: shown in found.get((fn, site), ())
