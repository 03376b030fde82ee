"""Name mangling: what does Python call a private name such as `__x` inside a class `C`? `_C__x`.

A method is compiled outside its class, where Python no longer does this itself. So the names are written out:

    class C:                        def get(self):
        def get(self):                  return self._C__x
            return self.__x
"""

from __future__ import annotations

import itertools
from typing import cast

import gast


def is_private(name: str) -> bool:
    """Whether Python mangles `name` inside a class."""
    return name.startswith("__") and not name.endswith("__") and "." not in name


def mangled(name: str, class_name: str | None) -> str:
    """`name` as the body of the class spells it for the interpreter.

    >>> mangled("__x", "_Tree"), mangled("__x__", "Tree"), mangled("__x", None)
    ('_Tree__x', '__x__', '__x')
    """
    stripped = (class_name or "").lstrip("_")
    return f"_{stripped}{name}" if stripped and is_private(name) else name


def unmangled(name: str, class_name: str | None) -> str:
    """The private name that `mangled` turned into `name`, or `name` itself.

    >>> unmangled("_Tree__x", "Tree"), unmangled("_Tree_x", "Tree")
    ('__x', '_Tree_x')
    """
    stripped = (class_name or "").lstrip("_")
    private = name.removeprefix(f"_{stripped}")
    return private if stripped and private != name and is_private(private) else name


def class_in(qualname: str) -> str | None:
    """The innermost class around the function of a qualified name.

    >>> class_in("Tree.insert"), class_in("Tree.insert.<locals>.go"), class_in("f.<locals>.go")
    ('Tree', 'Tree', None)
    """
    parts = itertools.pairwise(qualname.split("."))
    classes = [part for part, after in parts if "<locals>" not in (part, after)]
    return classes[-1] if classes else None


def mangle(node: gast.AST, class_name: str | None) -> gast.AST:
    """`node`, changed in place, with the private names of the class written out.

    As in CPython, keywords of calls and attributes in class patterns stay as they are.
    """
    if class_name is None or not class_name.strip("_"):
        return node
    return cast(gast.AST, _Mangle(class_name).visit(node))


class _Mangle(gast.NodeTransformer):
    """Mangles the fields that hold a variable's or an attribute's name."""

    def __init__(self, class_name: str) -> None:
        self.class_name = class_name

    def generic_visit(self, node: gast.AST) -> gast.AST:
        for field in _NAME_FIELDS.get(type(node), ()):
            value = getattr(node, field, None)
            if isinstance(value, str):
                setattr(node, field, mangled(value, self.class_name))
            elif isinstance(value, list):
                setattr(node, field, [mangled(name, self.class_name) for name in value])
        return super().generic_visit(node)

    def visit_ClassDef(self, node: gast.ClassDef) -> gast.AST:
        """Only the body belongs to the inner class; its name, bases and decorators are the outer class's."""
        inner = _Mangle(node.name) if node.name.strip("_") else None
        body, node.body = node.body, []
        self.generic_visit(node)
        node.body = [cast(gast.stmt, inner.visit(statement)) for statement in body] if inner else body
        return node


_NAME_FIELDS: dict[type[gast.AST], tuple[str, ...]] = {
    gast.Name: ("id",),
    gast.Attribute: ("attr",),
    gast.FunctionDef: ("name",),
    gast.AsyncFunctionDef: ("name",),
    gast.ClassDef: ("name",),
    gast.Global: ("names",),
    gast.Nonlocal: ("names",),
    gast.alias: ("name", "asname"),
    gast.MatchAs: ("name",),
    gast.MatchStar: ("name",),
    gast.MatchMapping: ("rest",),
    gast.TypeVar: ("name",),
    gast.ParamSpec: ("name",),
    gast.TypeVarTuple: ("name",),
}
