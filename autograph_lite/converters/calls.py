"""Calls go through `ag.call`, which converts the callee, or what is handed to it, when that is the user's code.

    y = helper(x, *rest, k=1)             y = ag.call(helper, spread=True)(x, *rest, k=1)
    y = jnp.sin(x)                        as it is: leads to a library function that takes no callback
    y = np.sin(x)                         y = ag.call(np.sin)(x)
    y = jnp.dot([1, 2], x)                y = ag.call(jnp.dot)([1, 2], x)
    y = isinstance(n, int)                y = ag.call(isinstance)(n, int)
    names = locals()                      names = ag.without(locals(), 'ag')

The callee is wrapped and the argument list stays as written; a list in it may stand for an array. What a `for` runs over, as
in `for x in items(n):`, is called through `ag.iterated`, which knows generators. `super()` names its class and
instance, because the body of a branch is a function of its own.
"""

from __future__ import annotations

import builtins

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.exits import until_of
from autograph_lite.analysis.selections import finds_positions, may_select
from autograph_lite.converters import opaque
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

# Builtins that have no array meaning of their own and call no user code that could need conversion.
BARE = frozenset({
    "ArithmeticError", "AssertionError", "Exception", "IndexError", "KeyError", "RuntimeError", "TypeError",
    "ValueError", "globals", "object", "slice", "locals", "vars", "dir", "eval", "exec", "input",
    "super", "memoryview", "__import__", "breakpoint", "compile",
})  # fmt: skip

TAKING = frozenset({"sum", "any", "all", "min", "max", "list", "tuple", "next"})


def run(function: gast.AST, context: Context) -> None:
    """Rewrites calls everywhere in `function`, nested functions included."""
    calls = Calls(context, trees.names_bound(function), first_parameter(function))
    calls.sequences = named_sequences(function) | context.lists
    calls.generic_visit(function)


# Of NumPy's, which take lists for what they are: arrays to be joined, what an array is made of, shapes.
OF_LISTS = frozenset({
    "array", "asarray", "stack", "concatenate", "concat", "vstack", "hstack", "dstack", "column_stack", "block", "zeros",
    "ones", "empty", "full", "broadcast_shapes",
})  # fmt: skip

# Which give a new array in NumPy, and in JAX the array that they are given where there is nothing to do.
HANDING_BACK = frozenset({
    "append", "around", "block", "ceil", "clip", "column_stack", "concat", "concatenate", "conj", "conjugate", "delete",
    "dstack", "fix", "floor", "hstack", "insert", "meshgrid", "nan_to_num", "pad", "positive", "repeat", "resize", "rint", "roll",
    "round", "stack", "tile", "trunc", "vstack",
})  # fmt: skip


# Which give a view in NumPy, and which JAX compiles, so that nobody sees what it does where it computes at once.
COMPILED_VIEWS = frozenset({
    "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "diag", "diagonal", "dsplit", "expand_dims",
    "flip", "fliplr", "flipud", "hsplit", "imag", "matrix_transpose", "moveaxis", "permute_dims", "ravel", "real", "reshape",
    "rollaxis", "rot90", "split", "squeeze", "swapaxes", "transpose", "vsplit",
})  # fmt: skip


def named_sequences(function: gast.AST) -> set[str]:
    """Names that `function` assigns lists, tuples or ranges, as far as its text tells."""
    found: set[str] = set()
    for node in trees.walk(function):
        if isinstance(node, gast.Assign) and _is_sequence(node.value, found):
            found |= {target.id for target in node.targets if isinstance(target, gast.Name)}
    return found


def _is_sequence(node: gast.AST, names: set[str]) -> bool:
    match node:
        case gast.List() | gast.Tuple() | gast.ListComp():
            return True
        case gast.Call(func=gast.Name(id="range" | "list" | "tuple" | "sorted")):
            return True
        case gast.Call(func=gast.Attribute(attr="list_of")):
            return True
        case gast.Call(func=gast.Call(args=[gast.Name(id="range" | "list" | "tuple" | "sorted")])):
            return True
    return trees.dotted(node) in names if isinstance(node, (gast.Name, gast.Attribute)) else False


def first_parameter(function: gast.AST) -> str | None:
    """The name of the parameter that `super()` would take."""
    args = getattr(function, "args", None)
    names = scopes.parameter_names(args) if args is not None else []
    return names[0] if names else None


