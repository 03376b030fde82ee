"""Does a function that waits hold an array to whose items the one that it has called writes, or a part of it, or the whole?

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

from autograph_lite.analysis import copies, read_after, scopes
from autograph_lite.errors import MutationError
from autograph_lite.operators import array_paths, callers, running, views, where
from autograph_lite.operators.array_paths import is_one
from autograph_lite.operators.running import Run, Variables
from autograph_lite.operators.values import describe


def check(runs: Sequence[Run], same: Sequence[Any]) -> None:
    """To be called before an item of an array is written by the first of the runs.

    Args:
      runs: of converted functions, inner ones first.
      same: the array, and what it was before the loops around.

    Raises:
      MutationError: another run reads a part of it later, or has it as an operand.
    """
    whole = [each for one in same for each in array_paths.whole_of(one)]
    for number, run in enumerate(runs[1:], 1):
        place = running.place(run)
        if place is None:
            return
        variables = running.variables(run)
        called = where.function_name(runs[number - 1][-1].f_code)
        fix = (
            f"call '{called}' in a statement of its own, and take '{{}}' after it; where it is to stay as it is, let it "
            "be a copy, `.copy()`."
        )
        shown = next(_read_later(place, variables, same), None)
        found = f"and '{shown}', a part of it there, is read later"
        if shown is None:
            shown = next(_operands(place, variables, same), None)
            found = f"and '{shown}' has been evaluated there before the call"
        if shown is None and whole and not callers.is_given_copies(runs[number - 1], place, same):
            later, shown = next(_wholes(place, variables, whole), ("", None))
            found = f"which is a part of '{shown}' there, and '{shown}' {later}"
            fix = (
                f"let '{called}' return the array, and store it there: {{}}[...] = {called}(...); where '{{}}' is to stay as it "
                "is, hand over a copy, `.copy()`."
            )
        if shown is None or any(_is_copy(inner, same) for inner in runs[:number]):
            continue
        raise MutationError(
            f"'{called}' writes an item of an array, {describe(same[0])}, {found} "
            f"({run[0].f_code.co_filename}:{place.line}).",
            where=where.here(),
            why=views.WHY,
            fix=fix.replace("{}", shown),
        )


def _read_later(place: read_after.Place, variables: Variables, same: Sequence[Any]) -> Iterator[str]:
    """What is a part of the array, and is read when the call is over."""
    paths = array_paths.leading_to(variables, same, parts=True)
    parts = [path for path in paths if path.name in place.names and not is_one(path.value, same)]
    if not parts:
        return
    fresh = copies.fresh(place.function)
    put_back = read_after.put_back(place, place.assigned)
    parts = [each for each in parts if each.name not in fresh and each.attributes not in put_back]
    yield from (path.shown for path, _ in _read(place, variables, parts))


def _wholes(place: read_after.Place, variables: Variables, whole: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """What the array is a part of, and when that is read: after the call, or after the function."""
    paths = [path for path in array_paths.leading_to(variables, whole) if path.name in place.names]
    if not paths:
        return
    copied = copies.fresh(place.function).keys() - scopes.read(place.node or place.statement)
    put_back = place.stores | read_after.put_back(place, place.assigned)
    paths = [each for each in paths if each.name not in copied and each.attributes not in put_back]
    yield from ((later, path.shown) for path, later in _read(place, variables, paths))


def _read(
    place: read_after.Place, variables: Variables, paths: Sequence[array_paths.Path]
) -> Iterator[tuple[array_paths.Path, str]]:
    """Those of the paths that are read after the call, or after the function, and which of these."""
    readers = [array_paths.readers(path, variables) for path in paths]
    read, kept = read_after.read_after(place, frozenset().union(*readers))
    for path, by in zip(paths, readers, strict=True):
        if not by.isdisjoint(read | kept):
            yield path, views.LATER[not by.isdisjoint(read)]


def _operands(place: read_after.Place, variables: Variables, same: Sequence[Any]) -> Iterator[str]:
    """What has been evaluated before the call, is used after it, and may be, or be a part of, the array."""
    wanted = array_paths.identities(same)
    for view in place.operands:
        root, *attributes = view.path.split(".")
        array: Any = variables.get(root)
        for attribute in attributes:
            array = views.held(array, attribute)
        known = is_one(array, same) or array_paths.is_part(array, wanted)
        if (
            known
            and (view.drops is None or array.ndim > view.drops)
            and not _is_copied(place, variables, root, same)
        ):
            yield view.made


def _is_copy(run: Run, same: Sequence[Any]) -> bool:
    """Whether a run knows the array by the name of a new one, `y = x.astype(t)`, which JAX may have given back as it was."""
    place = running.place(run)
    return place is not None and _is_copied(place, run[-1].f_locals, "", same)


def _is_copied(place: read_after.Place, variables: Variables, name: str, same: Sequence[Any]) -> bool:
    """Whether another variable than `name` is the array, and is a copy by the function's text."""
    return any(is_one(variables.get(each), same) for each in copies.fresh(place.function) if each != name)
