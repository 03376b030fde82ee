"""How does a user's function become a converted one? Read, run the passes, load; once for each code object.

The transpiler never imports JAX: it is handed the operators that generated code calls.
"""

from __future__ import annotations

import functools
import threading
import time
import types
import weakref
from collections.abc import Callable
from typing import Any

import gast

from autograph_lite import config
from autograph_lite.analysis import plans, scopes
from autograph_lite.converters import (
    PASSES,
    Pass,
    control_flow,
    functions_in,
    light,
    opaque,
    python_ops,
    raises,
    undefined,
)
from autograph_lite.converters.context import Context
from autograph_lite.syntax import codes, loader, trees
from autograph_lite.syntax.depth import deep_recursion
from autograph_lite.syntax.names import Fresh, of_code as names_of_code, used_names
from autograph_lite.syntax.printing import printer
from autograph_lite.syntax.printing.line_map import line_map
from autograph_lite.syntax.source_text import source, texts

PASS_NAMES = tuple(p.name for p in PASSES)
PART_ONE = tuple(p.name for p in PASSES if p.part == 1)
First = Callable[[Any, Context], None]
IsLibrary = Callable[..., bool]  # of a function, a dotted name, and how many operands are given


class Transpiler:
    """Converts functions, and remembers what it converted.

    Args:
      operators: what generated code finds under the name `ag`.
      is_library: whether a dotted name, resolved as the function would resolve it, leads to a function that is called
        as it is.
      form: "full" for the converted body; "guarded" for one that is called inside of a `try`; "light" for the one that runs
        where nothing is traced (see `autograph_lite.converters.light`); "both" for a function that asks at its entry,
        "entered" for one that is called from outside as well.
      is_library_file: whether a file holds nothing that is converted.
      first: rewrites the user's tree before all passes.
    """

    def __init__(
        self,
        operators: object,
        is_library: IsLibrary,
        form: str = "full",
        is_library_file: Callable[[str], bool] = lambda _: True,
        first: First = lambda tree, context: None,
    ) -> None:
        self.operators, self.is_library, self.form = operators, is_library, form
        self.is_library_file, self.first = is_library_file, first
        self._codes: dict[int, tuple[types.CodeType, types.CodeType, dict[str, object]]] = {}
        # With the code that was converted: `%autoreload` gives a function other code. None stands for the function itself,
        # which would keep itself, and with its cells the values of a trace.
        self._functions: weakref.WeakKeyDictionary[
            types.FunctionType, tuple[types.CodeType, types.FunctionType | None]
        ] = weakref.WeakKeyDictionary()
        self._lock = threading.RLock()

    def convert(self, fn: types.FunctionType) -> types.FunctionType:
        """`fn`, converted; the same object for the same `fn` with the same code."""
        known = self._functions.get(fn)
        if known is not None and known[0] is fn.__code__:
            return known[1] or fn
        with self._lock:
            known = self._functions.get(fn)
            if known is None or known[0] is not fn.__code__:
                new = self._convert(fn)
                known = self._functions[fn] = fn.__code__, new
                self._functions[new] = new.__code__, None  # converting twice is converting once
                _originals[new] = weakref.ref(fn)
        return known[1] or fn

    def _convert(self, fn: types.FunctionType) -> types.FunctionType:
        known = self._codes.get(id(fn.__code__))
        if known is None:
            start = time.perf_counter()
            tree, context = convert_tree(fn, self.is_library, form=self.form, first=self.first)
            injected = {context.ag: self.operators, context.known: [None] * (2 * context.sites)}
            new = loader.load_function(tree, fn, injected, frozenset(context.generated))
            texts.note_text(new.__code__, context.lines)
            if context.stops and (context.guarded or context.catches):
                inner = [*codes.nested_codes(new.__code__)][0 if context.guarded else 1 :]
                _guarded.update((id(code), code) for code in inner)
            self._keep_texts(fn)
            # The user's code object is kept, so that its id stays its own.
            self._codes[id(fn.__code__)] = fn.__code__, new.__code__, injected
            if self.form != "light":  # which goes with another form of the same function
                self._log(fn, time.perf_counter() - start)
            return new
        _, code, injected = known
        return loader.function_from_code(code, fn, injected)

    def _keep_texts(self, fn: types.FunctionType) -> None:
        """Reads the files of what `fn` may call: a helper that is called first after an edit is the one that was imported."""
        for name in fn.__code__.co_names:
            found = fn.__globals__.get(name)
            module = getattr(found, "__file__", None) if isinstance(found, types.ModuleType) else None
            path = found.__code__.co_filename if isinstance(found, types.FunctionType) else module
            if path and not self.is_library_file(path):
                texts.remember_file(path)

    def _log(self, fn: types.FunctionType, seconds: float) -> None:
        if config.verbosity() == 0:
            return
        place = f"{fn.__qualname__} ({fn.__code__.co_filename}:{fn.__code__.co_firstlineno})"
        config.log(1, "converted %s in %.1f ms", place, seconds * 1000)
        if config.verbosity() == 2:
            config.log(2, "%s is converted to:\n%s", place, to_source(fn, self.is_library))
        elif config.verbosity() == 3:
            for name in PASS_NAMES:
                config.log(3, "%s after %s:\n%s", place, name, to_source(fn, self.is_library, after=name))


