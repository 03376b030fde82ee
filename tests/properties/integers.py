"""Which integer expression stands here?"""

from __future__ import annotations

from . import conditions, floats, reductions, states
from .texts import MOST, Expr, literal, read, small
from .writer import Writer


def int_expr(w: Writer, depth: int) -> Expr:
    """An integer."""
    c = w.choices
    if depth == 0 or c.chance(25):
        return _int_atom(w)
    form = c.weighted(
        {
            "atom": 12,
            "sum": 14,
            "times": 5,
            "modulo": 8,
            "sign": 3,
            "least": 4,
            "if": 6,
            "cast": 3,
            "logic": 3,
        }
        | {
            "place": 14,
            "call": w.mix.get("calls", 0),
            "note": 4,
            "reduce": w.mix.get("reductions", 0),
            "bits": 3,
            "range": 1,
            "truths": 2,
            "table": w.mix.get("state", 0) // 4,
        }
    )
    if form == "atom":
        return _int_atom(w)
    if form == "place":
        return _int_place(w) or _int_atom(w)
    if form == "call":
        return _call(w, depth) or _int_atom(w)
    if form == "reduce":
        return reductions.reduction(w, "int") or _int_atom(w)
    if form == "truths":
        return _truths(w, depth - 1)
    left = int_expr(w, depth - 1)
    if form == "note":
        w.shared.features.add("note")
        return Expr(f"note({w.tag()}, {left.text})", left.bound)
    if form == "range":
        w.shared.features.add("range as a value")
        lengths = [f"len(range({left.text}, 9, 2))", f"len(range({left.operand()} % 5))"]
        return Expr(
            c.pick([*lengths, f"range({left.operand()} % 5, 9)[{c.pick(['0', '1', '-1'])}]"]), left.bound + 9
        )
    if form == "table":
        w.shared.features.add("dict at a traced key")
        return Expr(f"{{0: 4, 1: -3, 2: 9}}[{left.operand()} % 3]", 9)
    if form == "times":
        factor = c.pick([2, 3, 5])
        return Expr(f"{left.operand()} * {factor}", left.bound * factor, compound=True)
    if form == "modulo":
        by = c.pick([2, 3, 5, 7])
        operator = c.pick(["%", "//"])
        return Expr(f"{left.operand()} {operator} {by}", by if operator == "%" else left.bound, compound=True)
    if form == "sign":
        return (
            Expr(f"-{left.operand()}", left.bound, True)
            if c.chance(50)
            else Expr(f"abs({left.text})", left.bound)
        )
    if form == "cast":
        inner = floats.float_expr(w, depth - 1) if c.chance(70) else conditions.bool_expr(w, depth - 1)
        how = c.pick(["int", "round"]) if inner.bound > 1 else "int"
        w.shared.features.add(how)
        return Expr(f"{how}({inner.text})", inner.bound)
    right = int_expr(w, depth - 1)
    bound = left.bound + right.bound
    if form == "least":
        return Expr(f"{c.pick(['min', 'max'])}({left.text}, {right.text})", bound)
    if form == "logic":
        w.shared.features.add("operand of and/or as a value")
        return Expr(f"{left.operand()} {c.pick(['and', 'or'])} {right.operand()}", bound, compound=True)
    if form == "if":
        return conditions.conditional(w, left, right, depth)
    if form == "bits":
        if c.chance(50):
            return Expr(f"{left.operand()} & 7", 7, compound=True)
        if c.chance(30):
            text = c.pick([f"{left.operand()} << 2", f"~{left.operand()}", f"{left.operand()} >> 1"])
            return Expr(text, 4 * left.bound + 4, compound=True)
        if c.chance(30):
            return Expr(f"{left.operand()} | {right.operand()}", 2 * bound + 1, compound=True)
        return Expr(f"{left.operand()} ^ {right.operand()}", 2 * bound + 1, compound=True)
    return Expr(f"{left.operand()} {c.pick(['+', '-'])} {right.operand()}", bound, compound=True)


def _truths(w: Writer, depth: int) -> Expr:
    """A sum of what Python knows to be bools, which it takes for integers."""
    c = w.choices
    forms = ["(not {})", "({} in (1, 3, 5))", "bool({})", "({} not in [0, 2])"]
    first, second = (c.pick(forms).format(int_expr(w, depth).operand()) for _ in range(2))
    w.shared.features.add("sum of truth values")
    return Expr(f"{first} {c.pick(['+', '-', '*'])} {second}", 2, compound=True)


