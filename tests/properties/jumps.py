"""Which statement leaves this point: `return`, `break`, `continue`, `raise`, `assert`?"""

from __future__ import annotations

from .conditions import question
from .expressions import array_expr, of_kind
from .writer import INTEGER, Writer

ERRORS = ("ValueError", "KeyError", "ArithmeticError", "RuntimeError")


def leave_loop(w: Writer) -> bool:
    """`break` or `continue`; True, as nothing may follow."""
    word = w.choices.pick(["break", "continue"])
    w.emit(word, word)
    return True


def return_(w: Writer) -> bool:
    """A `return` of the function's shape; True, as nothing may follow."""
    read_written(w)
    if w.shape is not INTEGER and w.likes("no value"):
        w.emit(w.choices.pick(["return None", "return"]), "return without a value")
        return True
    w.emit(f"return {w.shape.show([returned(w, kind) for kind in w.shape.kinds])}".rstrip())
    if w.level > 1:
        w.shared.features.add("early return")
        w.shared.features.update({"return in a loop"} if w.loops else ())
    return True


def read_written(w: Writer) -> None:
    """Reads the arrays whose items were written; now and then not, and what was written is lost."""
    names = sorted(w.written & w.scope.kinds.keys()) if w.choices.chance(95) else []
    if names:
        w.emit(f"note({w.tag()}, ({', '.join(names)}))", "note")
    if w.written.difference(names):
        w.shared.features.add("written array not read")


def returned(w: Writer, kind: str) -> str:
    """A value to return: what the program computed, rather than a new expression."""
    c = w.choices
    names = w.scope.assignable(kind)
    if kind == "int":
        names += [f"{name}.count" for name in w.scope.of_kind("box")]
        names += [f"{name}['a']" for name in w.scope.of_kind("dict")]
        names += [f"{name}[0]" for name in w.scope.of_kind("list", "ints")]
        names += w.scope.of_kind("counter")
    if kind == "float":
        names += [f"{name}.total" for name in w.scope.of_kind("box")]
        names += [f"{name}['b']" for name in w.scope.of_kind("dict")]
    if names and c.chance(75):
        return c.pick(names[::-1])
    text = array_expr(w, kind).text if kind in ("ints", "floats") else of_kind(w, kind)
    return f"({text})" if " if " in text or ":=" in text else text


def raise_(w: Writer) -> bool:
    """`raise ValueError("...")`; True, as nothing may follow."""
    unread(w)
    c, known = w.choices, w.scope.of_kind("int")
    message = f'"problem {w.tag()}"'
    if known and c.chance(25):
        name = c.pick(known)
        message = f'f"problem {w.tag()} {{{name} + 1}}"' if c.chance(70) else f"{message}, {name} * 2"
    w.emit(f"raise {c.pick(ERRORS)}({message})", "raise")
    return True


def raise_again(w: Writer) -> bool:
    """`raise` in an `except`; True, as nothing may follow."""
    unread(w)
    w.emit("raise", "raise")
    return True


def unread(w: Writer) -> None:
    """Records that what was written may be read by nothing: the function may be left by an exception."""
    w.shared.features.update({"written array not read"} if w.written else ())


def assert_(w: Writer) -> bool:
    """`assert ..., "..."`; False: what follows runs where the assertion holds."""
    c, known = w.choices, w.scope.assignable("int")
    message = f', "assertion {w.tag()}"' if c.chance(80) else ""
    if known and c.chance(15):  # what a message does is done where the assertion fails
        name = c.pick(known)
        message = f', f"assertion {w.tag()} {{({name} := {name} + 1)}}"'
        w.shared.features.add("walrus")
    w.emit(f"assert {question(w)}{message}", "assert")
    return False
