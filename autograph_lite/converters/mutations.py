"""Before an attribute or an item of a Python object is changed, the object is noted, so that staging can carry it.

    self.count = v                        ag.record(self).count = v
    self.count += v                       ag.record(self).count += v
    self.__class__ = Open                 ag.recast(self, '__class__').__class__ = Open
    del table.key, rows[1:]               del ag.record(table).key, ag.record(rows)[1:]
    del table[k]                          ag.delete_item(table, k)
    ag.store(v, TABLE, (i,))              ag.store_shared(v, TABLE, (i,))
    ys.write(i, v)                        ag.dropped(ys.write(i, v), 'write')

`ag.record` returns the object; `ag.store_shared` refuses an array, as no name takes the new one, and `ag.dropped` a
TensorArray, or an array that has been sorted. Python's order of evaluation stays as it is: the value first, then the object.
"""

from __future__ import annotations

import gast

from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

# Methods of a TensorArray that give another one, and of an array that NumPy changes in place.
WRITES = ("write", "scatter", "unstack", "sort")


def run(function: gast.AST, context: Context) -> None:
    """Rewrites attribute stores everywhere in `function`, nested functions included."""
    _Record(context).generic_visit(function)


def rewrite_lost_stores(function: gast.AST, context: Context) -> None:
    """Rewrites the stores alone that make an array which no name takes: also where nothing is traced."""
    _Lost(context).generic_visit(function)


# Attributes that make an object what it is, and are none of its contents.
RECAST = frozenset({"__class__", "__bases__", "__code__", "__defaults__", "__kwdefaults__", "cell_contents"})


class _Lost(trees.Transformer):
    def __init__(self, context: Context) -> None:
        self.ag = context.ag

    def visit_Expr(self, node: gast.Expr) -> gast.AST:
        self.generic_visit(node)
        match node.value:
            case gast.Call(
                func=gast.Attribute(
                    value=gast.Name(id=self.ag), attr="store" | "update_item" as name
                ) as callee,
                args=args,
            ) if isinstance(args[2 if name == "store" else 1], gast.Tuple):
                callee.attr = "store_shared" if name == "store" else "update_shared"
            case gast.Call(func=gast.Attribute(attr=name)) as call if name in WRITES:
                text = quote.constant(name)
                node.value = quote.expr_at(call, "ag.dropped(call, name)", ag=self.ag, call=call, name=text)
        return node


class _Record(_Lost):
    def visit_Delete(self, node: gast.Delete) -> gast.AST:
        match node.targets:
            case [gast.Subscript(value=base, slice=index)] if not _is_sliced(index):
                base, index = self.visit(base), self.visit(index)
                call = quote.expr("ag.delete_item(base, index)", ag=self.ag, base=base, index=index)
                return quote.all_located([gast.Expr(call)], node)[0]
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: gast.Attribute) -> gast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, (gast.Store, gast.Del)):
            text = "ag.recast(value, name)" if node.attr in RECAST else "ag.record(value)"
            name = quote.constant(node.attr)
            node.value = quote.expr_at(node.value, text, ag=self.ag, value=node.value, name=name)
        return node

    def visit_Subscript(self, node: gast.Subscript) -> gast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, (gast.Store, gast.Del)):
            node.value = quote.expr_at(node.value, "ag.record(value)", ag=self.ag, value=node.value)
        return node


def _is_sliced(index: gast.expr) -> bool:
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    return any(isinstance(part, (gast.Slice, gast.Starred)) for part in parts)
