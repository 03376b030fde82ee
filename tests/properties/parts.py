"""Which part of an array stands here, read or written: `xs[:k]`, `m[i, :k]`, `xs[k : k + 2]`, `xs[xs > k]`, `xs[xp.where(xs > k)]`?

Bounds are any integers, which the compiled program gets traced. A part is read where its length does not show in a shape:
it is reduced, or written back where it came from.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import integers
from .texts import MOST, Expr, read
from .writer import Writer

LONGEST = 4  # items of an array


def bound(w: Writer, beside: str = "") -> str:
    """A bound: inside of the array, beyond it or counted from its end; not of the name in `beside`."""
    c = w.choices
    names = [name for name in w.scope.of_kind("int", "counter") if name not in beside]
    if not names or c.chance(15):
        return c.pick(["1", "-1", "2", "0"])
    name = c.pick(names)
    return c.pick([name, name, f"{name} + 1", f"{name} - 1", f"-{name}", f"{name} % 3", f"2 * {name}"])


def span(w: Writer, size: str) -> str:
    """The text between the brackets, for an axis of that size."""
    c = w.choices
    # `k : k + 1` would be a part of a known length, and an error beyond the ends of the axis.
    low = bound(w)
    forms = [f":{bound(w)}", f"{bound(w)}:", f"{low}:{bound(w, low)}"]
    forms += [f":{bound(w)}:2", f"{bound(w)}::-1"]
    names = w.scope.of_kind("int", "counter")
    if names:  # of a known length, on the axis
        name = c.pick(names)
        forms += [f"{name} % ({size} - 1):{name} % ({size} - 1) + 2", f"{name} % {size}:{name} % {size} + 1"]
    return c.pick(forms)


def part(w: Writer, name: str, *, masked: bool = True, inner: Sequence[str] = ("1:", "::-1")) -> str:
    """A part of an array.

    Args:
      w: the function being written.
      name: of the array.
      masked: whether it may be chosen by a mask.
      inner: what may stand in a second pair of brackets.
    """
    c = w.choices
    rows, columns = f"len({name})", f"{name}.shape[1]"
    if w.scope.kinds.get(name) == "matrix":
        if c.chance(50):
            return f"{name}[{integers.index(w, rows)}, {span(w, columns)}]"
        return f"{name}[{span(w, rows)}, {integers.index(w, columns)}]"
    if masked and c.chance(20):
        return f"{name}[{mask(w, name)}]"
    outer = f"{name}[{span(w, rows)}]"
    return f"{outer}[{c.pick([*inner, f':{bound(w)}'])}]" if c.chance(15) else outer


def mask(w: Writer, name: str) -> str:
    """A mask of an array."""
    return f"{name} {w.choices.pick(['>', '<', '!='])} {bound(w)}"


def positions(w: Writer, name: str) -> str:
    """Where a mask of an array holds: the index of a vector, or of a matrix."""
    c = w.choices
    w.shared.features.add("positions")
    if w.scope.kinds.get(name) == "matrix":
        return f"xp.{c.pick(['where', 'nonzero'])}({mask(w, name)})"
    forms = ["xp.where({})[0]", "xp.nonzero({})[0]", "xp.flatnonzero({})", "({}).nonzero()[0]"]
    found = c.pick([*forms, "xp.argwhere({})[:, 0]"]).format(mask(w, name))
    return f"{found}{c.pick(['[1:]', '[::-1]', f'[:{bound(w)}]'])}" if c.chance(15) else found


def gathered(w: Writer, name: str) -> Expr:
    """A number that is made of positions, of what stands there, or of what a list picks from a part."""
    c = w.choices
    here = positions(w, name)
    forms = [
        f"len({here})",
        f"int(({here}).sum())",
        f"int(({here} + 1).sum())",
        f"int(({here} > {bound(w)}).sum())",
    ]
    if w.scope.kinds[name] == "matrix":
        rows = f"{name}[{name}[:, {c.pick(['0', '1', '-1'])}] > {bound(w)}]"
        picked = c.pick(
            [
                ":, [2, 0, 1]",
                ":, [1, 1]",
                ":, ::-2",
                "::-1, [0, -1]",
                ":, [True, False, True]",
                "..., None, 1",
            ]
        )
        forms = [f"{name}[{here}].sum()", f"{rows}[{picked}].sum()", f"({rows}[{picked}] * 2).sum(0).sum()"]
        forms += [
            f"sum({name}[i, j] % 3 for i, j in zip(*{here}))",
            f"{name}[:, {name}[0] > {bound(w)}][[1, 0, 1]].sum()",
        ]
        return Expr(c.pick(forms), 12 * MOST)
    forms += [
        f"{name}[{here}].sum()",
        f"sum({name}[i] % 3 for i in {here})",
        f"({name}[{here}] * {name}[{here}]).sum() % 7",
    ]
    found = positions(w, name)
    forms += [f"({name}[{found}[0]] if len({found}) > 0 else -1)"]
    return Expr(c.pick(forms if w.scope.kinds[name] == "ints" else forms[4:]), 5 * LONGEST * MOST)


def part_reduced(w: Writer, kind: str) -> Expr | None:
    """A number that is made of a part."""
    c = w.choices
    name = read(w, *(["ints"] if kind == "int" else ["floats", "matrix"]))
    if name is None or name not in w.scope.kinds:
        return None
    w.shared.features.add("part")
    if c.chance(30):
        return gathered(w, name)
    here, step = part(w, name), "3" if kind == "int" else "2.5"
    forms = [f"{here}.sum()", f"xp.sum({here})", f"xp.abs({here}).sum()", f"({here} % {step}).sum()"]
    forms += [
        f"xp.where({here} > 1, {here}, 1).sum()",
        f"(-{here}).sum()",
        f"xp.sum({here} - {here} % {step})",
    ]
    forms += [f"xp.minimum({here}, 2).sum()", f"({here} * 2 + 1).sum()"]
    if kind == "int":
        forms += [
            f"len({here})",
            f"int(({here} > {bound(w)}).sum())",
            f"int(({here} > 3).any())",
            f"int(({here} < 2).all())",
        ]
        forms += [f"sum(v % 3 for v in {here})", f"(({here} % 5) @ ({here} % 3))"]
    if w.scope.kinds[name] == "matrix" and c.chance(30):
        rows, columns = span(w, f"len({name})"), span(w, f"{name}.shape[1]")
        return Expr(f"{name}[{rows}, {columns}].sum()", 8 * MOST)
    if w.scope.kinds[name] != "matrix" and c.chance(25):
        nonempty = f"{name}[: ({bound(w)}) % len({name}) + 1]"
        return Expr(f"{nonempty}.{c.pick(['max', 'min'])}()", MOST)
    return Expr(c.pick(forms), 3 * LONGEST * MOST)


def write_part(w: Writer) -> None:
    """`xs[:k] = ...`, `m[i, :k] -= ...`, `xs[xs > k] = ...`: numbers, or the part itself, changed."""
    c = w.choices
    name = w.to_be_written("ints", "floats", "matrix")
    if name is None:
        w.emit(f"note({w.tag()}, {bound(w)})", "note")
        return
    if c.chance(12):
        return hold_part(w, name)
    step = "5" if w.scope.kinds[name] == "ints" else "2.5"
    here = part(w, name, inner=("1:",))
    if c.chance(25):
        here = f"{name}[{positions(w, name)}]"
    forms = [f"{here} = {c.pick(['1', '-2', '0'])}", f"{here} = {here} % {step}", f"{here} %= {step}"]
    forms += [f"{here} = -{here}", f"{here} = ({here} + 1) % {step}", f"{here} = xp.minimum({here}, 2)"]
    same = part(w, name, masked=False, inner=("1:",))
    forms += [f"{same} = {same}[::-1]", f"{same} = xp.where({same} > 1, {same} % {step}, {bound(w)} % 3)"]
    w.emit(c.pick(forms), "part written")


def hold_part(w: Writer, name: str) -> None:
    """`held = xs[:k]`, or `[xs[:k]]`, then `xs[0] = 5` or `held[:1] = 5`, and one is read: in NumPy they share their memory."""
    c = w.choices
    place, held = integers.index(w, f"len({name})"), w.fresh("list")
    written = w.fresh("int")
    taken = part(w, name, inner=("1:",))
    if c.chance(40):
        w.emit(f"{held} = [{taken}]", "part held")
        held += "[0]"
    else:
        w.emit(f"{held} = {taken}", "part held")
    other = held
    if c.chance(30):  # a mask copies, and slices of the copy share its memory
        other = w.fresh("list")
        w.emit(f"{other} = {held}{c.pick(['', '[1:]', '[::-1]', f'[:{bound(w)}]'])}")
    w.emit(
        c.pick(
            [
                f"{name}[{place}] = 5",
                f"{name}[{place}] += 1",
                f"{held}[:1] = 5",
                f"{part(w, name, inner=('1:',))} = 1",
                f"{held} = {held} + 1",
            ]
        )
    )
    w.emit(f"{written} = int({c.pick([held, other, name])}.sum()) % 17")
    w.scope.define(written, "int")
