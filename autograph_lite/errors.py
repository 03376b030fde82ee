"""What can go wrong, one class per mistake: what was done, where, what was found, how to fix it.

Every class derives from `AutographError` and from the built-in exception that Python or JAX users would catch.
The docstring of each holds a failing and a mended program; both run as tests, and docs/errors.md shows them with the
message. They need `import itertools, linecache, jax, jax.numpy as jnp, numpy as np, autograph_lite`.
"""

from __future__ import annotations

import dataclasses
import pickle
import types
from collections.abc import Callable


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


running: list[Callable[[], Location | tuple[()]]] = []  # who tells the user's line that runs, above


class AutographError(Exception):
    """Base of all errors of this package.

    Attributes:
      what: one sentence that says what was done and found; or a whole message, of an error that is made again.
      where: the places in the user's source that are concerned, the decisive one first, each once; by default that which runs.
      why: the rule that was broken, with what was found on each side; may be empty.
      fix: what to type instead; may be empty.
      is_final: whether another try would hide it: a cache has by now what it would have computed, a generator is used up.
    """

    is_final = False

    def __init__(
        self,
        what: str,
        *,
        where: Location | tuple[Location | tuple[()] | None, ...] | None = None,
        why: str = "",
        fix: str = "",
    ) -> None:
        self.what, self.why, self.fix = what, why, fix
        if where is None:
            where = running[0]() if running and (why or fix) else ()
        places = (where,) if isinstance(where, Location) else where
        self.where: tuple[Location, ...] = tuple(dict.fromkeys(place for place in places if place))
        super().__init__(self._message())
        if type(self).__module__ == __name__:
            self.add_note(f"More: autograph-lite error {type(self).__name__}")

    def _message(self) -> str:
        lines = [self.what, *map(str, self.where)]
        lines += [f"  {line}" for line in self.why.splitlines()]
        lines += [f"  Fix: {self.fix}"] if self.fix else []
        return "\n".join(lines)


class ConversionError(AutographError, ValueError):
    r"""A function can't be converted, for a reason that lies in its source.

    Here the text that Python keeps is no longer that of the function, as after editing a file that is in use.

    Fails:

        def define(text):
            linecache.cache["model.py"] = len(text), None, text.splitlines(True), "model.py"
            namespace = {}
            exec(compile(text, "model.py", "exec"), namespace)
            return namespace["step"]

        step = define("def step(x):\n    return x\n")
        define("def step(x, rate):\n    return rate * x\n")
        autograph_lite.convert(step)(jnp.float32(2))

    Works:

        def define(text):
            linecache.cache["model.py"] = len(text), None, text.splitlines(True), "model.py"
            namespace = {}
            exec(compile(text, "model.py", "exec"), namespace)
            return namespace["step"]

        step = define("def step(x, rate):\n    return rate * x\n")
        autograph_lite.convert(step)(jnp.float32(2), 0.5)
    """


class SourceNotFoundError(ConversionError, OSError):
    r"""A function has no Python source that could be converted: it was made from text, or is not written in Python.

    Fails:

        exec("def step(x):\n    return x + 1\n")
        autograph_lite.convert(step)(jnp.float32(2))

    Works:

        @autograph_lite.convert
        def step(x):
            return x + 1

        step(jnp.float32(2))
    """


class NotAFunctionError(AutographError, TypeError):
    """A class, or something that can't be called, stands where a function is expected.

    Fails:

        class Scale:
            def __init__(self, rate):
                self.rate = rate

            def apply(self, x):
                return self.rate * x

        autograph_lite.convert(Scale)

    Works:

        class Scale:
            def __init__(self, rate):
                self.rate = rate

            @autograph_lite.convert
            def apply(self, x):
                return self.rate * x

        Scale(3.0).apply(jnp.float32(2))
    """


class UndefinedVariableError(AutographError, UnboundLocalError):
    """A variable is read where it may not have been assigned, and a traced value decides whether it was.

    Fails:

        @autograph_lite.convert
        def f(x):
            if x > 0:
                y = x
            return y

        f(jnp.float32(2))

    Works:

        @autograph_lite.convert
        def f(x):
            y = -x
            if x > 0:
                y = x
            return y

        f(jnp.float32(2))
    """


