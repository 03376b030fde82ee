"""A converted function that runs compiled: `@autograph_lite.convert`.

Arrays among the arguments are traced; everything else is a literal, and another literal is another trace. `traces` holds
what was traced, by which policy; `dispatch` finds the program of a call that was seen before.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from autograph_lite.operators import calls, checks as program_checks
from autograph_lite.runtime import dispatch, eager, tracebacks
from autograph_lite.runtime.methods import BoundFunction, Instances, WeakMethod
from autograph_lite.runtime.trace import Options
from autograph_lite.runtime.traces import Traces

_SUSPENDING = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_ASSIGNED = ("__code__", "__defaults__", "__kwdefaults__")  # `inspect` asks a coroutine function for them


class Function:
    """A function of the user's, converted and compiled by JAX when it is called.

    Calling it runs the compiled program for the arguments; makes it first if there is none.

    Raises:
      TypeError: the arguments of a call do not fit the function's parameters.
      Exception: what an `assert` or `raise` of the user's raises.
    """

    # A slot: Python calls what C++ gave us without a frame of ours in between.
    __slots__ = ("__call__", "__dict__", "__weakref__")

    __call__: Callable[..., Any]

    def __init__(self, fn: Callable[..., Any], options: Options, *, method: WeakMethod | None = None) -> None:
        self._options, self._method = options, method
        self._converted = calls.converted(fn, recursive=options.recursive)
        is_function = isinstance(fn, (types.FunctionType, types.MethodType))
        code = getattr(fn, "__code__", None) if is_function else None
        self._suspends = code is not None and bool(code.co_flags & _SUSPENDING)
        self._fn = fn
        self._instances: Instances[Function] = Instances(self._of_instance)
        self._traces = Traces(
            fn, lambda: self.python_function, self.inside, options, bound=method is not None
        )
        functools.update_wrapper(self, fn, (*functools.WRAPPER_ASSIGNMENTS, *_ASSIGNED))
        self._dispatch = dispatch.best(self._traces, self._run, self._is_inlined, self._redirect)
        self.__call__ = self._dispatch.call
        eager.register(self)

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function as the user wrote it."""
        return self._fn if self._method is None else self._method.bound(self._fn)

    def _redirect(self, call: Callable[..., Any]) -> None:
        """Lets `call` run the calls from now on."""
        if not eager.on():
            self.__call__ = call

    def run_eagerly(self, flag: bool) -> None:
        """Lets Python run the calls, or the compiled programs again."""
        self.__call__ = self._in_python if flag else self._dispatch.call

    def _in_python(self, *args: Any, **kwargs: Any) -> Any:
        """A call in Python: of the user's own function, except where it is part of a program that is being traced."""
        try:
            function = self.inside() if self._is_inlined() else self.python_function
            return function(*args, **kwargs)
        except BaseException as error:
            tracebacks.hide_frames(error)
            raise  # without a frame of this call: a bare `raise` adds none

    def _is_inlined(self) -> bool:
        """Whether a call is not a program of its own now: it suspends, or is part of a program that is being traced."""
        return self._suspends or program_checks.within_program()

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call, by way of the policy."""
        if self._is_inlined():
            return self.inside()(*args, **kwargs)
        return self._traces.call(args, kwargs)

    def inside(self) -> Callable[..., Any]:
        """What converted code calls in place of this function: its converted form, as part of the trace around."""
        converted: Callable[..., Any] = self._converted
        return converted if self._method is None else self._method.bound(converted)

    @property
    def trace_count(self) -> int:
        """How often the function has been traced for calls of its own."""
        return self._traces.count

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """The function bound to an instance, as a method; each instance has traces of its own."""
        if instance is None:
            return self
        function = self._instances.of(instance)
        return BoundFunction(function.__call__, instance, function)

    @property
    def unbound(self) -> Function:
        """The function as the class has it, where this one is that of an instance."""
        return self if self._method is None else self._method.unbound

    def _of_instance(self, instance: Any) -> Function:
        return Function(self._fn, self._options, method=WeakMethod(self, instance))

    def __repr__(self) -> str:
        return f"<autograph_lite.Function {self.__qualname__}>"  # type: ignore[attr-defined]


calls.install_function((Function, BoundFunction))
