"""What can go wrong, one class per mistake: what was done, where, what was found, how to fix it.

Every class derives from `AutographError` and from the built-in exception that Python or JAX users would catch.
The docstring of each holds a failing and a mended example; both run as tests, and docs/errors.md shows them.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Location:
    """A place in the user's source."""

    path: str
    line: int
    function: str
    text: str = ""

    def __str__(self) -> str:
        shown = f"  {self.path}:{self.line} in {self.function}"
        return f"{shown}\n      {self.text}" if self.text else shown


class AutographError(Exception):
    """Base of all errors of this package.

    Attributes:
      what: one sentence that says what was done and found.
      where: the places in the user's source that are concerned, the decisive one first.
      why: the rule that was broken, with what was found on each side; may be empty.
      fix: what to type instead; may be empty.
    """

    def __init__(
        self, what: str, *, where: Location | tuple[Location, ...] = (), why: str = "", fix: str = ""
    ) -> None:
        self.what, self.why, self.fix = what, why, fix
        self.where = (where,) if isinstance(where, Location) else tuple(where)
        super().__init__(self._message())

    def _message(self) -> str:
        lines = [self.what, *map(str, self.where)]
        lines += [f"  {line}" for line in self.why.splitlines()]
        lines += [f"  Fix: {self.fix}"] if self.fix else []
        return "\n".join(lines)


class ConversionError(AutographError, ValueError):
    r"""A function can't be converted, for a reason that lies in its source.

    Failing: the file was changed after it was imported, so its text is no longer that of the function.

    >>> import linecache
    >>> from autograph_lite.syntax.source import read
    >>> def save(text):
    ...     linecache.cache["<model>"] = len(text), None, text.splitlines(True), "<model>"
    ...     return compile(text, "<model>", "exec")
    >>> exec(save("def step(x):\n    return x\n"))
    >>> changed = save("def step(x, rate):\n    return rate * x\n")
    >>> read(step)
    Traceback (most recent call last):
    autograph_lite.errors.ConversionError: The source of 'step' has changed since it was defined.
      <model>:1 in step
          def step(x, rate):
      line 1 no longer defines 'step' with the same parameters.
      Fix: import the module again, or restart Python.

    Mended: import the new text first.

    >>> exec(changed)
    >>> read(step).text
    'def step(x, rate):\n    return rate * x\n'
    """


class SourceNotFoundError(ConversionError, OSError):
    r"""A function has no Python source that could be converted.

    Failing: the function was made from text that Python has not kept.

    >>> from autograph_lite.syntax.source import read
    >>> text = "def step(x):\n    return x + 1\n"
    >>> exec(text)
    >>> read(step)
    Traceback (most recent call last):
    autograph_lite.errors.SourceNotFoundError: No source for 'step'.
      Python has kept no text for '<string>'.
      Fix: define it in a file or a notebook cell, or register its text with `linecache`.

    Mended: define it in a file, or let Python keep the text.

    >>> import linecache
    >>> linecache.cache["<step>"] = len(text), None, text.splitlines(True), "<step>"
    >>> exec(compile(text, "<step>", "exec"))
    >>> read(step).first_line
    1
    """
class UndefinedVariableError(AutographError, UnboundLocalError):
    """A variable is read where it may not have been assigned, and a traced value decides whether it was.

    Fails:

        def f(x):
            if x > 0:
                y = x
            return y

    Works:

        def f(x):
            y = -x
            if x > 0:
                y = x
            return y
    """


class BranchMismatchError(AutographError, TypeError):
    """A variable has different types on the two sides of a branch that a traced value decides.

    Fails:

        def f(x):
            if x > 0:
                y = (x, x)
            else:
                y = x
            return y

    Works:

        def f(x):
            if x > 0:
                y = (x, x)
            else:
                y = (x, 0.0)
            return y
    """


class CarryMismatchError(AutographError, TypeError):
    """A variable changes its shape or structure from one iteration of a staged loop to the next.

    Fails:

        def f(x, n):
            while x.sum() < n:
                x = jnp.concatenate([x, x])
            return x

    Works:

        def f(x, n):
            while x.sum() < n:
                x = x + x
            return x
    """


class ConditionError(AutographError, ValueError):
    """A condition is an array with more than one element, whose truth is ambiguous.

    Fails:

        def f(x):
            if x > jnp.zeros(3):
                x = -x
            return x

    Works:

        def f(x):
            if jnp.all(x > jnp.zeros(3)):
                x = -x
            return x
    """


class PythonOnlyError(AutographError, TypeError):
    """A traced value decides in a place that only Python can run: a generator, a coroutine, a `finally` that jumps.

    Fails:

        def positive(x):
            if x > 0:
                yield x

        def f(x):
            return sum(positive(x))

    Works:

        def f(x):
            return jnp.where(x > 0, x, 0)
    """


class HandledRaiseError(AutographError, TypeError):
    """An `except` would have to catch an exception that is raised only when the compiled program runs.

    Fails:

        def f(x):
            try:
                if x < 0:
                    raise ValueError("negative")
                y = x
            except ValueError:
                y = -x
            return y

    Works:

        def f(x):
            if x < 0:
                y = -x
            else:
                y = x
            return y
    """


class MutationError(AutographError, TypeError):
    """An object is changed inside a staged statement in a way that a compiled program can't carry.

    Fails:

        def f(x, log):
            if x > 0:
                log.append(x)
            return len(log)

    Works:

        def f(x, log):
            log.append(jnp.where(x > 0, x, 0))
            return len(log)
    """


class TracedIndexError(AutographError, TypeError):
    """A traced value is used as a key or an index where no array meaning exists.

    Fails:

        def f(i):
            return {0: "zero", 1: "one"}[i]

    Works:

        def f(i):
            return jnp.array([10, 20])[i]
    """


class IterationError(AutographError, TypeError):
    """A loop can't be staged, nor run by Python, because of what it iterates over.

    Fails:

        def f(x):
            for k in itertools.count():
                if k > x:
                    break
            return k

    Works:

        def f(x):
            k = 0
            while k <= x:
                k += 1
            return k
    """


class TracedRecursionError(AutographError, RecursionError):
    """A function calls itself until a traced value says stop, so that tracing it would never end.

    Fails:

        def factorial(n):
            return 1 if n <= 1 else n * factorial(n - 1)

    Works:

        def factorial(n):
            product = 1
            while n > 1:
                product, n = product * n, n - 1
            return product
    """


class MutatedArgumentError(AutographError, ValueError):
    """A list or dict that was passed as an argument is changed inside the function: the caller would not see it.

    Fails:

        def f(xs):
            xs.append(xs[0] + 1)
            return xs[-1]

    Works:

        def f(xs):
            xs = [*xs, xs[0] + 1]
            return xs[-1]
    """


class UnrolledLoopWarning(UserWarning):
    """A loop over Python values is traced once for each of its many iterations."""
