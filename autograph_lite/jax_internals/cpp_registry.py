"""C++ dispatch: JAX's own, on a registry of ours in which Python values are structure and arrays are the only leaves.

A call whose arguments have a structure, literals, dtypes and shapes that were seen before runs no Python at all: the
structure is what `tf.function` calls the signature. Private names, checked on jax 0.10.2 and 0.12.0.1; `works` tries
them once, and `runtime.dispatch` asks the policy at each call where they have changed.
"""

from __future__ import annotations

import collections
import functools
import operator
import threading
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals.references import numpys_arrays

Miss = Callable[..., tuple[Any, Any, bool]]
Flatten = Callable[[Any], tuple[Any, Any]]
CAPACITY = 4096  # compiled programs that one function's dispatch keeps at hand
_BY_VALUE = (str, bytes, type(Ellipsis), np.dtype)
_BY_TEXT = (
    float,
    complex,
    range,
)  # nan equals itself, 0.0 is not -0.0, and equal ranges may have other bounds
# Which JAX takes for leaves with a warning, unless they are registered. It names the types, and no others.
_ORDERED: Any = collections.OrderedDict()
_EMPTY: tuple[Any, ...] = ([], (), {}, {}.values(), {}.items(), _ORDERED.values(), _ORDERED.items(), set())
ITERATORS: frozenset[type] = frozenset(
    [
        *(type(iter(each)) for each in _EMPTY),
        *(
            type({}.values()),
            type(_ORDERED.values()),
            types.GeneratorType,
            map,
            zip,
            filter,
            enumerate,
            reversed,
        ),
    ]
)
_ARRAY = np.zeros(())  # stands for any
_learning = threading.RLock()


class _Finish:
    """A node of an output's structure whose unflattening gives what the call returns, or raises."""

    def __init__(self, count: int, finish: Callable[[Sequence[Any]], Any]) -> None:
        self.children, self.finish = [_ARRAY] * count, finish


def _is_array(value: Any) -> bool:
    return isinstance(value, (jax.Array, np.generic, np.ndarray))


def _by_value(value: Any) -> tuple[tuple[()], Any]:
    return (), value


def _by_text(value: Any) -> tuple[tuple[()], str]:
    return (), repr(value)


def _unreachable(*_: Any) -> Any:
    raise AssertionError("the structure of a call is never put together again")


