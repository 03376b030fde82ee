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

import gast

from autograph_lite.analysis import read_after
from autograph_lite.analysis.apart import are_disjoint
from autograph_lite.analysis.views import View
from autograph_lite.errors import MutationError
from autograph_lite.operators.aliasing import access_paths, callers_names, overlapping_views, user_frames
from autograph_lite.operators.aliasing.access_paths import is_one
from autograph_lite.operators.aliasing.user_frames import Run, Variables
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import describe


def check_callers_parts(runs: Sequence[Run], same: Sequence[Any]) -> None:
    """To be called before an item of an array is written by the first of the runs.

    Args:
      runs: of converted functions, inner ones first.
      same: the array, and what it was before the loops around.

    Raises:
      MutationError: another run reads a part of it later, or has it as an operand.
    """
    whole = [each for one in same for each in access_paths.base_arrays(one)]
    for number, run in enumerate(runs[1:], 1):
        place = user_frames.place_of_run(run)
        if place is None:
            return
        variables = user_frames.run_variables(run)
        called = source_places.function_name(runs[number - 1][-1].f_code)
        fix = (
            f"call '{called}' in a statement of its own, and take '{{}}' after it; where it is to stay as it is, let it "
            "be a copy, `.copy()`."
        )
        shown = next(_read_later(place, variables, same), None)
        found = f"and '{shown}', a part of it there, is read later"
        given = (
            ()
            if place.call is None
            else tuple(callers_names.arguments_meant(runs[number - 1], place.call, same))
        )
        if shown is None:
            shown = next(_operands(place, variables, same, whole, given), None)
            found = f"and '{shown}' has been evaluated there before the call"
        if shown is None and whole:
            later, shown = next(_wholes(place, variables, whole, given), ("", None))
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
            why=overlapping_views.WHY,
            fix=fix.replace("{}", shown),
        )


def _read_later(place: read_after.Place, variables: Variables, same: Sequence[Any]) -> Iterator[str]:
    """What is a part of the array, and is read when the call is over."""
    paths = access_paths.leading_to(variables, same, parts=True)
    parts = [path for path in paths if path.name in place.names and not is_one(path.value, same)]
    if not parts:
        return
    yield from (
        path.shown
        for path, _ in _read(place, variables, parts, access_paths.items_on_paths(parts, variables))
    )


def _wholes(
    place: read_after.Place, variables: Variables, whole: Sequence[Any], given: tuple[gast.expr, ...]
) -> Iterator[tuple[str, str]]:
    """What the array, which was `given` to a call, is a part of, and when that is read: after the call, or after the function."""
    paths = [path for path in access_paths.leading_to(variables, whole) if path.name in place.names]
    if not paths:
        return
    written = access_paths.items_on_paths(paths, variables) | read_after.items_meant(place, given)
    yield from ((later, path.shown) for path, later in _read(place, variables, paths, written))


def _read(
    place: read_after.Place,
    variables: Variables,
    paths: Sequence[access_paths.Path],
    written: read_after.Items,
) -> Iterator[tuple[access_paths.Path, str]]:
    """Those of the paths that are read after the call, or after the function, and which of these."""
    readers = [access_paths.readers(path, variables) for path in paths]
    read, kept = read_after.read_after(place, frozenset().union(*readers), written)
    for path, by in zip(paths, readers, strict=True):
        if not by.isdisjoint(read | kept):
            yield path, overlapping_views.LATER[not by.isdisjoint(read)]


def _operands(
    place: read_after.Place,
    variables: Variables,
    same: Sequence[Any],
    whole: Sequence[Any],
    given: tuple[gast.expr, ...],
) -> Iterator[str]:
    """What has been evaluated before the call, is used after it, and may be the array or a part, or have items in common."""
    if place.operands:
        written = read_after.items_meant(place, given)
        yield from evaluated_before(place.operands, variables, same, whole, written)


def evaluated_before(
    views: Sequence[View],
    variables: Variables,
    same: Sequence[Any],
    whole: Sequence[Any],
    written: read_after.Items,
) -> Iterator[str]:
    """Those of the views, as text, that may be the array or a part of it, or have items in common with it.

    Args:
      views: by which names something was evaluated.
      variables: of the function.
      same: the array.
      whole: what it is a part of.
      written: the items that the text says are written.
    """
    wanted = access_paths.array_identities(same)
    around = wanted | access_paths.array_identities(whole)
    for view in views:
        if view.index and any(
            path == view.path and are_disjoint(view.index, index, {}) for path, index in written
        ):
            continue  # `m[0] + f(m[1])`
        root, *attributes = view.path.split(".")
        array: Any = variables.get(root)
        for attribute in attributes:
            array = overlapping_views.held_attribute(array, attribute)
        known = is_one(array, same) or access_paths.is_part_of(array, around if view.index else wanted)
        known = known or bool(view.index and not around.isdisjoint(access_paths.array_identities([array])))
        if known and (view.drops is None or array.ndim > view.drops):
            yield view.made
