"""What do reports and comparisons ask of a converted function? They lie below the class that users get, which gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from autograph_lite.runtime.explaining.explanation import Explanation
from autograph_lite.runtime.tracing.concrete import ConcreteFunction
from autograph_lite.runtime.tracing.trace import Options
from autograph_lite.runtime.tracing.trace_table import Traces
from autograph_lite.runtime.types.function_type import FunctionType


class Converted(Protocol):
    """A function that `convert` has made, or such a method of an instance; see `Function`."""

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function as the user wrote it."""
        ...

    @property
    def options(self) -> Options:
        """How it is converted and traced."""
        ...

    @property
    def traces(self) -> Traces:
        """What was traced."""
        ...

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The traces that there are, the oldest first."""
        ...

    def of(self, fn: Callable[..., Any], **options: Any) -> Converted:
        """A function with these options, but for those that are given."""
        ...

    def compiled(self, /, *args: Any, **kwargs: Any) -> Any:
        """A call of the compiled program."""
        ...

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for arguments of these types."""
        ...

    def concrete_of(self, kind: FunctionType) -> ConcreteFunction:
        """The trace for calls of exactly this type."""
        ...

    def explain_retraces(self) -> Explanation:
        """Each trace, and what differs from the nearest before it."""
        ...
