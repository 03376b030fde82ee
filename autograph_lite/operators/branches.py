"""One of several branches is taken, and a traced value says which: `lax.cond` or `lax.switch` on the joined types."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.converters.python_ops import Maybe
from autograph_lite.operators import checks, journal, mismatch
from autograph_lite.operators.places import MISSING, Contents, Place
from autograph_lite.operators.staging import Path
from autograph_lite.operators.templates import Mismatch, Template, fill, join, rebuild, template_of

Select = Callable[[list[Callable[[], list[jax.Array]]]], Any]


def stage(
    select: Select, funs: Sequence[Callable[..., Any]], operands: Sequence[Any], names: Sequence[str]
) -> Any:
    """The values of the variables after one of `funs` has run.

    Args:
      select: takes as many functions from nothing to arrays, and gives the arrays of the one that is taken.
      funs: generated functions from `operands` to the variables called `names`.
      operands: passed to each of them.
      names: of the variables; none where the functions return one value.

    Raises:
      BranchMismatchError: a variable has types that can't be joined.
    """
    paths = [Path(fun, operands, len(names)) for fun in funs]
    alive = [path for path in paths if path.raised is None]
    writes = _Writes(paths)
    if not alive:
        _select(select, paths, [], [], writes)
        writes.commit()
        assert paths[0].raised is not None
        raise paths[0].raised
    count = len(alive[0].values)
    labels = list(names) or ["the return value"] * count
    templates = [
        _join([path.values[i] for path in alive], label, funs) for i, label in enumerate(labels[:count])
    ]
    arrays = _select(select, paths, [[p.values[i] for p in paths] if p_ok(paths) else _values(paths, i) for i in range(count)], templates, writes)
    lost = mismatch.lost(funs, [path.raised is not None for path in paths])
    values = [
        rebuild(template, arrays, label, missing=lost if _one_sided(alive, i) else ())
        for i, (template, label) in enumerate(zip(templates, labels, strict=False))
    ]
    writes.take(arrays)
    writes.commit()
    checks.flush()
    return tuple(values) if len(names) > 1 else values[0]


def p_ok(paths: Sequence[Path]) -> bool:
    return all(path.raised is None for path in paths)


def _values(paths: Sequence[Path], i: int) -> list[Any]:
    """The i-th variable on each path; unassigned where the path raises."""
    return [path.values[i] if path.raised is None else Maybe(False, None, "") for path in paths]


def _one_sided(paths: Sequence[Path], i: int) -> bool:
    """Whether the i-th variable is surely unassigned on some path."""
    return any(isinstance(p.values[i], Maybe) and p.values[i].present is False for p in paths)


def _join(values: Sequence[Any], label: str, funs: Sequence[Callable[..., Any]]) -> Template:
    template = template_of(values[0])
    for value in values[1:]:
        try:
            template = join(template, template_of(value))
        except Mismatch as found:
            raise mismatch.branches(label, found, funs) from None
    return template


def _select(
    select: Select, paths: Sequence[Path], values: Sequence[Sequence[Any]], templates: Sequence[Template], writes: _Writes
) -> Any:
    """Emits the branches; gives an iterator over the joined arrays."""

    def branch(number: int, path: Path) -> Callable[[], list[jax.Array]]:
        def run() -> list[jax.Array]:
            lookup = path.emit()
            arrays: list[jax.Array] = []
            for options, template in zip(values, templates, strict=True):
                arrays += fill(options[number], template, lookup)
            for options, template in writes.variables():
                arrays += fill(options[number], template, lookup)
            return arrays

        return run

    return iter(select([branch(number, path) for number, path in enumerate(paths)]))


class _Writes:
    """Places that some path has written to: their contents on each path, joined like variables."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.slots: list[tuple[Place, Hashable, list[Any], Template]] = []
        self.results: dict[Hashable, tuple[Place, Contents]] = {}
        changed: dict[Hashable, tuple[Place, Contents]] = {}
        for path in paths:
            for key, (place, old, _) in path.changes.items():
                changed.setdefault(key, (place, old))
        for key, (place, old) in changed.items():
            after = [path.changes[key][2] if key in path.changes else old for path in paths]
            self.results[key] = place, dict(old)
            self._add(key, place, after, [path.raised is not None for path in paths])

    def _add(self, key: Hashable, place: Place, after: list[Contents], raised: list[bool]) -> None:
        is_checks = isinstance(place.owner, checks.Frame)
        alive = [contents for contents, dead in zip(after, raised, strict=True) if not dead or is_checks] or after
        keys = dict.fromkeys(k for contents in alive for k in contents)
        result: Contents = {}
        for k in keys:
            values = [contents.get(k, MISSING) for contents in alive]
            if all(v is values[0] for v in values):
                result[k] = values[0]
                continue
            if is_checks:
                values = [_zero(values) if v is MISSING else v for v in values]
            elif any(v is MISSING for v in values):
                raise mismatch.place(place.label(k))
            template = template_of(values[0])
            for value in values[1:]:
                try:
                    template = join(template, template_of(value))
                except Mismatch as found:
                    raise mismatch.place(place.label(k), found) from None
            options = iter(values)
            every = [
                next(options) if not dead or is_checks or alive is after else Maybe(False, None, "")
                for dead in raised
            ]
            self.slots.append((place, k, every, template))
            result[k] = MISSING
        self.results[key] = place, result

    def variables(self) -> list[tuple[list[Any], Template]]:
        return [(options, template) for _, _, options, template in self.slots]

    def take(self, arrays: Any) -> None:
        """Reads the joined contents from the arrays that the selection gave."""
        by_owner = {id(place): contents for place, contents in self.results.values()}
        for place, key, _, template in self.slots:
            by_owner[id(place)][key] = rebuild(template, arrays, place.label(key))

    def commit(self) -> None:
        """Writes the joined contents to the user's objects."""
        for place, contents in self.results.values():
            journal.commit(place, contents)


def _zero(values: Sequence[Any]) -> Any:
    """A placeholder for the payload of a check that is not on this path."""
    known = next(v for v in values if v is not MISSING)
    if isinstance(known, int):
        return 0
    return np.zeros(jnp.shape(known), jnp.result_type(known))


def cond(test: Any) -> Select:
    """Takes the first of two branches where the scalar bool `test` holds."""
    return lambda branches: lax.cond(test, *branches)


def switch(index: Any) -> Select:
    """Takes the branch with the number `index`, an int32 scalar."""
    return lambda branches: lax.switch(index, branches)
