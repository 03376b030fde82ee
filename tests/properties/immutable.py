"""What is a program that writes to arrays, for arrays that can't be written to?

xs[k] = v        # becomes `xs = put(xs, k, v)`
xs[k] += v       # likewise, with `xs[k] + v`
"""

from __future__ import annotations

import ast
from typing import Any

import jax


def for_immutable_arrays(source: str) -> str:
    """The program; a write through more than a name is left as it is."""
    tree = _Puts().visit(ast.parse(source))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def put(holder: Any, key: Any, value: Any) -> Any:
    """A JAX array with the value at its place; any other holder itself, written to."""
    if isinstance(holder, jax.Array):
        return holder.at[key].set(value)
    holder[key] = value
    return holder


class _Puts(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        target = node.targets[-1]
        if len(node.targets) > 1 or not _is_item_of_a_name(target):
            return node
        # Python evaluates the value first.
        return [_statement("value = 0", node.value), _put(target, ast.Name("value"))]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if not _is_item_of_a_name(node.target):
            return node
        old = ast.Subscript(node.target.value, node.target.slice, ast.Load())  # type: ignore[union-attr]
        return _put(node.target, ast.BinOp(old, node.op, node.value))


def _is_item_of_a_name(target: ast.expr) -> bool:
    return isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)


def _put(target: Any, value: ast.expr) -> ast.stmt:
    name = target.value.id
    key = ast.unparse(ast.Subscript(ast.Name("key_of"), target.slice, ast.Load()))
    return _statement(f"{name} = put({name}, {key}, 0)", value)


def _statement(text: str, value: ast.expr) -> ast.stmt:
    """The statement, with the value in place of its `0`."""
    statement = ast.parse(text).body[0]
    assert isinstance(statement, ast.Assign)
    if isinstance(statement.value, ast.Call):
        statement.value.args[-1] = value
    else:
        statement.value = value
    return statement


class Keys:
    """`key_of[1:3]` is the key."""

    def __getitem__(self, key: Any) -> Any:
        return key
