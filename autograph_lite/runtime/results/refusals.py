"""Refusals: which changes may a function not make, that no later call of the compiled program could make again?"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import jax

from autograph_lite.errors import MutatedArgumentError
from autograph_lite.jax_internals import tangents_of_state, tracing_state
from autograph_lite.operators.effects import container_identity, journal
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.lists import dynamic_length
from autograph_lite.operators.user_code import ownership, place_names, source_places
from autograph_lite.operators.values import dataclass_objects, pytrees
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.results.argument_mutations import is_registered, mutables_in
from autograph_lite.runtime.state import tracer_leaks
from autograph_lite.runtime.state.variable import Variable
from autograph_lite.runtime.state.variable_metadata import own_attributes
from autograph_lite.runtime.types import tree_paths


def refuse_foreign_tracers(changes: dict[Any, journal.Change], kept: Collection[Any], *, owned: bool) -> None:
    """Refuses what would leave a tracer of somebody else's trace in an object; of Variables, `lost` tells when it has ended.

    Args:
      changes: of a trace.
      kept: the slots of the state that it has only read.
      owned: whether it is nobody else's.
    """
    for owner, change in changes.items():
        if change.place.ours and not owned:
            continue
        for key, value in change.new.items():
            if (owner, key) in kept:
                continue
            if not isinstance(value, tuple) and dynamic_length.is_dynamic(value):
                continue  # see `list_trimming`
            tracers = [leaf for leaf in pytrees.leaves(value) if isinstance(leaf, Tracer)]
            if value is change.old.get(key) or not tracers:
                continue
            if not (owned and all(map(tracing_state.is_of_this_trace, tracers))):
                raise join_errors.foreign_error(change.place.label(key), change.place.owner, owned=owned)


def refuse_use_of_ended(error: BaseException) -> None:
    """Refuses, in place of JAX's error, to use a tracer of a transformation that has ended."""
    if isinstance(error, jax.errors.UnexpectedTracerError):
        raise join_errors.ended_error(source_places.raised_at(error, ownership.is_library_file)) from error


def refuse_return_of_ended(results: Iterable[Any], fn: Any) -> None:
    """Refuses to return such a tracer."""
    for leaf in results:
        if isinstance(leaf, Tracer) and not tracing_state.is_of_this_trace(leaf):
            raise join_errors.ended_error(
                source_places.line_of_function(fn) if hasattr(fn, "__code__") else ()
            )


def lost(variables: Iterable[tuple[Any, Any]]) -> None:
    """Refuses to give Variables values that a trace of somebody else's records, or that are one for each row of a `vmap`.

    Those of a gradient are good: the Variable holds the number, and JAX has it as soon as the program has run.
    """
    for variable, value in variables:
        recorded = not tracing_state.is_recorded(tangents_of_state.number_of(value))
        if recorded or tracing_state.program_trace()() is not None:
            raise join_errors.foreign_error(variable.place.label("value"), variable, owned=False)


def left_in_libraries(changes: dict[Any, journal.Change]) -> None:
    """Refuses to leave a tracer in an object of a library's, whose contents no program can give."""
    for change in changes.values():
        if change.place.opaque and tracer_leaks.is_hidden_in(change.new.values()):
            raise join_errors.left_in(change.place.label("state"), change.place.owner)