class BranchMismatchError(AutographError, TypeError):
    """A variable has different types on the two sides of a branch that a traced value decides.

    Fails:

        @autograph_lite.convert
        def f(x):
            if x > 0:
                y = jnp.stack([x, x])
            else:
                y = x
            return y

        f(jnp.float32(2))

    Works:

        @autograph_lite.convert
        def f(x):
            if x > 0:
                y = jnp.stack([x, x])
            else:
                y = jnp.stack([x, 0.0])
            return y

        f(jnp.float32(2))
    """


class CarryMismatchError(AutographError, TypeError):
    """A variable changes its shape or structure from one iteration of a staged loop to the next.

    Fails:

        @autograph_lite.convert
        def powers(x):
            found = jnp.array([x])
            while found[-1] < 100:
                found = jnp.concatenate([found, found[-1:] * x])
            return found

        powers(jnp.float32(2))

    Works:

        @autograph_lite.convert
        def powers(x):
            found = jnp.zeros(20)
            count, power = 0, x
            while power < 100:
                found[count] = power
                count, power = count + 1, power * x
            return found, count

        powers(jnp.float32(2))
    """


class ConditionError(AutographError, ValueError):
    """A condition is an array with more than one element, whose truth is ambiguous.

    Fails:

        @autograph_lite.convert
        def f(x):
            if x > 0:
                x = -x
            return x

        f(jnp.ones(3))

    Works:

        @autograph_lite.convert
        def f(x):
            if jnp.all(x > 0):
                x = -x
            return x

        f(jnp.ones(3))
    """


class PythonOnlyError(AutographError, TypeError):
    """A traced value decides where only Python can run: in a generator, a coroutine, a function without source.

    Fails:

        @autograph_lite.convert
        def f(xs):
            def positive():
                for x in xs:
                    if x > 0:
                        yield x

            items = positive()
            return sum(items)

        f(jnp.ones(3))

    Works:

        @autograph_lite.convert
        def f(xs):
            def positive():
                for x in xs:
                    if x > 0:
                        yield x

            return sum(positive())

        f(jnp.ones(3))
    """


class HandledRaiseError(AutographError, TypeError):
    """An `except` or a `with` would have to stop an exception of the running program, and can't.

    Fails:

        @autograph_lite.convert
        def f(xs):
            def root(x):
                if x < 0:
                    raise ValueError("negative")
                return jnp.sqrt(x)

            try:
                return jax.vmap(root)(xs)
            except ValueError:
                return xs

        f(jnp.arange(3.0))

    Works:

        @autograph_lite.convert
        def f(xs):
            def root(x):
                return jnp.sqrt(x)

            if (xs < 0).any():
                return xs
            return jax.vmap(root)(xs)

        f(jnp.arange(3.0))
    """


class MutationError(AutographError, TypeError):
    """An object is changed inside a staged statement in a way that a compiled program can't carry.

    Fails:

        @autograph_lite.convert
        def f(x):
            found = {}
            if x > 0:
                found["root"] = jnp.sqrt(x)
            return found

        f(jnp.float32(4))

    Works:

        @autograph_lite.convert
        def f(x):
            found = {"root": None}
            if x > 0:
                found["root"] = jnp.sqrt(x)
            return found

        f(jnp.float32(4))
    """

    stood_in = False  # whether nothing, or a None in the place, only stood in for a later value
    # whether the items of a list have no common type: a loop may do without one, with a body for each iteration
    of_items = False
    # the body of a loop that makes a list longer, and runs nobody knows how often
    lacks_room: types.CodeType | None = None


class TracedIndexError(AutographError, TypeError):
    """A traced value is used as a key or an index where no array meaning exists.

    Fails:

        @autograph_lite.convert
        def f(i):
            price = {0: 10, 1: 20}
            return price.pop(i)

        f(jnp.int32(1))

    Works:

        @autograph_lite.convert
        def f(i):
            price = {0: 10, 1: 20}
            return price[i]

        f(jnp.int32(1))
    """


