"""What does `convert(verify="first_call")` do? It compares each call for which a trace is made with Python.

Later calls that find the trace run the compiled program alone. A call that is refused says so, as it does without.
"""

from __future__ import annotations

from typing import Any

from autograph_lite.errors import AutographError
from autograph_lite.runtime.functions.function_protocol import Converted
from autograph_lite.runtime.verifying.tolerance import Tolerance
from autograph_lite.runtime.verifying.verify import Comparison


def tolerance(option: Any) -> Tolerance | None:
    """The tolerance that the option of `convert` asks for, or None. Raises ValueError: it is something else."""
    match option:
        case None:
            return None
        case "first_call":
            return Tolerance()
        case ("first_call", int() | float()):
            return Tolerance(option[1])
    raise ValueError(f'verify is {option!r}; it may be None, "first_call" or ("first_call", rtol).')


def run_verified(function: Converted, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of the compiled program, compared with Python.

    Raises:
      VerificationError: the two differ.
      Exception: what the call raises.
    """
    allowed = tolerance(function.options.verify)
    assert allowed is not None
    comparison = Comparison(function, args, kwargs, allowed)
    ours = comparison.run()
    if not isinstance(ours.error, AutographError):  # a refusal, which says more than a comparison could
        report = comparison.compare(ours)
        if not report.ok:
            raise report.error()
    if ours.error is not None:
        raise ours.error
    return ours.value
