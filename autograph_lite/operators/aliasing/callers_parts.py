"""Callers' parts: does a function that waits hold an array whose items its callee writes, or a part or the whole of it?

    def put(self):                        row = g.m[1]
        self.m[1] = 0                     g.put()               in NumPy, this changes `row`
                                          return row, g.v + g.step()
    def step(self):
        self.v[0] += 1                    in NumPy, the sum sees what `step` has written to `g.v`
        return self.v

    fill(x[1:])                           in NumPy, this changes `x`
    return x

No argument leads there, so that `callers` does not ask. The program that is being recorded says what is a part of the array,
the text of the function that waits which operands it has evaluated already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autograph_lite.analysis import read_after
from autograph_lite.analysis.views import View
from autograph_lite.errors import MutationError
from autograph_lite.operators.aliasing import (
    access_paths,
    callers_names,
    items_in_text,
    user_frames,
)
from autograph_lite.operators.aliasing.access_paths import is_one
from autograph_lite.operators.aliasing.user_frames import Run, Variables
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import describe


def check_callers_parts(runs: Sequence[Run], same: Sequence[Any], whole: Sequence[Any], index: Any) -> None:
    """To be called before an array is written at an index by the first of the runs.

    Args:
      runs: of converted functions, inner ones first.
      same: the array, and what it was before the loops around.
      whole: the arrays that these are parts of.
      index: where it is written.

    Raises:
      MutationError: another run reads a part of it later, or has it as an operand.
    """
    for number, run in enumerate(runs[1:], 1):
        place = user_frames.place_of_run(run)
        if place is None:
            return
        variables = user_frames.run_variables(run)
        called = source_places.function_name(runs[number - 1][-1].f_code)
        fix = (
            f"call '{called}' in a statement of its own, and take '{{}}' after it; where it is to stay as it is, let it "
            "be a copy, `.copy()`; or hand over a copy, and store what it returns."
        )
        replaced = callers_names.replaced(runs[number - 1], place, variables, same, whole)
        shown = next(_read_later(place, variables, same, index, replaced), None)
        found = f"and '{shown}', a part of it there, is read later"
        if shown is None:
            shown = next(_operands(place, variables, same, whole), None)
            found = f"and '{shown}' has been evaluated there before the call"
        if shown is None and whole:
            later, shown = next(_wholes(place, variables, whole, replaced), ("", None))
            found = f"which is a part of '{shown}' there, and '{shown}' {later}"
            fix = (
                f"let '{called}' return the array, and store it there: {{}}[...] = {called}(...); where '{{}}' is to stay as it "
                "is, hand over a copy, `.copy()`."
            )
        if shown is None:
            continue
        raise MutationError(
            f"'{called}' writes an item of an array, {describe(same[0])}, {found} "
            f"({run[0].f_code.co_filename}:{place.line}).",
            why=access_paths.WHY,
            fix=fix.replace("{}", shown),
        )


def _read_later(
    place: read_after.Place,
    variables: Variables,
    same: Sequence[Any],
    index: Any,
    replaced: frozenset[str],
) -> Iterator[str]:
    """What is a part of the array, and is read when the call is over."""
    paths = access_paths.leading_to(variables, same, parts=True)
    parts = [
        path
        for path in paths
        if path.name in place.names
        and not is_one(path.value, same)
        and access_paths.meets(path.value, same[0], index)
    ]
    if parts:
        yield from (path.shown for path, _ in _read(place, variables, parts, replaced))


def _wholes(
    place: read_after.Place,
    variables: Variables,
    whole: Sequence[Any],
    replaced: frozenset[str],
) -> Iterator[tuple[str, str]]:
    """What the array is a part of, and when that is read: after the call, or after the function."""
    paths = [path for path in access_paths.leading_to(variables, whole) if path.name in place.names]
    if paths:
        yield from ((later, path.shown) for path, later in _read(place, variables, paths, replaced))


def _read(
    place: read_after.Place,
    variables: Variables,
    paths: Sequence[access_paths.Path],
    replaced: frozenset[str],
) -> Iterator[tuple[access_paths.Path, str]]:
    """Those of the paths that are read after the call, or after the function, and which of these."""
    readers = [access_paths.readers(path, variables) for path in paths]
    read, kept = read_after.read_after(place, frozenset().union(*readers), replaced)
    for path, by in zip(paths, readers, strict=True):
        if not by.isdisjoint(read | kept):
            yield path, access_paths.LATER[not by.isdisjoint(read)]


def _operands(
    place: read_after.Place,
    variables: Variables,
    same: Sequence[Any],
    whole: Sequence[Any],
) -> Iterator[str]:
    """What has been evaluated before the call, is used after it, and may be the array or a part, or have items in common."""
    if place.operands:
        yield from evaluated_before(place.operands, variables, same, whole)


def evaluated_before(
    views: Sequence[View],
    variables: Variables,
    same: Sequence[Any],
    whole: Sequence[Any],
) -> Iterator[str]:
    """Those of the views, as text, that may be the array or a part of it, or have items in common with it.

    Args:
      views: by which names something was evaluated.
      variables: of the function.
      same: the array.
      whole: what it is a part of.
    """
    wanted = access_paths.array_identities(same)
    around = wanted | access_paths.array_identities(whole)
    for view in views:
        if view.index and items_in_text.lie_apart(view.path, view.index, variables, same[0]):
            continue  # `m[0] + f(m[1])`
        root, *attributes = view.path.split(".")
        array: Any = variables.get(root)
        for attribute in attributes:
            array = access_paths.held_attribute(array, attribute)
        known = is_one(array, same) or access_paths.is_part_of(array, around if view.index else wanted)
        known = known or bool(view.index and not around.isdisjoint(access_paths.array_identities([array])))
        if known and (view.drops is None or array.ndim > view.drops):
            yield view.made
