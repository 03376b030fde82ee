"""Which `sum`, `min`, `max` or `len` stands here?"""

from __future__ import annotations

from . import floats, integers, parts
from .texts import MOST, Expr, literal, read, small
from .writer import Writer


def reduction(w: Writer, kind: str) -> Expr | None:
    """`sum`, `min`, `max` or `len` over a comprehension, a generator, an array or a range."""
    c = w.choices
    if w.likes("parts read"):
        return parts.part_reduced(w, kind)
    array = read(w, "ints" if kind == "int" else "floats")
    modulus = "5" if kind == "int" else "2.5"
    w.shared.features.add("reduction")
    if kind == "int" and (array is None or c.chance(25)):
        bound = f"{integers.int_expr(w, 1).operand()} % 5" if c.chance(60) else "3"
        return Expr(f"sum({c.pick(['i', 'i * 2', '(i + 1) % 3'])} for i in range({bound}))", 40)
    if array is None:
        return None
    other = integers.int_expr(w, 0) if kind == "int" else floats.float_expr(w, 0)
    element = c.pick([f"v % {modulus}", f"(v + {other.operand()}) % {modulus}"])
    forms = [f"sum({array})", f"max({array})", f"min({array})", f"{array}.sum()"]
    forms += [f"sum({element} for v in {array})", f"sum([{element} for v in {array}])"]
    forms += [f"max({element} for v in {array})", f"sum(v for i, v in enumerate({array}) if i < 2)"]
    filtered = f"for i, v in enumerate([{small(other, '3')}, 2, {other.operand()} % 3]) if v > i"
    none = "0" if kind == "int" else "0.0"  # of the kind, where no item is left
    forms += [f"sum((v {filtered}), {none})", f"max((v {filtered}), default={none})"]
    if kind == "int":
        forms += [
            f"next((i for i, v in enumerate({array}) if v > {other.operand()}), 7)",
            f"next((i {filtered}), 7)",
        ]
        forms += [f"sum({element} for v in {array} if v > {other.operand()})", f"len([v for v in {array}])"]
        forms += [
            f"sum(1 for v in {array} if v > {other.operand()})",
            f"sum(v > {other.operand()} for v in {array})",
        ]
        for name in w.scope.of_kind("fun"):
            forms += [f"sum(map({name}, {array}))", f"{name}(max({array}, key={name}))"]
            forms += [f"sum({name}(v) for v in {array})", f"int(any({name}(v) > 9 for v in {array}))"]
        forms += [f"functools.reduce(lambda u, v: (u + v) % 7, {array}, {small(other, '5')})"]
    forms += [chosen(w, kind) for _ in range(3)]
    forms += [f"sorted({array})[0]", f"sum(filter(lambda v: v > {other.operand()}, {array}))"]
    return Expr(c.pick(forms), 4 * MOST)


def chosen(w: Writer, kind: str) -> str:
    """One of a few numbers, by keys that may be equal, nan, or zeros of both signs."""
    c = w.choices
    exprs = [(integers.int_expr if kind == "int" else floats.float_expr)(w, c.below(2)) for _ in range(3)]
    limit = c.pick(["0", "1", exprs[0].operand()])
    test = f"v {c.pick(['<', '>', '=='])} {limit}"
    key = c.pick(
        ["abs(v)", "-v", f"float('nan') if {test} else v", f"({test}, -v)", f"-v if {test} else float('nan')"]
    )
    w.shared.features.add("chosen by keys")
    items = ", ".join(expr.text for expr in exprs)
    if kind == "float" and c.chance(20):
        zeros = f"{exprs[0].operand()} * 0.0, {exprs[1].operand()} * -0.0"
        return f"xp.copysign(1.0, {c.pick(['max', 'min'])}({zeros}))"
    if c.chance(50):
        return f"{c.pick(['max', 'min'])}({items}, key=lambda v: {key})"
    backwards = c.pick(["", ", reverse=True"])
    # Of more than three items, nan is an error.
    more = "" if "nan" in key else f", {literal(c.below(4)).text}"
    return f"sorted([{items}{more}], key=lambda v: {key}{backwards})[{c.below(3)}]"
