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
    InitScopeError,
    IterationError,
    MutatedArgumentError,
    MutationError,
    NotAFunctionError,
    NotDifferentiableError,
    PythonOnlyError,
    SourceNotFoundError,
    TensorArrayError,
    TracedIndexError,
    TracedRecursionError,
    UndefinedVariableError,
    UnrolledLoopWarning,
)
from autograph_lite.operators.printing import print
from autograph_lite.operators.scope import init_scope, inside_function
from autograph_lite.operators.slices import from_slices
from autograph_lite.operators.tensor_array import TensorArray
from autograph_lite.runtime.eager import functions_run_eagerly, run_functions_eagerly
from autograph_lite.runtime.function import Function
from autograph_lite.runtime.py_function import py_function

__all__ = [
    "AutographError",
    "BranchMismatchError",
    "CarryMismatchError",
    "ConditionError",
    "ConversionError",
    "Function",
    "HandledRaiseError",
    "InitScopeError",
    "IterationError",
    "MutatedArgumentError",
    "MutationError",
    "NotAFunctionError",
    "NotDifferentiableError",
    "PythonOnlyError",
    "SourceNotFoundError",
    "TensorArray",
    "TensorArrayError",
    "TracedIndexError",
    "TracedRecursionError",
    "UndefinedVariableError",
    "UnrolledLoopWarning",
    "convert",
    "do_not_convert",
    "from_slices",
    "functions_run_eagerly",
    "init_scope",
    "inside_function",
    "print",
    "py_function",
    "range",
    "run_functions_eagerly",
    "set_verbosity",
    "to_code",
    "to_graph",
]