class Registry:
    """What is a leaf, and what is structure, among a call's arguments.

    Args:
      flatten_kind: a value of a type that JAX does not know -> what gives the parts of such values, and what tells them
        apart besides; None if each call has to look at them.
      flatten_dict: the same of dictionaries. C++ would take equal keys for the same, and refuse what it can't sort.
    """

    def __init__(self, flatten_kind: Callable[[Any], Flatten | None], flatten_dict: Flatten) -> None:
        self._flatten_kind = flatten_kind
        self.pytrees = _pytree_registry()
        self._known: set[type] = {tuple, list, type(None)}
        self._register(dict, flatten_dict)
        number: type
        for number in (int, bool):
            # Two attributes, read by C++: no Python runs, and True is not 1.
            self.pytrees.register_dataclass_node(number, [], ["__class__", "real"])
            self._known.add(number)
        for by_value in _BY_VALUE:
            self._register(by_value, _by_value)
        for by_text in _BY_TEXT:
            self._register(by_text, _by_text)
        for kind in ITERATORS:
            self._register(kind, self._as_learned)
        self.know_other_arrays()
        self.pytrees.register_node(_Finish, lambda node: (node.children, node.finish), operator.call)

    def _register(self, kind: type, flatten: Callable[[Any], Any]) -> None:
        self._known.add(kind)
        self.pytrees.register_node(kind, flatten, _unreachable)

    def know_other_arrays(self) -> None:
        """Registers the classes that are derived from NumPy's arrays, and are not what C++ would take them for."""
        kinds: list[type] = [np.ndarray]
        with _learning:
            for kind in kinds:  # it grows
                kinds += kind.__subclasses__()
                if kind not in self._known and numpys_arrays.has_own_operators(kind):
                    self._register(kind, self._as_learned)

    def _as_learned(self, value: Any) -> tuple[Any, Any]:
        flatten = self._flatten_kind(value)
        assert flatten is not None, value
        return flatten(value)

    def flatten(self, tree: Any) -> list[Any]:
        """The leaves of a call's arguments: arrays, and what the policy has to look at."""
        while True:
            leaves: list[Any] = self.pytrees.flatten(tree)[0]
            learned = [self._learn(leaf) for leaf in leaves]  # each of them, so that C++ is asked again once
            if not any(learned):
                return leaves

    def knows(self, tree: Any) -> bool:
        """Whether no type among a call's arguments is new, which C++ took for an array's if it is that of a number."""
        return all(_is_array(leaf) or type(leaf) in self._known for leaf in self.pytrees.flatten(tree)[0])

    def structure(self, count: int, finish: Callable[[Sequence[Any]], Any]) -> Any:
        """The structure of `count` outputs from which `finish` makes what the call returns."""
        return self.pytrees.flatten(_Finish(count, finish))[1]

    def _learn(self, value: Any) -> bool:
        """Registers the type of a leaf that is no array; once for each type."""
        kind = type(value)
        if kind in self._known or _is_array(value):
            return False
        with _learning:
            if kind in self._known:
                return True
            self._known.add(kind)
            flatten = self._flatten_kind(value)
            if flatten is None:
                return False
            fields = fields_by_jax(kind)
            if fields is None:
                self._register(kind, flatten)
            else:  # C++ reads the attributes. Those that JAX takes for static are structure here, as all that is no array
                self.pytrees.register_dataclass_node(kind, fields, [])
            return True


def flattened_by_jax(kind: type) -> Flatten | None:
    """What gives the parts of values of a type that is registered as a pytree node."""
    from jax._src import tree_util

    if not tree_util.default_registry.is_node(kind):
        return None
    # Python's own function, where there is one: C++ would only call it, too.
    known = getattr(tree_util, "_registry", {}).get(kind)
    flatten: Flatten = tree_util.default_registry.flatten_one_level if known is None else known.to_iter
    return flatten


def fields_by_jax(kind: type) -> list[str] | None:
    """The attributes of a class as `jax.tree_util.register_dataclass` was told them, the static ones last; None for others."""
    from jax._src import tree_util

    flatten = getattr(getattr(tree_util, "_registry", {}).get(kind), "to_iter", None)
    if not isinstance(flatten, types.FunctionType) or flatten.__module__ != tree_util.__name__:
        return None
    names = dict(zip(flatten.__code__.co_freevars, flatten.__closure__ or (), strict=True))
    if names.keys() != {"data_fields", "meta_fields"}:
        return None
    return [*names["data_fields"].cell_contents, *names["meta_fields"].cell_contents]


def of_known_classes(registry: Registry, miss: Miss) -> Miss:
    """`miss`, for `Dispatcher`, whose programs are kept only for calls without classes that are new to `registry`."""

    def missed(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool]:
        registry.know_other_arrays()
        known = registry.knows((args, kwargs))  # before the policy learns them
        result, fast, remove = miss(*args, **kwargs)
        return result, fast if known else None, remove

    return missed


class Dispatcher:
    """A callable in C++ that keeps compiled programs by the structure of the call.

    Args:
      name: for JAX's logs.
      plain: what runs while `jax.disable_jit` is in force.
      miss: called for a structure that was not seen; gives the result, what `fast_path` gave or None, and False.
      static: positions of arguments that are literals kept by hash and equality instead of by structure.
    """

    def __init__(
        self,
        registry: Registry,
        name: str,
        plain: Callable[..., Any],
        miss: Miss,
        static: tuple[int, ...] = (),
    ) -> None:
        from jax._src.interpreters import pxla
        from jaxlib import _jax  # pyright: ignore[reportAttributeAccessIssue]

        cache = _jax.PjitFunctionCache(capacity=CAPACITY)
        key = pxla.JitGlobalCppCacheKeys()
        arguments = (static, (), key, registry.pytrees, pxla.cc_shard_arg, cache)

        self.call: Any = _jax.pjit(name, plain, miss, *arguments)
        # It serves as the `__call__` of a function, by whose name type checkers know that there is one to look behind.
        self.call.__name__ = "__call__"
        self.call._fun = plain  # which `jax.debug_nans` runs to find where a nan comes from

    def clear(self) -> None:
        """Forgets all programs."""
        self.call._clear_cache()


