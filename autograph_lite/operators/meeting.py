"""Do the numbers of a loop meet those of the loop around it, in an operation that a program computes from both?

    for i in range(500):
        for j in range(500):
            C[i, j] = A[i, j]        no: each index is looked at by itself
            C[i, j] = i + j          yes, in `i + j`

Where they don't, 500 numbers of each loop are compared with Python's, and not the 250,000 pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jax.extend import core

from autograph_lite import _jax_scans
from autograph_lite.operators import lane_rules

# What a value follows from: nothing but literals, the loop around, the loop inside, both; None where data are in it.
Sources = frozenset[str] | None
NOWHERE: frozenset[str] = frozenset()
AROUND, INSIDE = frozenset({"around"}), frozenset({"inside"})
COMPUTED = frozenset(lane_rules.RULES) | {
    "convert_element_type", "squeeze", "reshape", "broadcast_in_dim", "shift_right_logical",
}  # fmt: skip


class MetError(Exception):
    """They do."""


def meet(jaxpr: Any, inputs: Sequence[Sources]) -> bool:
    """Whether an equation of a closed jaxpr computes a number from one of `AROUND` and one of `INSIDE`.

    Args:
      jaxpr: the body of the inner loop.
      inputs: what each of its inputs follows from.
    """
    try:
        _followed(jaxpr, inputs)
    except MetError:
        return True
    return False


def _followed(jaxpr: Any, inputs: Sequence[Sources]) -> list[Sources]:
    body = getattr(jaxpr, "jaxpr", jaxpr)
    known: dict[Any, Sources] = dict.fromkeys(body.constvars, NOWHERE)
    known.update(zip(body.invars, inputs, strict=True))
    for eqn in body.eqns:
        operands = [_read(known, atom) for atom in eqn.invars]
        known.update(zip(eqn.outvars, _results(eqn, operands), strict=True))
    return [_read(known, atom) for atom in body.outvars]


def _results(eqn: Any, operands: list[Sources]) -> list[Sources]:
    name, count = eqn.primitive.name, len(eqn.outvars)
    if name == "iota":
        return [NOWHERE]
    if name == "cond":
        which, *args = operands
        ways = [_followed(branch, args) for branch in eqn.params["branches"]]
        return [_decided(which, _joined(values)) for values in zip(*ways, strict=True)]
    if name == "scan":
        consts, carry, rows = _jax_scans.groups(eqn, operands)
        after = _settled(eqn.params["jaxpr"], consts, carry, rows)
        return [*after, *[None] * (count - len(after))]
    if name == "while":
        return _while(eqn, operands)
    inner = eqn.params.get("jaxpr", eqn.params.get("call_jaxpr"))
    if inner is not None:
        return _called(inner, operands, count)
    return [_joined(operands) if name in COMPUTED else None] * count


def _called(inner: Any, operands: list[Sources], count: int) -> list[Sources]:
    if len(getattr(inner, "jaxpr", inner).invars) != len(operands):
        raise MetError  # nobody knows
    results = _followed(inner, operands)
    if len(results) != count:
        raise MetError
    return results


def _while(eqn: Any, operands: list[Sources]) -> list[Sources]:
    first = eqn.params["cond_nconsts"]
    last = first + eqn.params["body_nconsts"]
    carry = _settled(eqn.params["body_jaxpr"], operands[first:last], operands[last:], [])
    (test,) = _followed(eqn.params["cond_jaxpr"], [*operands[:first], *carry])
    return [_decided(test, value) for value in carry]


def _settled(
    body: Any, consts: Sequence[Sources], carry: Sequence[Sources], rows: Sequence[Sources]
) -> list[Sources]:
    """What the carry of a loop follows from, in any of its iterations."""
    now = list(carry)
    while True:
        after = _followed(body, [*consts, *now, *rows])[: len(now)]
        new = [_joined([a, b]) for a, b in zip(now, after, strict=True)]
        if new == now:
            return now
        now = new


def _read(known: Mapping[Any, Sources], atom: Any) -> Sources:
    return NOWHERE if isinstance(atom, core.Literal) else known[atom]


def _decided(test: Sources, value: Sources) -> Sources:
    """What `value` follows from, where `test` decides on it; where data decide, it may still be the same on all paths."""
    return value if test is None else _joined([test, value])


def _joined(sources: Sequence[Sources]) -> Sources:
    """What a value computed from several follows from.

    Raises:
      MetError: from both loops.
    """
    found = NOWHERE
    for source in sources:
        if source is None:
            return None
        found |= source
    if found >= AROUND | INSIDE:
        raise MetError
    return found
