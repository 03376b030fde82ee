"""A converted function that runs compiled: `@autograph_lite.convert`.

Arrays among the arguments are traced; everything else is a literal, and another literal is another trace. `traces` holds
what was traced, by which policy; `dispatch` finds the program of a call that was seen before.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph_lite.jax_internals import configuration, tracing_state
from autograph_lite.operators.calls import callables
from autograph_lite.operators.checks import carried_checks as program_checks
from autograph_lite.operators.user_code import conversion
from autograph_lite.operators.values import pytrees
from autograph_lite.runtime.dispatch import cpp_dispatch
from autograph_lite.runtime.explaining import detector, retrace_warnings, tracebacks
from autograph_lite.runtime.explaining.explanation import Explanation, explain_retraces
from autograph_lite.runtime.explaining.function_names import name_of
from autograph_lite.runtime.explaining.trace_differences import TraceRecord
from autograph_lite.runtime.functions import eager, pickling
from autograph_lite.runtime.functions.methods import (
    BoundFunction,
    Instances,
    WeakMethod,
    bind_method,
    identity,
    is_traced_instance,
)
from autograph_lite.runtime.state import function_copies
from autograph_lite.runtime.tracing.concrete import ConcreteFunction
from autograph_lite.runtime.tracing.trace import Options
from autograph_lite.runtime.tracing.trace_table import Traces
from autograph_lite.runtime.types.function_type import FunctionType

if TYPE_CHECKING:
    from autograph_lite.runtime.reporting.report import Report
    from autograph_lite.runtime.verifying.report import Verification

_SUSPENDING = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_ASSIGNED = (
    *(name for name in functools.WRAPPER_ASSIGNMENTS if name != "__annotations__"),
    "__code__", "__defaults__", "__kwdefaults__",  # `inspect` asks a coroutine function for them
)  # fmt: skip


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

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        """Those of the user's function, evaluated when they are asked for."""
        return getattr(self._fn, "__annotations__", {})

    def __init__(self, fn: Callable[..., Any], options: Options, *, method: WeakMethod | None = None) -> None:
        # First: it copies the attributes of `fn`, which may be a function of ours with traces and options of its own.
        functools.update_wrapper(self, fn, _ASSIGNED)
        self._options, self._method = options, method
        self._converted = callables.convert_callable(fn, recursive=options.recursive)
        is_function = isinstance(fn, (types.FunctionType, types.MethodType))
        code = getattr(fn, "__code__", None) if is_function else None
        self._suspends = code is not None and bool(code.co_flags & _SUSPENDING)
        self._fn, self._code = fn, getattr(fn, "__code__", None)
        self._instances: Instances[Function] = Instances(self._of_instance)
        self._by_instance = self._instances.known  # looked up at each access of a method
        self._structures: set[type] = set()  # the classes of instances that are arguments
        self.is_of_instance = method is not None
        self._traces = Traces(
            fn, lambda: self.python_function, self.inside, options, bound=method is not None
        )
        self._counts_calls = False
        of_instances = self._traces.of_instances
        redirect = (lambda _: None) if of_instances else self._redirect
        self._dispatch = cpp_dispatch.best(self._traces, self._run, self._is_inlined, redirect)
        self._traces.dropped = self._dispatch.clear
        self._traces.retraced = self._retraced
        self._traces.watching = lambda: self._redirect(self._found)
        self._traces.owner = lambda: self if self._method is None else self._bound_again()
        self._redirect(self._of_first if of_instances else self._dispatch.call)
        eager.register(self)

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function as the user wrote it."""
        return self._fn if self._method is None else self._method.bound(self._fn)

    def _redirect(self, call: Callable[..., Any]) -> None:
        """Lets `call` run the calls from now on."""
        self._found = call
        self._served = self._looking if self._traces.watches else call
        self._call = self._giving if self._traces.donated else self._served
        if eager.on():
            self.__call__ = self._in_python
        elif self._options.verify is not None:
            self.__call__ = self._verified
        else:
            self.__call__ = self._counted if self._counts_calls else self._call

    def eagerness_changed(self) -> None:
        """Lets Python run the calls, or the compiled programs again."""
        self._redirect(self._found)

    @tracebacks.hiding
    def _in_python(self, /, *args: Any, **kwargs: Any) -> Any:
        """A call in Python: of the user's own function, except where it is part of a program that is being traced."""
        return pytrees.unbox_leaves(
            (self.inside() if self._is_inlined() else self.python_function)(*args, **kwargs)
        )

    def _looking(self, /, *args: Any, **kwargs: Any) -> Any:
        """A call before which Python may have changed what a trace has read."""
        self._traces.look()
        return self._found(*args, **kwargs)

    def count_calls(self, wanted: bool) -> None:
        """Lets Python see the next calls that find their trace, or no longer; see `retracing`."""
        self._counts_calls = wanted
        self._redirect(self._found)

    @tracebacks.hiding
    def _giving(self, /, *args: Any, **kwargs: Any) -> Any:
        """A call that gives arrays away. Where JAX looks for nans, it runs again what gives one, and takes no memory."""
        try:
            return self._run(args, kwargs) if configuration.debugging() else self._served(*args, **kwargs)
        except (RuntimeError, ValueError) as error:
            explained = self._traces.explained(error, args, kwargs)
            if explained is None:
                raise
        raise explained from None

    @tracebacks.hiding
    def _counted(self, /, *args: Any, **kwargs: Any) -> Any:
        before = self._traces.count
        result = self._call(*args, **kwargs)
        if self._traces.count == before and not self._is_inlined():
            detector.detector_of(self._fn).called()
        return result

    @tracebacks.hiding
    def _verified(self, /, *args: Any, **kwargs: Any) -> Any:
        """A call that is compared with Python where a trace is made for it."""
        if self._is_inlined() or tracing_state.is_tracing() or not self._traces.would_trace(args, kwargs):
            return self._call(*args, **kwargs)
        from autograph_lite.runtime.verifying import first_call

        return first_call.run_verified(self, args, kwargs)

    def verify(self, /, *args: Any, **kwargs: Any) -> Verification:
        """Runs your own Python beside the compiled program, and compares what comes of the two.

        Values, structures and dtypes are compared, exceptions, printed text, and what the call changes. Afterwards all is as
        after one call. `autograph_lite.verify(f, rtol=..., atol=...)` does so with other tolerances for floats.

        Args:
          *args: of a call; nothing traced.
          **kwargs: the same.

        Returns:
          A report: `ok`, and what differs, from the first statement on; `print` shows it.

        Raises:
          TypeError: they do not fit the function's parameters.
        """
        from autograph_lite.runtime.verifying.tolerance import Tolerance
        from autograph_lite.runtime.verifying.verify import verify

        return verify(self, args, kwargs, Tolerance())

    def report(self, /, *args: Any, **kwargs: Any) -> Report:
        """A page that shows what became of the function: source, generated code, jaxpr and HLO, line by line.

        The function is traced again for these arguments and compiled, and not run; no trace is kept.

        Args:
          *args: of a call, or an `ArraySpec` or `jax.ShapeDtypeStruct` in place of an array. None at all for those of the
            newest trace.
          **kwargs: the same.

        Returns:
          A report: `save("report.html")` writes it, a notebook shows it.

        Raises:
          TypeError: they do not fit the function's parameters.
        """
        return self.report_of(self, args, kwargs)

    def report_of(self, known: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Report:
        """The report of this function, or of a method `known` that it is bound as."""
        from autograph_lite.runtime.reporting.report import report

        return report(known, args, kwargs)

    def compiled(self, /, *args: Any, **kwargs: Any) -> Any:
        """A call of the compiled program, whatever else calls do at present."""
        return self._call(*args, **kwargs)

    @property
    def traces(self) -> Traces:
        """What was traced."""
        return self._traces

    def _retraced(self, record: TraceRecord) -> None:
        """Warns of a call that has made a trace, where there were too many."""
        frequent = detector.detector_of(self._fn).traced(self, record)
        if frequent is not None:
            retrace_warnings.warn_of_retraces(self._fn, frequent, method=self._method is not None)

    def _is_inlined(self) -> bool:
        """Whether a call is not a program of its own now: it suspends, or is part of a program that is being traced."""
        return self._suspends or program_checks.within_program()

    @tracebacks.hiding
    def _of_first(self, *args: Any, **kwargs: Any) -> Any:
        """A call by way of the class, of a method whose input signature is that of the bound one."""
        if not args:
            return self.python_function(**kwargs)  # runs nothing: Python says what is missing
        if is_traced_instance(args[0]):
            return self._dispatch.call(*args, **kwargs)
        return self.__get__(args[0])(*args[1:], **kwargs)

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call, by way of the policy."""
        if self._is_inlined():
            return pytrees.unbox_leaves(self.inside()(*args, **kwargs))
        return self._traces.call(args, kwargs)

    def inside(self) -> Callable[..., Any]:
        """What converted code calls in place of this function: its converted form, as part of the trace around."""
        converted: Callable[..., Any] = self._converted
        return converted if self._method is None else self._method.bound(converted)

    @property
    def trace_count(self) -> int:
        """How many traces were made, those of `get_concrete_function` included."""
        return self._traces.count

    @property
    def options(self) -> Options:
        """How it is converted and traced."""
        return self._options

    @property
    def input_signature(self) -> FunctionType | None:
        """The one type of calls that is allowed, without an instance; None for any."""
        allowed = self._traces.allowed
        return allowed.without_first() if allowed is not None and self._traces.of_instances else allowed

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for arguments of these types; makes it if there is none for exactly them.

        Args:
          *args: values, or an `ArraySpec` or `jax.ShapeDtypeStruct` in place of an array.
          **kwargs: the same.

        Raises:
          TypeError: they do not fit the function's parameters, or its input signature.
        """
        if self._traces.of_instances and args and not is_traced_instance(args[0]):
            found: ConcreteFunction = self.__get__(args[0]).get_concrete_function(*args[1:], **kwargs)
            return found
        return self._traces.concrete(args, kwargs)

    def concrete_of(self, kind: FunctionType) -> ConcreteFunction:
        """The trace for calls of exactly this type; makes it if there is none."""
        return self._traces.concrete_of(kind)

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The traces that there are, the oldest first."""
        return self._traces.all()

    def pretty_printed_concrete_signatures(self) -> str:
        """What the traces take, return and capture, for people."""
        return "\n\n".join(each.pretty_printed_signature() for each in self.concrete_functions)

    def explain_retraces(self) -> Explanation:
        """Each trace: what differs from the nearest before it, where the call came from, its cost, and how to avoid it.

        `print` shows a table.
        """
        return explain_retraces(name_of(self._traces.fn), [made.now() for made in self._traces.history])

    def clear_cache(self) -> None:
        """Forgets all traces, of all instances where it is a method."""
        self._traces.clear()
        for function in self._instances.all():
            function.clear_cache()

    def follow_code(self) -> None:
        """Begins again where the user's function has got other code, as `%autoreload` gives it."""
        if getattr(self._fn, "__code__", None) is not self._code:
            self.__init__(self._fn, self._options, method=self._method)  # type: ignore[misc]

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """The function bound to an instance, as a method: the first argument, or one that has traces of its own."""
        if instance is None:
            return self
        if type(instance) in self._structures:
            function, bound = self, BoundFunction(self, instance)
        else:
            try:
                function = self._by_instance[identity(instance)]
            except KeyError:
                if is_traced_instance(instance):
                    self._structures.add(type(instance))
                    return self.__get__(instance)
                function = self._instances.of(instance)
            bound = BoundFunction(function)  # as `bind_method` does it, at each access
        bound.__self__ = instance
        bound._function = function
        return bound

    @property
    def unbound(self) -> Function:
        """The function as the class has it, where this one is that of an instance."""
        return self if self._method is None else self._method.unbound

    def _bound_again(self) -> BoundFunction:
        assert self._method is not None
        return bind_method(self, self.python_function.__self__)  # type: ignore[attr-defined]

    def _of_instance(self, instance: Any) -> Function:
        return Function(self._fn, self._options, method=WeakMethod(self, instance))

    def of(self, fn: Callable[..., Any], **options: Any) -> Function:
        """A function with these options, but for those that are given."""
        return Function(fn, dataclasses.replace(self._options, **options))

    def clone(self) -> Function:
        """A function of its own: `copy.deepcopy` of this one."""
        return copy.deepcopy(self)

    def __copy__(self) -> Function:
        """The same function with traces of its own; closure and Variables are shared."""
        return Function(self._fn, self._options, method=self._method)

    def __deepcopy__(self, memo: function_copies.Memo) -> Function:
        """A function with traces and state of its own: what its closure holds is copied, and its module's globals are not."""
        if self._method is None:
            return Function(function_copies.deep_copy(self._fn, memo), self._options)
        copied: Function = copy.deepcopy(self._bound_again(), memo)._function
        return copied

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._method is not None:
            return getattr, (self._bound_again(), "_function")
        if pickling.is_found(self):
            return self.__qualname__  # type: ignore[attr-defined]
        make, arguments = pickling.python_function(self._fn)
        return _made_again, (make, arguments, self._options)

    def _repr_html_(self) -> str:
        from autograph_lite.runtime.explaining import notebook_summaries

        return notebook_summaries.function_summary(self.concrete_functions, self.explain_retraces())

    def __repr__(self) -> str:
        return f"<autograph_lite.Function {self.__qualname__}>"  # type: ignore[attr-defined]


def _made_again(make: Callable[..., Any], arguments: tuple[Any, ...], options: Options) -> Function:
    return Function(make(*arguments), options)


conversion.install_function((Function, BoundFunction))
