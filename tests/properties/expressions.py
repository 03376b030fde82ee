"""Which expression of a given kind may a statement use?"""

from __future__ import annotations

from .conditions import bool_expr, question
from .floats import float_expr
from .integers import int_expr
from .texts import Expr, order, small
from .writer import Writer


def of_kind(w: Writer, kind: str, depth: int = 2) -> str:
    """An expression of this kind that a variable may hold."""
    if kind == "int":
        return small(int_expr(w, depth), "17")
    if kind == "float":
        return small(float_expr(w, depth), "8.5")
    return bool_expr(w, depth).text if kind == "bool" else array_expr(w, kind).text


def tiny(w: Writer, kind: str) -> str:
    """An expression that may be added to a variable again and again."""
    expr = int_expr(w, 1) if kind == "int" else float_expr(w, 1)
    return expr.text if expr.bound <= 10 else f"{expr.operand()} % {5 if kind == 'int' else 2.5}"


def target(w: Writer, kind: str) -> str:
    """The name to assign: one that exists, one that some path assigned, or a new one."""
    known = w.scope.assignable(kind)
    known += [name for name, found in w.scope.maybe.items() if found == kind and name not in w.scope.fixed]
    if known and not w.choices.chance(25):
        return w.choices.pick(known)
    return w.fresh(kind)


def walrus(w: Writer) -> str:
    """A test that assigns: `(t := a + 1) > 3`, or may assign: `(b or (t := a + 1) > 3)`."""
    value = small(int_expr(w, 1), "17")
    known = w.scope.assignable("int")
    if known and w.choices.chance(30):
        w.shared.features.add("walrus in an operand")
        test = f"({w.choices.pick(known)} := {value}) {order(w)} {int_expr(w, 0).operand()}"
        form = w.choices.pick(
            ["({} and {})", "({} or not {})", "(not ({} and {}))", "({1} if {0} else False)"]
        )
        return form.format(f"({question(w, 0)})", test)
    name = target(w, "int")
    w.scope.define(name, "int")
    w.shared.features.add("walrus")
    return f"({name} := {value}) {order(w)} {int_expr(w, 0).operand()}"


def array_expr(w: Writer, kind: str) -> Expr:
    """A new array, never a view of another one."""
    c = w.choices
    names = w.scope.of_kind(kind)
    # A matrix's row that a loop gives may have another length than the array that would take it.
    name = c.pick([known for known in names if known not in w.scope.fixed] or names)
    if kind == "matrix":
        return Expr(f"({name} + {float_expr(w, 0).operand()}) % 8.5", compound=True)
    scalar = int_expr(w, 1) if kind == "int" or kind == "ints" else float_expr(w, 1)
    modulus = "17" if kind == "ints" else "8.5"
    forms = [f"{name} + 0", f"({name} + {scalar.operand()}) % {modulus}", f"({name}[::-1] + 1) % {modulus}"]
    forms += [f"xp.where({name} > {scalar.operand()}, {name}, {small(scalar, modulus)})"]
    forms += [f"({name} * {scalar.operand()}) % {modulus}"] if kind == "ints" else []
    return Expr(c.pick(forms), compound=True)