class DynamicShapeError(AutographError, TypeError):
    """A part of an array, whose length only the data knows, is used where the length has to be known.

    Fails:

        @autograph_lite.convert
        def spectrum(x, n):
            return jnp.fft.fft(x[:n])

        spectrum(jnp.arange(5.0), jnp.int32(3))

    Works:

        @autograph_lite.convert
        def spectrum(x, n):
            return jnp.fft.fft(jnp.where(jnp.arange(5) < n, x, 0))

        spectrum(jnp.arange(5.0), jnp.int32(3))
    """


class SliceLengthError(AutographError, ValueError):
    """A slice of a traced place turns out shorter than the program needs it, or not as long as another one.

    Raised by the call, once the program has run: it is the data that tells.

    Fails:

        @autograph_lite.convert
        def window(x, i):
            return x[i : i + 3]

        window(jnp.arange(5.0), jnp.int32(4))

    Works:

        @autograph_lite.convert
        def window(x, i):
            return x[i : i + 3]

        window(jnp.arange(5.0), jnp.int32(2))
    """


class IterationError(AutographError, TypeError):
    """A loop can't be staged, nor run by Python, because of what it iterates over.

    Fails:

        @autograph_lite.convert
        def f(x):
            for k in itertools.cycle([1, 2, 5]):
                if k > x:
                    break
            return k

        f(jnp.int32(3))

    Works:

        @autograph_lite.convert
        def f(x):
            values, k = [1, 2, 5], 0
            while values[k % 3] <= x:
                k += 1
            return values[k % 3]

        f(jnp.int32(3))
    """


class TracedRecursionError(AutographError, RecursionError):
    """A function calls itself until a traced value says stop, and what it does has no place on a stack of frames.

    Fails:

        @autograph_lite.convert
        def countdown(n):
            return [] if n < 1 else [n, *countdown(n - 1)]

        countdown(jnp.int32(5))

    Works:

        @autograph_lite.convert
        def countdown(n):
            found = []
            while n >= 1:
                found.append(n)
                n -= 1
            return found

        countdown(jnp.int32(5))
    """


class MutatedArgumentError(AutographError, ValueError):
    """What was passed as an argument is changed inside the function, and somebody would not see it.

    Outside of JAX's transformations a change is written to the caller's list, dict or object, if the function sees that once.

    Fails:

        @autograph_lite.convert
        def f(xs, ys):
            xs.append(ys[0] + 1)
            return ys[-1]

        xs = [jnp.float32(2)]
        f(xs, xs)

    Works:

        @autograph_lite.convert
        def f(xs, ys):
            xs.append(ys[0] + 1)
            return ys[-1]

        xs = [jnp.float32(2)]
        f(xs, [*xs])
    """


class VariableError(AutographError, ValueError):
    """A Variable is created on a later call, or given a value of another shape or dtype than it has.

    Fails:

        @autograph_lite.convert
        def f(x):
            total = autograph_lite.Variable(0.0)
            total.assign_add(x)
            return total.value

        f(jnp.float32(2))

    Works:

        total = autograph_lite.Variable(0.0)

        @autograph_lite.convert
        def f(x):
            total.assign_add(x)
            return total.value

        f(jnp.float32(2))
    """


class DonatedArrayError(AutographError, RuntimeError):
    """An array is used whose memory was given away, or that can't be given away, as it is used twice.

    `convert(donate_argnums=0)` lets the program write its results into the memory of the first argument's arrays, as `jax.jit`
    does. After the call they are gone: the next one takes what it has returned.

    Fails:

        @autograph_lite.convert(donate_argnums=0)
        def step(state, x):
            return state + x

        state = jnp.zeros(3)
        step(state, 1.0)
        step(state, 2.0)

    Works:

        @autograph_lite.convert(donate_argnums=0)
        def step(state, x):
            return state + x

        state = jnp.zeros(3)
        state = step(state, 1.0)
        state = step(state, 2.0)
    """


class InitScopeError(AutographError, TypeError):
    """A traced value is used inside `init_scope`, where nothing is traced: it is not known there.

    Fails:

        @autograph_lite.convert
        def f(x):
            with autograph_lite.init_scope():
                weights = jnp.arange(3) * x
            return weights

        f(jnp.float32(2))

    Works:

        @autograph_lite.convert
        def f(x):
            with autograph_lite.init_scope():
                weights = jnp.arange(3)
            return weights * x

        f(jnp.float32(2))
    """


