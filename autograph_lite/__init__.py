"""AutoGraph and `tf.function` for JAX: plain Python in, one compiled XLA program out."""

from autograph_lite.api import (
    convert,
    do_not_convert,
    explain,
    range as range,
    report,
    to_code,
    to_graph,
    verify,
)
from autograph_lite.config import set_verbosity
from autograph_lite.diagnosis import doctor
from autograph_lite.errors import (
    AutographError,
    BranchMismatchError,
    CacheFolderError,
    CarryMismatchError,
    ConditionError,
    ConversionError,
    CopyError,
    DonatedArrayError,
    DynamicShapeError,
    HandledRaiseError,
    InitScopeError,
    IterationError,
    LoadError,
    MutatedArgumentError,
    MutationError,
    NotAFunctionError,
    NotDifferentiableError,
    PicklingError,
    PythonOnlyError,
    RandomNumbersWarning,
    RetraceWarning,
    SavedCheckError,
    SaveError,
    SliceLengthError,
    SourceNotFoundError,
    SymbolicSizeWarning,
    TensorArrayError,
    TracedIndexError,
    TracedRecursionError,
    UndefinedVariableError,
    UnrolledLoopWarning,
    UnsavedSignatureError,
    VariableError,
    VerificationError,
)
from autograph_lite.notebook import (
    load_ipython_extension as load_ipython_extension,
    unload_ipython_extension as unload_ipython_extension,
)
from autograph_lite.operators.items.tensor_array import TensorArray
from autograph_lite.operators.python.printing import print as print
from autograph_lite.operators.trace_context.branch_options import set_branch_options
from autograph_lite.operators.trace_context.loop_options import set_loop_options
from autograph_lite.operators.values.one_of import OneOf
from autograph_lite.runtime.functions.eager import functions_run_eagerly, run_functions_eagerly
from autograph_lite.runtime.host.py_function import py_function
from autograph_lite.runtime.public.function import Function
from autograph_lite.runtime.public.gradients import grad, value_and_grad
from autograph_lite.runtime.public.init_scope import init_scope, inside_function
from autograph_lite.runtime.reporting.decisions_table import Decision, Decisions
from autograph_lite.runtime.reporting.report import Report
from autograph_lite.runtime.saving.export import save
from autograph_lite.runtime.saving.loaded_function import LoadedFunction
from autograph_lite.runtime.saving.loading import LoadedModule, load
from autograph_lite.runtime.state.dataset_slices import from_slices
from autograph_lite.runtime.state.module import Module
from autograph_lite.runtime.state.variable import Variable
from autograph_lite.runtime.tracing.concrete import ConcreteFunction
from autograph_lite.runtime.types.array_spec import ArraySpec
from autograph_lite.runtime.types.function_type import FunctionType
from autograph_lite.runtime.types.trace_type import TraceType
from autograph_lite.runtime.verifying.report import Verification
from autograph_lite.runtime.warm.enable import disable_compilation_cache, enable_compilation_cache

# Without `print` and `range`: `from autograph_lite import *` leaves Python's own in place.
__all__ = [
    "ArraySpec",
    "AutographError",
    "BranchMismatchError",
    "CacheFolderError",
    "CarryMismatchError",
    "ConcreteFunction",
    "ConditionError",
    "ConversionError",
    "CopyError",
    "Decision",
    "Decisions",
    "DonatedArrayError",
    "DynamicShapeError",
    "Function",
    "FunctionType",
    "HandledRaiseError",
    "InitScopeError",
    "IterationError",
    "LoadError",
    "LoadedFunction",
    "LoadedModule",
    "Module",
    "MutatedArgumentError",
    "MutationError",
    "NotAFunctionError",
    "NotDifferentiableError",
    "OneOf",
    "PicklingError",
    "PythonOnlyError",
    "RandomNumbersWarning",
    "Report",
    "RetraceWarning",
    "SaveError",
    "SavedCheckError",
    "SliceLengthError",
    "SourceNotFoundError",
    "SymbolicSizeWarning",
    "TensorArray",
    "TensorArrayError",
    "TraceType",
    "TracedIndexError",
    "TracedRecursionError",
    "UndefinedVariableError",
    "UnrolledLoopWarning",
    "UnsavedSignatureError",
    "Variable",
    "VariableError",
    "Verification",
    "VerificationError",
    "convert",
    "disable_compilation_cache",
    "do_not_convert",
    "doctor",
    "enable_compilation_cache",
    "explain",
    "from_slices",
    "functions_run_eagerly",
    "grad",
    "init_scope",
    "inside_function",
    "load",
    "py_function",
    "report",
    "run_functions_eagerly",
    "save",
    "set_branch_options",
    "set_loop_options",
    "set_verbosity",
    "to_code",
    "to_graph",
    "value_and_grad",
    "verify",
]
