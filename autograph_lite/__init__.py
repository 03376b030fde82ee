"""AutoGraph and `tf.function` for JAX: plain Python in, one compiled XLA program out."""

from autograph_lite.api import convert, do_not_convert, range, to_code, to_graph
from autograph_lite.config import set_verbosity
from autograph_lite.errors import (
    AutographError,
    BranchMismatchError,
    CarryMismatchError,
    ConditionError,
    ConversionError,
    HandledRaiseError,
    IterationError,
    MutatedArgumentError,
    MutationError,
    NotAFunctionError,
    PythonOnlyError,
    SourceNotFoundError,
    SymbolicSizeWarning,
    TracedIndexError,
    TracedRecursionError,
    UndefinedVariableError,
    UnrolledLoopWarning,
)
from autograph_lite.operators.printing import print
from autograph_lite.runtime.function import Function

__all__ = [
    "AutographError",
    "BranchMismatchError",
    "CarryMismatchError",
    "ConditionError",
    "ConversionError",
    "Function",
    "HandledRaiseError",
    "IterationError",
    "MutatedArgumentError",
    "MutationError",
    "NotAFunctionError",
    "PythonOnlyError",
    "SourceNotFoundError",
    "SymbolicSizeWarning",
    "TracedIndexError",
    "TracedRecursionError",
    "UndefinedVariableError",
    "UnrolledLoopWarning",
    "convert",
    "do_not_convert",
    "print",
    "range",
    "set_verbosity",
    "to_code",
    "to_graph",
]