class NotDifferentiableError(AutographError, TypeError):
    """A `py_function` or a callback of JAX's is differentiated, and nobody has said what its derivative is.

    Or a loop is, whose `set_loop_options` say `differentiable=False`.

    Fails:

        @autograph_lite.convert
        def f(x):
            return x * autograph_lite.py_function(np.cbrt, (x,), result=x)

        jax.grad(f)(8.0)

    Works:

        def slope(args, result, cotangent):
            return (cotangent / (3 * result**2),)

        @autograph_lite.convert
        def f(x):
            return x * autograph_lite.py_function(np.cbrt, (x,), result=x, vjp=slope)

        jax.grad(f)(8.0)
    """


class TensorArrayError(AutographError, ValueError):
    """A `TensorArray` is written to and the result is not used, or it is given what does not fit.

    Fails:

        @autograph_lite.convert
        def squares(n):
            ys = autograph_lite.TensorArray(jnp.int32, 10)
            for i in range(n):
                ys.write(i, i * i)
            return ys.stack()

        squares(jnp.int32(3))

    Works:

        @autograph_lite.convert
        def squares(n):
            ys = autograph_lite.TensorArray(jnp.int32, 10)
            for i in range(n):
                ys = ys.write(i, i * i)
            return ys.stack()

        squares(jnp.int32(3))
    """


class CopyError(AutographError, TypeError):
    """A trace is copied that changes objects of the user's, so that the copy would change the same ones.

    Fails:

        import copy

        class Counter:
            def __init__(self):
                self.count = 0

            @autograph_lite.convert
            def add(self, x):
                self.count = self.count + x

        add = Counter().add.get_concrete_function(jnp.int32(1))
        copy.deepcopy(add)

    Works:

        import copy

        class Counter:
            def __init__(self):
                self.count = autograph_lite.Variable(0)

            @autograph_lite.convert
            def add(self, x):
                self.count.assign_add(x)

        add = Counter().add.get_concrete_function(jnp.int32(1))
        copy.deepcopy(add)
    """


class PicklingError(AutographError, pickle.PicklingError, TypeError):
    """A function is pickled that no module has under its name, so that it could not be found again.

    Fails:

        import pickle

        def scaled(rate):
            return autograph_lite.convert(lambda x: rate * x)

        pickle.dumps(scaled(3))

    Works:

        import pickle, statistics

        double = autograph_lite.convert(statistics.mean)
        pickle.dumps(double)
    """


class SaveError(AutographError, ValueError):
    """A function can't be saved: a part of its program, or of its arguments, is no data.

    Fails:

        @autograph_lite.convert
        def f(x):
            jax.debug.callback(print, x)
            return x + 1

        f(jnp.float32(2))
        autograph_lite.save("f.zip", f)

    Works:

        import os, tempfile

        @autograph_lite.convert
        def f(x):
            return x + 1

        f(jnp.float32(2))
        autograph_lite.save(os.path.join(tempfile.mkdtemp(), "f.zip"), f)
    """


class LoadError(AutographError, ValueError):
    """A file can't be loaded: it is damaged, or was written for another platform or by a newer version.

    Fails:

        import os

        autograph_lite.load(os.devnull)

    Works:

        import pathlib, tempfile

        path = pathlib.Path(tempfile.mkdtemp(), "f.zip")
        f = autograph_lite.convert(lambda x: x + 1)
        autograph_lite.save(path, f, (jnp.float32(2),))
        autograph_lite.load(path)(jnp.float32(3))
    """


class UnsavedSignatureError(AutographError, TypeError):
    """A loaded function is called with arguments of types that it was not saved for; there is no source to trace.

    Fails:

        import pathlib, tempfile

        path = pathlib.Path(tempfile.mkdtemp(), "f.zip")
        f = autograph_lite.convert(lambda x: x + 1)
        autograph_lite.save(path, f, (jnp.zeros(3),))
        autograph_lite.load(path)(jnp.zeros(4))

    Works:

        import pathlib, tempfile

        path = pathlib.Path(tempfile.mkdtemp(), "f.zip")
        f = autograph_lite.convert(lambda x: x + 1)
        autograph_lite.save(path, f, (autograph_lite.ArraySpec([None], jnp.float32),))
        autograph_lite.load(path)(jnp.zeros(4))
    """