_guarded: dict[int, types.CodeType] = {}


_originals = weakref.WeakKeyDictionary[types.FunctionType, weakref.ref[types.FunctionType]]()


def original(fn: types.FunctionType) -> types.FunctionType:
    """What a converted function was made from; any other function itself."""
    known = _originals.get(fn)
    return (known and known()) or fn


def is_guarded(code: types.CodeType) -> bool:
    """Whether generated code does nothing after what it has raised, where that goes on (see `converters.raises`)."""
    return id(code) in _guarded


def convert_tree(
    fn: types.FunctionType,
    is_library: IsLibrary,
    after: str | None = None,
    form: str = "full",
    first: First = lambda tree, context: None,
) -> tuple[Any, Context]:
    """The converted tree of `fn`, all passes run, or those up to the pass named `after`; `first` rewrites it before them."""
    with deep_recursion():
        return _convert_tree(fn, is_library, after, form, first)


def _convert_tree(
    fn: types.FunctionType, is_library: IsLibrary, after: str | None, form: str, first: First
) -> tuple[Any, Context]:
    read = source.read_source(fn)
    tree = read.node
    names = used_names(tree)
    fresh = Fresh(names)
    context = Context(
        fresh=fresh,
        ag=fresh("ag"),
        known=fresh("ag_known"),
        path=read.path,
        function=fn.__qualname__,
        lines=read.lines,
        is_library=functools.partial(is_library, fn),
        outermost=tree,
        guarded=form == "guarded",
    )
    first(tree, context)
    functions = functions_in(tree)
    open_ = [function for function in functions if not opaque.is_opaque(function)]
    context.catches, context.stops = any(map(raises.needs, open_)), functions == open_
    form = "full" if context.guarded else form
    plain = trees.copy_tree(tree) if form != "full" else None
    function_plans: dict[gast.FunctionDef, plans.FunctionPlan] = {}
    if form == "light" and functions == [tree] == open_:  # no other function that needs the converted body
        return light.with_light_body(tree, tree, functions, context, form, ()), context
    for step in PASSES:
        if step.name == "undefined":
            function_plans = {f: plans.plan(f.body, scopes.parameter_names(f.args)) for f in open_}
        if step.name == "control_flow":
            for function in functions:
                if function not in function_plans:
                    opaque.run(function, context)
        _run(step, tree, open_, context, function_plans)
        if step.name == after:
            break
    if plain is not None:
        tree = light.with_light_body(plain, tree, functions, context, form, _holding_objects(fn))
    return tree, context


_NO_OBJECTS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    *(int, float, complex, str, bytes, type(None)),
)


def _holding_objects(fn: types.FunctionType) -> list[str]:
    """The variables from around a function that may hold objects of the user's, by what they hold now."""
    held = {name: fn.__globals__[name] for name in names_of_code(fn.__code__) if name in fn.__globals__}
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        held[name] = codes.content(cell, cell)
    return [
        name for name, value in held.items() if type(value) is not type and not isinstance(value, _NO_OBJECTS)
    ]


def _run(
    step: Pass,
    tree: gast.AST,
    open_: list[gast.FunctionDef],
    context: Context,
    function_plans: dict[gast.FunctionDef, plans.FunctionPlan],
) -> None:
    if step.name == "undefined":
        for function, plan in function_plans.items():
            undefined.run(function, plan, context)
    elif step.name == "control_flow":
        for function, plan in function_plans.items():
            control_flow.run(function, plan.plans, context)
    elif step.each:
        for function in open_:
            assert step.run is not None
            step.run(function, context)
            if step.check is not None and config.check_passes():
                step.check(function)
    elif step.run is not None:
        step.run(tree, context)


def convert_part_one(fn: types.FunctionType, after: str = PART_ONE[-1]) -> types.FunctionType:
    """`fn` after the passes of part 1 up to `after`: plain Python, which runs without JAX."""
    tree, context = convert_tree(fn, lambda *_: False, after=after)
    return loader.load_function(tree, fn, {context.ag: python_ops}, frozenset(context.generated))


def to_source(fn: types.FunctionType, is_library: IsLibrary, after: str | None = None) -> str:
    """The generated code of `fn` as text."""
    return printer.unparse(_shown(fn, is_library, after))


def to_mapped_source(fn: types.FunctionType, is_library: IsLibrary) -> tuple[str, list[frozenset[int]]]:
    """The generated code of `fn` as text, and the lines of the user's file that each line of it stands for."""
    shown = _shown(fn, is_library, None)
    text = printer.unparse(shown)
    return text, line_map(text, shown)


def _shown(fn: types.FunctionType, is_library: IsLibrary, after: str | None) -> Any:
    tree, _ = convert_tree(fn, is_library, after)
    with deep_recursion():
        shown = trees.copy_tree(tree)
    if not isinstance(shown, gast.Lambda):  # what is shown is what `convert` has made
        shown.decorator_list = [d for d in shown.decorator_list if not _converts(d)]
    return shown


def _converts(decorator: gast.expr) -> bool:
    """Whether a decorator is our own `convert`, with options or without."""
    called = decorator.func if isinstance(decorator, gast.Call) else decorator
    return trees.dotted(called).rpartition(".")[2] == "convert"
