"""Integer overflow: what becomes of Python's ints that outgrow the program's? A check fails, at their line.

p = 1
while x * p < limit:
    p = p * 2          64 bits in the program, and 32 after the loop; Python's has no end
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from autograph_lite.jax_internals import configuration
from autograph_lite.jax_internals.dataflow import python_ints
from autograph_lite.jax_internals.loops import wide_programs
from autograph_lite.jax_internals.references import ambient
from autograph_lite.operators.checks import carried_checks, divisions, integer_powers
from autograph_lite.operators.trace_context import loop_options
from autograph_lite.operators.user_code import source_places
from autograph_lite.tracing import entered, thread

Place = tuple[str, int, str]
Numbers = Mapping[tuple[Place | None, str], int]
"""Of places, and why there is no such int: see `python_ints`."""


def note(code: Any, places: Numbers) -> None:
    """To be told while a loop is made: `code` is the number of the place that computes an int that does not fit, or 0."""
    loop_options.current().overflown.append((code, places))


def check_noted() -> None:
    """To be called when the innermost loop has been made, and its own checks are where they were before it."""
    noted = loop_options.current().overflown
    while noted:
        code, places = noted.pop()
        if any(why in python_ints.CALLS for _, why in places) or not ambient.note_overflow(code, places):
            fail(code, places)


def fail(code: Any, places: Numbers) -> None:
    """The check: as `note` has it."""
    for (place, why), number in places.items():
        is_division = why in python_ints.CALLS
        if why == python_ints.NEGATIVE:
            where = source_places.at(*place) if place else None
            error: Exception = integer_powers.unknown_sign(where)
        else:
            error = _division(place, why) if is_division else OverflowError(message(place, why))
        carried_checks.fail_if(code == number, error, limit=not is_division)


def _widened(frame: Any, results: Sequence[Any]) -> Sequence[Any]:
    """What somebody else's program gives, whose ints outside of loops are as wide as they have to be."""
    if (mode := ambient.noted_facts(frame).mode) is None:
        return results
    found: list[tuple[Any, Numbers]] = []
    noted, count = ambient.noted_facts(frame).overflown, len(results)
    # An effect would be there already, and what it follows from could not be made once more.
    values = [*results, *(code for code, _ in noted)]
    values = wide_programs.with_wide_ints(values, lambda *told: found.append(told))
    results = values[:count]
    if found:
        ambient.kept_facts(frame).is_rewritten = True
    found += [(code, places) for code, (_, places) in zip(values[count:], noted, strict=True)]
    # The frames of what is traced around are left as they are.
    frames = [*thread.now.frames] if carried_checks.within_program() else []
    with entered(default_mode=mode, frames=frames):
        for each in found:
            fail(*each)
    return results


ambient.endings.insert(0, _widened)  # its checks are some of the program's


def _division(place: Place | None, name: str) -> ZeroDivisionError:
    """Python's error about a division by zero, with its line."""
    said = str(divisions.python_error("//" if name == "floor_divide" else "%", is_float=False))
    where = source_places.at(*place) if place else None
    return ZeroDivisionError(f"{said}: `{where.text}` ({where.path}:{where.line})" if where else said)


def told(error: OverflowError) -> OverflowError:
    """What is said where JAX has met a number of Python's that does not fit; any other error as it is."""
    if "while parsing an argument" not in str(error):
        return error
    where = source_places.raised_at(error)
    return OverflowError(message((where.path, where.line, where.function) if where else None))


def message(place: Place | None, why: str = python_ints.LARGE) -> str:
    """What is said of a line whose int does not fit, or is made of a float that does not."""
    bits = 64 if configuration.has_64_bits() else 32
    where = source_places.at(*place) if place else None
    what = f"`{where.text}`" if where else "a loop"
    wider = "." if bits == 64 else ", or have ints of 64 bits: jax.config.update('jax_enable_x64', True)."
    name = _assigned(where.text) if where else ""
    of = f" of '{name}'" if name else ""
    at = f" ({where.path}:{where.line})" if where else ""
    if why == python_ints.ROUNDED:
        found = f"{what} makes an int of a float that is nan, infinite or too large for int{bits}{at}."
        return f"{found} To fix it, test the float first, as in: if abs(x) < 1e9{wider}"
    found = f"{what} computes an int{of} that does not fit int{bits}; Python's ints have no end{at}."
    return f"{found} To fix it, make it a float, as in 1.0{wider}"


def _assigned(text: str) -> str:
    """What a line of the user's assigns a number that it computes to, if it is one thing."""
    try:
        [statement] = ast.parse(text.strip()).body
    except (SyntaxError, ValueError):
        return ""
    if isinstance(statement, ast.AugAssign):
        return ast.unparse(statement.target)
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return ""
    [target], value = statement.targets, statement.value
    if not isinstance(target, ast.Tuple):
        return ast.unparse(target)
    pairs = zip(target.elts, value.elts, strict=False) if isinstance(value, ast.Tuple) else ()
    computed = [ast.unparse(each) for each, one in pairs if not isinstance(one, (ast.Name, ast.Constant))]
    return computed[0] if len(computed) == 1 else ""