def _int_atom(w: Writer) -> Expr:
    if w.scope.of_kind(*states.VALUES) and w.choices.chance(30) and (found := states.of_state(w)):
        return found
    name = read(w, "int", "counter") if w.choices.chance(75) else None
    return Expr(name) if name else literal(w.choices.below(8) - 2)


def _int_place(w: Writer) -> Expr | None:
    """An item or an attribute."""
    name = read(w, "ints", "dict", "box", "list", "pair")
    if name is None:
        return None
    kind = (w.scope.kinds | w.scope.maybe).get(name)
    if kind == "ints":
        return (
            Expr(f"{name}[{index(w, f'len({name})')}]") if w.choices.chance(85) else Expr(f"len({name})", 4)
        )
    if kind == "pair":
        return Expr(f"{name}[{w.choices.pick(['0', '-2'])}]")
    if kind == "dict":
        return Expr(f"{name}['a']") if w.choices.chance(80) else Expr(f"{name}.get('a', 3)")
    if kind == "list":
        if w.choices.chance(60):
            return Expr(f"{name}[{w.choices.pick(['0', '-1', '1'])}]")
        return Expr(f"{w.choices.pick(['len', 'sum', 'max'])}({name}) % 9", 8, compound=True)
    if w.choices.chance(30):
        return Expr(f"{name}.{w.choices.pick(['items[0]', 'items[-1]', 'seen'])}")
    return Expr(f"{name}.count") if w.choices.chance(75) else Expr(f"{name}.double", 2 * MOST)


def index(w: Writer, size: str) -> str:
    """An index that is always in range."""
    if w.choices.chance(40):
        return w.choices.pick(["0", "-1", "1"])
    return f"{int_expr(w, 1).operand()} % {size}"


def produced(w: Writer) -> str:
    """A call of a generator function."""
    c = w.choices
    count = c.pick(["3", "2", f"{int_expr(w, 0).operand()} % 4"])
    return f"{c.pick(w.shared.producers)}({count}, {small(int_expr(w, 1), '17')})"


def of_produced(w: Writer, call: str) -> str:
    """An integer of what a generator yields."""
    c = w.choices
    test = f"v {c.pick(['>', '<', '!='])} {int_expr(w, 0).operand()}"
    forms = [f"sum({call}) % 17", f"max({call}, default=5)", f"min({call}, default=-2)", f"next({call}, 7)"]
    forms += [f"sum(v % 5 for v in {call} if {test}) % 19", f"int(any({test} for v in {call}))"]
    forms += [f"int(all({test} for v in {call}))", f"next((v for v in {call} if {test}), -3)"]
    forms += [f"sum(i for i, v in enumerate({call}) if {test}) % 23"]
    lists = [f"len(list({call}))", f"len([v for v in {call} if {test}])"]
    form = c.pick([*forms, *lists])
    w.shared.features.update({"generator consumed"} | ({"list of a generator"} if form in lists else set()))
    return f"({form})"


def _call(w: Writer, depth: int) -> Expr | None:
    """A call of a helper, of a nested function or of a method."""
    c = w.choices
    argument = small(int_expr(w, depth - 1), "17")
    options = [f"{name}({argument})" for name in w.scope.of_kind("fun")]
    options += [
        f"{box}.{method}({argument})" for box in w.scope.of_kind("box") for method in w.shared.methods
    ]
    for name in w.shared.helpers:
        other = small(int_expr(w, 0), "17")
        options += [f"{name}({argument}, {other})", f"{name}({argument})", f"{name}(b={other}, a={argument})"]
        options += [f"{name}(*({argument}, {other}))", f"{name}({argument}, extra=2)"]
    options += [f"{name}({c.pick([1, 3])}, {argument})" for name in w.shared.recursive]
    if w.mix.get("frames"):
        count = int_expr(w, 0).operand()
        options += [f"{name}({count} % 4, {argument})" for name in w.shared.recursive]
    if w.shared.producers and w.generators < w.shared.nesting and c.chance(60):
        options = [of_produced(w, produced(w))]
    if not options:
        return None
    w.shared.features.add("call")
    return Expr(c.pick(options))