def _spreads(node: gast.Call) -> bool:
    """Whether a call is handed the items of something that is no display: `f(*items)`."""
    return any(
        isinstance(arg, gast.Starred) and not isinstance(arg.value, (gast.List, gast.Tuple))
        for arg in node.args
    )


# Methods that change a list, a dict, a set or a deque.
CHANGING = frozenset({
    "append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft", "remove", "clear", "sort", "reverse", "rotate",
    "update", "setdefault", "popitem", "add", "discard",
})  # fmt: skip


class Calls(trees.CodeTransformer):
    """Wraps callees with the operator called `operator`; builtins named in `bare` stay as they are."""

    def __init__(
        self,
        context: Context,
        shadowed: set[str],
        first: str | None,
        operator: str = "call",
        bare: frozenset[str] = BARE,
    ) -> None:
        self.context, self.shadowed, self.first, self.operator = context, shadowed, first, operator
        self.text, self.bare = f"ag.{operator}(callee)", bare
        self.sequences: set[str] = set()
        self.headers = context.headers
        self.given: set[gast.AST] = set()  # the calls that an operator or a builtin runs over

    def visit_For(self, node: gast.For) -> gast.AST:
        _, iterable = until_of(node)
        self.give_counted(iterable)
        if _may_generate(iterable):
            self.headers.add(iterable)
        self.generic_visit(node)
        return node

    def give_counted(self, node: gast.expr) -> None:
        """Notes the call in `enumerate(call(), start)`, where this is what a loop or a comprehension runs over."""
        match node:
            case gast.Call(func=gast.Name(id="enumerate"), args=[gast.Call() as counted, *_]):
                if self.is_builtin("enumerate") and _may_generate(counted):
                    self.given.add(counted)

    def takes_items(self, node: gast.Call) -> bool:
        """Whether a call is one of an operator or a builtin that goes through its first argument at once."""
        if isinstance(node.func, gast.Name):
            return node.func.id in TAKING and self.is_builtin(node.func.id)
        return _is_operator(node, self.context.ag, "list_of", "generator")

    def is_builtin(self, name: str) -> bool:
        """Whether the name of a builtin means that."""
        return name not in self.shadowed and self.context.is_library(name)

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.AST:
        # Decorators and annotations run where they stand, before anything is traced.
        outer, self.first = self.first, first_parameter(node)
        node.args = self.visit(node.args)
        self.visit_list(node.body)
        self.first = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: gast.ClassDef) -> gast.AST:
        self.visit_list(node.body)
        return node

    def visit_Attribute(self, node: gast.Attribute) -> gast.AST:
        self.generic_visit(node)
        if node.attr != "__class__" or not isinstance(node.ctx, gast.Load) or self.operator != "call":
            return node
        text = "ag.call(getattr)(value, '__class__')"
        return quote.located(quote.expr(text, ag=self.context.ag, value=node.value), node)

    def visit_Call(self, node: gast.Call) -> gast.AST:
        if self.takes_items(node) and node.args and _may_generate(node.args[0]):
            self.given.add(node.args[0])
        if _is_operator(node, self.context.ag, "list_of", "generator"):
            self.give_counted(node.args[0])
        node.args = [self.visit(a) for a in node.args]
        node.keywords = [self.visit(k) for k in node.keywords]
        node.func = self.visit(node.func)
        match node.func:
            case gast.Attribute(value=gast.Name(id=self.context.ag)):
                return node
            case gast.Call(func=gast.Attribute(value=gast.Name(id=self.context.ag), attr="error")):
                return node  # calls the exception's class as `ag.call` would
            case gast.Name(id="super") if not node.args and not node.keywords and self.first is not None:
                node.args = [
                    quote.located(quote.name("__class__"), node),
                    quote.located(quote.name(self.first), node),
                ]
                return node
            case gast.Name(id=name) if (
                name in self.bare and name not in self.shadowed and hasattr(builtins, name)
                and not (name == "vars" and node.args)
            ):  # fmt: skip
                if self.context.is_library(name):
                    return self._without_ours(node) if name in opaque.NAMES and not node.args else node
            case gast.Attribute() if (
                self.is_bare(node)
                and not self.may_select(node)
                and not self.may_hand_sequences(node)
                and not _spreads(node)
            ):
                return node
        text = "ag.call(callee, spread=True)" if self.operator == "call" and _spreads(node) else self.text
        if self.operator == "call" and (node in self.headers or node in self.given):
            text = "ag.iterated(callee)" if node in self.headers else "ag.iterated(callee, given=True)"
        callee = self.method_of_item(node.func) if self.operator == "call" else node.func
        node.func = quote.expr_at(node.func, text, ag=self.context.ag, callee=callee)
        return node

    def method_of_item(self, callee: gast.expr) -> gast.expr:
        """What is called by `rows[k].append`: where `k` is traced, of the list that is meant."""
        match callee:
            case gast.Attribute(
                value=gast.Call(
                    func=gast.Attribute(value=gast.Name(id=self.context.ag), attr="item"), args=[base, index]
                ),
                attr=name,
            ) if name in CHANGING and not isinstance(index, gast.Constant):
                text = "ag.method_of_item(base, index, name)"
                return quote.expr_at(
                    callee, text, ag=self.context.ag, base=base, index=index, name=quote.constant(name)
                )
        return callee

    def visit_UnaryOp(self, node: gast.UnaryOp) -> gast.AST:
        """`+x` is a new array in NumPy, and in JAX it is `x`."""
        node = self.generic_visit(node)
        if (
            self.operator != "call"
            or not isinstance(node.op, gast.UAdd)
            or isinstance(node.operand, gast.Constant)
        ):
            return node
        return quote.located(quote.expr("ag.positive(value)", ag=self.context.ag, value=node.operand), node)

    def _without_ours(self, node: gast.Call) -> gast.AST:
        called = quote.expr(
            "ag.without(names, ours)", ag=self.context.ag, names=node, ours=quote.constant(self.context.ag)
        )
        return quote.located(called, node)

    def may_select(self, node: gast.Call) -> bool:
        """Whether an argument, or the result, may be a part of an array whose length only the program knows."""
        known, given = self.context.selected, [*node.args, *node.keywords]
        return finds_positions(node, self.context.ag) or any(
            may_select(value, known.names, known.masks, self.context.ag) for value in given
        )

    def may_hand_sequences(self, node: gast.Call) -> bool:
        """Whether an argument may be a list that stands for an array: a function of JAX's refuses it."""
        given = [
            *node.args,
            *(keyword.value for keyword in node.keywords if keyword.arg not in ("axis", "axes", "shape")),
        ]
        if isinstance(node.func, gast.Attribute) and node.func.attr in OF_LISTS:
            given = [
                item for value in given if isinstance(value, (gast.List, gast.Tuple)) for item in value.elts
            ]
        return any(_is_sequence(value, self.sequences) for value in given)

    def is_bare(self, node: gast.Call) -> bool:
        """Whether a call leads to a library, and to a function that writes to no argument and gives none back as a new array."""
        into = any(keyword.arg in ("out", "copy", "overwrite_input") for keyword in node.keywords)
        # Which would see how we hold one of several.
        if (trees.dotted(node.func) or "").startswith("jax.tree"):
            return False
        takes_traced = self.operator == "call" and not (_are_literals(node) and not _makes_array(node))
        if takes_traced and isinstance(node.func, gast.Attribute) and node.func.attr in HANDING_BACK:
            return False
        if (
            self.operator != "call"
            and isinstance(node.func, gast.Attribute)
            and node.func.attr in COMPILED_VIEWS
        ):
            return False
        return not into and self.context.is_library(trees.dotted(node.func), len(node.args), takes_traced)


# Of NumPy's: arrays that the function may write to.
MAKERS = frozenset({
    "arange", "array", "asarray", "empty", "eye", "full", "identity", "linspace", "ones", "tri", "zeros",
})  # fmt: skip


def _is_operator(node: gast.Call, ag: str, *names: str) -> bool:
    """Whether a call is one of these operators."""
    match node.func:
        case gast.Attribute(value=gast.Name(id=root), attr=name):
            return root == ag and name in names
    return False


def _may_generate(node: gast.expr) -> bool:
    """Whether an expression may call a generator function: no builtin is one."""
    builtin = (
        isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and hasattr(builtins, node.func.id)
    )
    return isinstance(node, gast.Call) and not builtin


def _makes_array(node: gast.Call) -> bool:
    return isinstance(node.func, gast.Attribute) and node.func.attr in MAKERS


def _are_literals(node: gast.Call) -> bool:
    """Whether all arguments are numbers, and types under their names: `np.zeros((2, 3), dtype=np.float32)`."""
    given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "dtype")]
    return all(isinstance(n, _LITERALS) for value in given for n in trees.walk(value))


_LITERALS = (gast.Constant, gast.Tuple, gast.List, gast.UnaryOp, gast.unaryop, gast.expr_context)