def mutated_arguments(arguments: Any, owners: Iterable[Any]) -> None:
    """Refuses to change a container of the call's, or an object that was rebuilt from its values."""
    variables = [found for found in dataclass_objects.object_leaves(arguments) if isinstance(found, Variable)]
    arguments = (arguments, [*map(own_attributes, variables)])
    passed = [
        *container_identity.containers(arguments, frozen=True),
        *filter(is_registered, mutables_in([arguments])),
        *variables,
    ]
    containers = {id(container): container for container in passed}
    containers |= {
        id(vars(each)): each
        for each in passed
        if (dataclass_objects.is_record(each) or isinstance(each, Variable)) and hasattr(each, "__dict__")
    }
    for owner in owners:
        if id(owner) in containers:
            container = containers[id(owner)]
            kind = type(container).__name__
            name = place_names.owner_spelling(owner) if owner is container else None
            what = (
                f"'{name}', a {kind} that was passed as an argument,"
                if name
                else f"A {kind} that was passed as an argument"
            )
            raise MutatedArgumentError(
                f"{what} is changed inside the function.",
                where=place_names.written_at(owner) or source_places.here(),
                why=_UNSEEN,
                fix=_instead(container),
            )


def without_caches(changes: dict[Any, journal.Change], arguments: Any) -> dict[Any, journal.Change]:
    """The changes but for what a `functools.cached_property` has kept in a dataclass object among the arguments.

    Each trace makes that object again of its values, so that nobody sees what it keeps.
    """
    passed = {
        id(each)
        for each in container_identity.containers(arguments, frozen=True)
        if dataclass_objects.is_record(each)
    }
    return {
        key: change
        for key, change in changes.items()
        if id(change.place.owner) not in passed or not _is_cache(change)
    }


def _is_cache(change: journal.Change) -> bool:
    kind, old, new = type(change.place.owner), change.old, change.new
    changed = [key for key in {**old, **new} if key not in new or key not in old or old[key] is not new[key]]
    return all(
        isinstance(key, str)
        and isinstance(inspect.getattr_static(kind, key, None), functools.cached_property)
        and key not in old
        for key in changed
    )


class Contents:
    """What registered pytrees hold now, such as modules of Flax NNX, which a function sees as made of traced arrays.

    Converted code notes what it changes in them, which would be lost; libraries do not, so that the values are compared.
    """

    def __init__(self, owners: Iterable[Any]) -> None:
        self._held = [(owner, *jax.tree.flatten(owner), *jax.tree.flatten(owner)) for owner in owners]

    def changed(self) -> Iterator[tuple[Any, str]]:
        """Those that hold something else now, each with the path to it; "" where it has none."""
        for owner, leaves, tree, again, same in self._held:
            found = jax.tree.leaves_with_path(owner)
            # What is made again each time that it is asked for tells nothing of changes.
            if tree_paths.same_structure(tree, same) and not tree_paths.same_structure(
                tree, jax.tree.structure(owner)
            ):
                yield owner, ""
            elif len(leaves) == len(again) == len(found):
                for leaf, stable, (path, new) in zip(leaves, again, found, strict=True):
                    if leaf is stable and leaf is not new:
                        yield owner, _spelled(path)


def _spelled(path: Any) -> str:
    if any(isinstance(key, jax.tree_util.FlattenedIndexKey) for key in path):
        return ""  # the class has no names for its values
    return jax.tree_util.keystr(path, simple=True, separator=".")


def changed_by_libraries(passed: Contents, fn: Any) -> None:
    """Refuses what libraries have changed in such objects, which no journal has seen."""
    for owner, path in passed.changed():
        kind = type(owner).__name__
        raise MutatedArgumentError(
            f"A {kind} that was passed as an argument is changed inside the function"
            + (f", at '{path}'." if path else "."),
            where=source_places.line_of_function(fn) if hasattr(fn, "__code__") else source_places.here(),
            why=_UNSEEN,
            fix=_instead(owner),
        )


_UNSEEN = "The caller would not see the change: a compiled function gets the values of its arguments."


def _instead(owner: Any) -> str:
    kind = type(owner).__name__
    if isinstance(owner, Variable):
        return f"use the {kind} from outside of the function, or keep what changes in a Variable."
    if any(base.__module__.partition(".")[0] == "flax" for base in type(owner).__mro__):
        return (
            "convert with to_graph inside of Flax's own jit, which brings changes out: nnx.jit(to_graph(f))."
        )
    return f"make a new {kind} and return it."
