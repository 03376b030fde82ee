"""What does an `if`, a `while` or an operand of `and` ask?"""

from __future__ import annotations

from . import floats, integers
from .texts import Expr, order, read
from .writer import Writer


def bool_expr(w: Writer, depth: int) -> Expr:
    """A bool."""
    c = w.choices
    forms = {
        "compare": 20,
        "variable": 8,
        "float": 8,
        "chain": 5,
        "in": 5,
        "not": 5,
        "equal": 2,
        "ranges": 1,
        "tuples": 2,
    }
    if depth > 0:
        forms |= {"is": 2, "and": 9, "or": 9, "any": w.mix.get("reductions", 0), "cast": 2, "if": 2}
    form = c.weighted(forms)
    less = max(depth - 1, 0)
    if form == "variable":
        name = read(w, "bool")
        return Expr(name, 1) if name else Expr(c.pick(["True", "False"]), 1)
    if form == "float":
        return Expr(
            f"{floats.float_expr(w, less).operand()} {order(w)} {floats.float_expr(w, 0).operand()}", 1, True
        )
    if form == "chain":
        middle = integers.int_expr(w, less).operand()
        first, last = integers.int_expr(w, 0).operand(), integers.int_expr(w, less).operand()
        text = f"{first} {order(w)} {middle} {order(w)} {last}"
        w.shared.features.add("chained comparison")
        return Expr(text, 1, compound=True)
    if form == "in":
        w.shared.features.add("in")
        values = c.pick(["(1, 3, 5)", "[0, 2]", "(-1, 4)", "range"])
        if values == "range":
            values = f"range({integers.int_expr(w, 0).text}, {c.pick(['6', '9, 2', '-4, -3'])})"
        text = f"{integers.int_expr(w, less).operand()} {c.pick(['in', 'not in'])} {values}"
        return Expr(text, 1, compound=True)
    if form == "not":
        return Expr(f"not {bool_expr(w, less).operand()}", 1, compound=True)
    if form == "is":
        w.shared.features.add("is True")
        text = f"bool({bool_expr(w, less).text}) {c.pick(['is', 'is not'])} {c.pick(['True', 'False'])}"
        return Expr(text, 1, compound=True)
    if form == "tuples":
        w.shared.features.add("tuples compared")
        first, last = (
            f"({integers.int_expr(w, 0).text}, {floats.float_expr(w, less).text})" for _ in range(2)
        )
        last = read(w, "pair") or last
        return Expr(f"{first} {c.pick(['<', '>=', '==', '!=', '<=', '>'])} {last}", 1, compound=True)
    if form == "ranges":
        w.shared.features.add("ranges compared")
        first, last = (f"range({integers.int_expr(w, 0).operand()} % {k})" for k in (3, 4))
        return Expr(f"{first} {c.pick(['==', '!='])} {last}", 1, compound=True)
    if form == "cast":
        return Expr(f"bool({integers.int_expr(w, less).text})", 1)
    if form == "any":
        array = read(w, "ints") or read(w, "floats")
        if array:
            w.shared.features.add("any/all")
            quantifier, least = c.pick(["any", "all"]), integers.int_expr(w, 0).operand()
            return Expr(f"{quantifier}({c.pick(['v', '-v', 'v * 2'])} > {least} for v in {array})", 1)
    if form in ("and", "or", "equal", "if"):
        left, right = bool_expr(w, less), bool_expr(w, less)
        if form == "if":
            return conditional(w, left, right, less)
        operator = c.pick(["==", "!="]) if form == "equal" else form
        w.shared.features.add(operator)
        return Expr(f"{left.operand()} {operator} {right.operand()}", 1, compound=True)
    return Expr(
        f"{integers.int_expr(w, less).operand()} {order(w)} {integers.int_expr(w, less).operand()}",
        1,
        compound=True,
    )


def conditional(w: Writer, left: Expr, right: Expr, depth: int) -> Expr:
    w.shared.features.add("conditional expression")
    asked = question(w, depth - 1)
    asked = f"({asked})" if " if " in asked else asked
    text = f"{left.operand()} if {asked} else {right.operand()}"
    return Expr(text, max(left.bound, right.bound), compound=True)


def question(w: Writer, depth: int = 1) -> str:
    """What an `if` or a `while` asks: a comparison most of the time, or any number's truth."""
    if w.likes("truthiness"):
        w.shared.features.add("truth of a number")
        return w.choices.pick(
            [integers.int_expr(w, depth).text, f"not {integers.int_expr(w, depth).operand()}"]
        )
    return bool_expr(w, depth).text