def run_jitted(
    jitted: Any, leaves: Sequence[Any], structure: Callable[[Sequence[Any]], Any]
) -> tuple[Sequence[Any], Any]:
    """Runs a function of `jax.jit` that gives a list of arrays.

    Args:
      jitted: the function.
      leaves: its arguments.
      structure: the outputs -> the structure in which later calls are to return them; None to return them as they are.

    Returns:
      The outputs; what `Dispatcher` keeps to run the same again, or None where JAX has no fast path for it.
    """
    outputs, fast, _ = jitted._cache_miss(*leaves)
    if fast is not None:
        fast = fast._replace(out_pytree_def=structure(outputs))
    return outputs, fast


def tree_of(result: Any, outputs: Sequence[Any], *, sorts: bool = True) -> Any:
    """The structure in which C++ puts the outputs together to `result`; None where it can't.

    Args:
      result: it is.
      outputs: the leaves.
      sorts: whether the keys of dicts in it are sorted, as those of JAX's own structures are.
    """
    from jax._src.tree_util import dispatch_registry

    leaves, tree = (dispatch_registry if sorts else _in_order()).flatten(result, None)
    same = len(leaves) == len(outputs) and all(a is b for a, b in zip(leaves, outputs, strict=True))
    return tree if same else None


@functools.cache
def _in_order() -> Any:
    """Lists, tuples and dicts, whose keys have the order in which they were set."""
    made = _pytree_registry()
    made.register_node(
        dict,
        lambda held: ([*held.values()], (*held,)),
        lambda keys, values: dict(zip(keys, values, strict=True)),
    )
    return made


def _pytree_registry() -> Any:
    """A registry of JAX's without dicts."""
    from jaxlib import _jax  # pyright: ignore[reportAttributeAccessIssue]

    return _jax.pytree.PyTreeRegistry(
        enable_none=True, enable_tuple=True, enable_namedtuple=True, enable_list=True, enable_dict=False
    )


@functools.cache
def works() -> bool:
    """Whether the private names do what this module expects of them, tried on small calls."""
    try:
        return _tried()
    except Exception:  # whatever another version of JAX raises where its insides have changed
        return False


def _tried() -> bool:
    registry = Registry(
        lambda value: lambda node: ((), weakref.ref(node)), lambda held: ([*held.values()], [*held])
    )
    double = jax.jit(lambda x: [x * 2])
    missed: list[Any] = []

    def miss(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool]:
        missed.append(args)
        leaves = registry.flatten((args, kwargs))
        outputs, fast = run_jitted(
            double, leaves, lambda outputs: registry.structure(1, lambda kept: kept[0] + 1)
        )
        return outputs[0] + 1, fast, False

    call = Dispatcher(registry, "tried", miss, of_known_classes(registry, miss)).call
    x, y = jnp.arange(3.0), miss
    calls: list[tuple[Any, Any]] = [(x, n) for n in (1, 1, True, 1.0, 0.0, -0.0, 1, y, y, y)]
    calls += [(x + 1, 1), (x[:2], 1), *[(x, {"k": 1, 1: n}) for n in (1, 1, 2)]]
    results = [call(*args) for args in calls]
    right = all(np.array_equal(got, args[0] * 2 + 1) for got, args in zip(results, calls, strict=True))
    # The type of an object is learned at its first call, its identity at the second.
    return right and len(missed) == 10
