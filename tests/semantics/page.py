"""What is in docs/retracing.md? The policy, and the rows of the table in which we differ from TensorFlow.

python -m tests.semantics.page        writes the page
"""

from __future__ import annotations

import pathlib

from .rows import NUMBERS, rows

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "retracing.md"

HEAD = f"""\
# Retracing

The first call of a converted function traces it: your Python runs once, with stand-ins for the arrays, and what it computes
becomes a program. Later calls run that program without Python, as long as it would be the same one. When it would not,
the function is traced again. This page says when that is.

## What a trace depends on

| argument | another trace for |
|---|---|
| an array of JAX or NumPy, a scalar of NumPy | another dtype, shape or weak type; never for other values |
| a number, text, bytes, `None`, an enum's member, a dtype, a class, a range, a slice | another value, or an equal one of another type: `1`, `1.0` and `True` are three |
| a list, tuple, dict, namedtuple, dataclass, a pytree that JAX knows | another class or other keys, and whatever its leaves ask for |
| a `Variable` | another shape, dtype or `trainable`, or another pattern of which arguments are one Variable; not another Variable |
| an object whose class has `__tracing_type__` | what the type that it returns says |
| any other object | another object, unless the two are equal and the trace neither writes to the object nor returns it |

The instance that a method is called on is its first argument, where it is a structure; of any other object the identity
counts, also where it equals others. Besides: JAX's configuration when the function is called (64 bits, precision, the mesh,
the default device).

- A call is bound to the parameters before anything is compared, defaults included: how it is spelled does not count.
- Of several traces that serve a call, the most specific one does. `get_concrete_function` makes a trace for exactly the
  types that it is asked for, also where a more general one is there.
- With `input_signature` there is one type of calls, and other calls are a `TypeError`.
- With `reduce_retracing` a size that varies becomes one that is open, for which Python runs once; each size is compiled.
- A trace that raises leaves nothing behind: the next call traces again.
- Values that the function reads from globals, closures and attributes are read by each call, which looks whether Python
  has changed them: a number becomes an input of the program by one more trace, another text or function is another trace.
  A `Variable` is read by each call. Attributes and items that the function writes to are read and written by each call, too.
- Traces hold the objects of a call weakly: an object goes when you let go of it, and its traces with it. `max_traces`
  bounds how many there are of the others.
- `explain_retraces()` tells what differed, and where the call came from; five traces in short order give a `RetraceWarning`.

## Differences from TensorFlow

TensorFlow unrolls a loop over Python values, whatever its length. Here it is unrolled where that makes a small program, and
[one loop of the program](loops.md) where it does not; the body is then traced once, and not once for each item.

The policy is that of `tf.function`, which was measured in {len(NUMBERS)} cases. Each is a test in tests/semantics, which makes the
calls and asserts the number of traces and of runs of Python after each of them. In those below we do something else, on
purpose; a list of numbers is the number of traces after each call.

| case | here | why |
|---|---|---|
"""


def page() -> str:
    """The text of docs/retracing.md."""
    lines = [
        f"| {_title(row.number, row.test)} | {row.deviation.here} | {row.deviation.why} |"
        for row in rows()
        if row.deviation is not None
    ]
    return HEAD + "\n".join(lines) + "\n"


def _title(number: str, test: str) -> str:
    return f"R{number}: {test.removeprefix(f'test_R{number}_').replace('_', ' ')}"


if __name__ == "__main__":
    PAGE.write_text(page())
