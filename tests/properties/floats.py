"""Which float expression stands here? Its value is a multiple of one half, exact in 32 bits."""

from __future__ import annotations

from . import conditions, integers, reductions
from .texts import Expr, literal, read
from .writer import Writer


def float_expr(w: Writer, depth: int) -> Expr:
    """A float that is a multiple of one half."""
    c = w.choices
    if depth == 0 or c.chance(25):
        return _float_atom(w)
    form = c.weighted(
        {
            "atom": 12,
            "sum": 14,
            "from int": 6,
            "times": 4,
            "modulo": 6,
            "sign": 3,
            "least": 4,
            "if": 5,
            "place": 10,
        }
        | {"reduce": w.mix.get("reductions", 0), "note": 3}
    )
    if form == "atom":
        return _float_atom(w)
    if form == "place":
        return _float_place(w) or _float_atom(w)
    if form == "reduce":
        return reductions.reduction(w, "float") or _float_atom(w)
    if form == "from int":
        inner = integers.int_expr(w, depth - 1)
        text = c.pick([f"{inner.operand()} * 0.5", f"{inner.operand()} / 2", f"float({inner.text})"])
        return Expr(text, inner.bound, compound=True)
    left = float_expr(w, depth - 1)
    if form == "note":
        w.shared.features.add("note")
        return Expr(f"note({w.tag()}, {left.text})", left.bound)
    if form == "times":
        return Expr(f"{left.operand()} * {c.pick([2, 3])}", left.bound * 3, compound=True)
    if form == "modulo":
        return Expr(f"{left.operand()} {c.pick(['% 3.5', '% 2.0', '// 2.0'])}", left.bound, compound=True)
    if form == "sign":
        return (
            Expr(f"-{left.operand()}", left.bound, True)
            if c.chance(50)
            else Expr(f"abs({left.text})", left.bound)
        )
    right = float_expr(w, depth - 1)
    bound = left.bound + right.bound
    if form == "least":
        return Expr(f"{c.pick(['min', 'max'])}({left.text}, {right.text})", bound)
    if form == "if":
        return conditions.conditional(w, left, right, depth)
    return Expr(f"{left.operand()} {c.pick(['+', '-'])} {right.operand()}", bound, compound=True)


def _float_atom(w: Writer) -> Expr:
    name = read(w, "float") if w.choices.chance(75) else None
    return Expr(name) if name else literal((w.choices.below(8) - 2) / 2)


def _float_place(w: Writer) -> Expr | None:
    """An item or an attribute."""
    name = read(w, "floats", "dict", "box", "matrix", "pair")
    if name is None:
        return None
    kind = (w.scope.kinds | w.scope.maybe).get(name)
    if kind == "floats":
        return Expr(f"{name}[{integers.index(w, f'len({name})')}]")
    if kind == "pair":
        return Expr(f"{name}[{w.choices.pick(['1', '-1'])}]")
    if kind == "matrix":
        row, column = integers.index(w, f"len({name})"), integers.index(w, f"{name}.shape[1]")
        return Expr(f"{name}[{row}, {column}]" if w.choices.chance(70) else f"{name}[{row}][{column}]")
    return Expr(f"{name}['b']" if kind == "dict" else f"{name}.total")