class SavedCheckError(AutographError, RuntimeError):
    """A check of a loaded function fails whose exception is of a class of the user's, which no file can hold.

    Fails:

        import pathlib, tempfile

        class Heavy(Exception):
            pass

        @autograph_lite.convert
        def f(mass):
            if mass > 100:
                raise Heavy(f"{mass} kg")
            return mass

        path = pathlib.Path(tempfile.mkdtemp(), "f.zip")
        autograph_lite.save(path, f, (jnp.float32(1),))
        autograph_lite.load(path)(jnp.float32(101))

    Works:

        import pathlib, tempfile

        class Heavy(Exception):
            pass

        @autograph_lite.convert
        def f(mass):
            if mass > 100:
                raise Heavy(f"{mass} kg")
            return mass

        path = pathlib.Path(tempfile.mkdtemp(), "f.zip")
        autograph_lite.save(path, f, (jnp.float32(1),))
        try:
            autograph_lite.load(path)(jnp.float32(101))
        except RuntimeError:
            pass
    """


class CacheFolderError(AutographError, PermissionError):
    """A folder for compiled programs belongs to somebody else, or others may write to it: their programs would run here.

    Fails:

        autograph_lite.enable_compilation_cache("/tmp")

    Works:

        import tempfile

        autograph_lite.enable_compilation_cache(tempfile.mkdtemp())
        autograph_lite.disable_compilation_cache()
    """


class VerificationError(AutographError, AssertionError):
    """A compiled program does not do what the user's Python does: `verify="first_call"` runs both and compares.

    Fails:

        @autograph_lite.convert(verify="first_call")
        def digit(n):
            base = 9.0 if n < 10 else 16777217.0
            result = base % 10
            return result

        digit(jnp.int32(20))

    Works:

        @autograph_lite.convert(verify="first_call")
        def digit(n):
            base = 9 if n < 10 else 16777217
            result = base % 10
            return result

        digit(jnp.int32(20))
    """


class UnrolledLoopWarning(UserWarning):
    """A loop over Python values is traced once for each of its many iterations, which takes long to trace and compile.

    Fails:

        scale = {i: i / 400 for i in range(400)}

        @autograph_lite.convert
        def f(x):
            for i in range(400):
                x = jnp.sin(x * scale[i]) + 1
            return x

        f(jnp.float32(2))

    Works:

        scale = jnp.arange(400) / 400

        @autograph_lite.convert
        def f(x):
            for i in range(400):
                x = jnp.sin(x * scale[i]) + 1
            return x

        f(jnp.float32(2))
    """


class RetraceWarning(UserWarning):
    """A function is traced and compiled again by most of its calls, which costs much more than running it.

    Fails:

        @autograph_lite.convert
        def scale(x, n):
            return n * x

        for n in range(5):
            scale(jnp.float32(2), n)

    Works:

        @autograph_lite.convert
        def scale(x, n):
            return n * x

        for n in range(5):
            scale(jnp.float32(2), jnp.asarray(n))
    """


class RandomNumbersWarning(UserWarning):
    """Random numbers of Python's or NumPy's are drawn while a function is traced, so that all calls get the same ones.

    Fails:

        @autograph_lite.convert
        def noisy(x):
            return x + np.random.normal(size=3)

        noisy(jnp.zeros(3))

    Works:

        @autograph_lite.convert
        def noisy(x, key):
            return x + jax.random.normal(key, 3)

        noisy(jnp.zeros(3), jax.random.key(0))
    """


class SymbolicSizeWarning(UserWarning):
    """A function that should be traced once for arrays of all sizes is traced for each size, as a line asks for one.

    Fails:

        @autograph_lite.convert(input_signature=[autograph_lite.ArraySpec([None], jnp.float32)])
        def doubled(x):
            return jnp.stack([row * 2 for row in x])

        doubled(jnp.array([1.0, 3.0, 2.0]))

    Works:

        @autograph_lite.convert(input_signature=[autograph_lite.ArraySpec([None], jnp.float32)])
        def doubled(x):
            return jax.vmap(lambda row: row * 2)(x)

        doubled(jnp.array([1.0, 3.0, 2.0]))
    """
