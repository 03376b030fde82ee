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
    RetraceWarning,
    SourceNotFoundError,
    SymbolicSizeWarning,
    TracedIndexError,
    TracedRecursionError,
    UndefinedVariableError,
    UnrolledLoopWarning,
    VariableError,
)
from autograph_lite.operators.printing import print
from autograph_lite.runtime.array_spec import ArraySpec
from autograph_lite.runtime.concrete import ConcreteFunction
from autograph_lite.runtime.function import Function
from autograph_lite.runtime.function_type import FunctionType
from autograph_lite.runtime.gradients import grad, value_and_grad
from autograph_lite.runtime.modules import Module
from autograph_lite.runtime.trace_types import TraceType
from autograph_lite.runtime.variables import Variable

__all__ = [
    "ArraySpec",
    "AutographError",
    "BranchMismatchError",
    "CarryMismatchError",
    "ConcreteFunction",
    "ConditionError",
    "ConversionError",
    "Function",
    "FunctionType",
    "HandledRaiseError",
    "IterationError",
    "Module",
    "MutatedArgumentError",
    "MutationError",
    "NotAFunctionError",
    "PythonOnlyError",
    "RetraceWarning",
    "SourceNotFoundError",
    "SymbolicSizeWarning",
    "TraceType",
    "TracedIndexError",
    "TracedRecursionError",
    "UndefinedVariableError",
    "UnrolledLoopWarning",
    "Variable",
    "VariableError",
    "convert",
    "do_not_convert",
    "grad",
    "print",
    "range",
    "set_verbosity",
    "to_code",
    "to_graph",
    "value_and_grad",
]
