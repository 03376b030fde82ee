"""Does a converted program do what plain Python does, in every form in which it can run?

The forms: each pass of part 1 as Python; the converted function on Python values; under `jax.jit` with
every argument traced; through `convert` where Python raises; under `jax.vmap`. A refusal is an
`AutographError`: it is counted, and its class must be one that the contract names. Anything else that
differs from plain Python is a finding.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite
from autograph_lite import transpiler
from autograph_lite.operators.calls import callables
from autograph_lite.operators.values import one_of

from . import refusals
from .findings import Finding, Report, crash
from .programs import Program
from .running import Run, SlowAsWarned, TookTooLong, Values, loaded, run, same_error, same_numbers, same_run

# Random programs are compiled once and run a few times: optimising them costs more than it saves.
FAST_COMPILE = {"xla_backend_optimization_level": 0}


class _Comparison:
    """One program in all of its forms.

    Attributes:
      program: the program.
      report: what was found so far.
      python: what plain Python did, per input.
    """

    def __init__(self, program: Program) -> None:
        self.program, self.report = program, Report()
        self.report.counts["programs"] += 1
        self.log: list[str] = []
        with loaded(program.source, xp=np, note=self.note) as namespace:
            self.python = [run(namespace["main"], inputs, self.log) for inputs in program.inputs]

    def note(self, tag: object, value: object) -> object:
        """What programs call to show when, and with which value, an expression is evaluated."""
        self.log.append(f"{tag}:{value!r}")
        return value

    def found(self, form: str, detail: str, inputs: Values = ()) -> None:
        self.report.findings.append(Finding(form, detail, self.program, inputs))

    def attempt(self, form: str, action: Callable[[], Any]) -> Any:
        """The action's result, or None after counting a refusal or recording a crash."""
        try:
            return action()
        except autograph_lite.AutographError as error:
            self.refused(form, error)
        except Exception as error:
            self.found(form, crash(error))
        return None

    def refused(self, form: str, error: Exception) -> None:
        """Counts a refusal; one that the contract does not name for such a program is a finding."""
        self.report.counts[f"{form}: refused"] += 1
        self.report.refusals[type(error).__name__] += 1
        if not refusals.justified(error, self.program.features):
            self.found(form, f"refused without reason: {type(error).__name__}: {error}")

    def as_python(self, form: str, convert: Callable[[Any], Any]) -> None:
        """Compares a conversion that runs on Python values."""
        with loaded(self.program.source, xp=np, note=self.note) as namespace:
            if form.startswith("after"):
                self.attempt(form, lambda: _convert_helpers(namespace, convert))
            function = self.attempt(form, lambda: convert(namespace["main"]))
            if function is None:
                return
            for inputs, python in zip(self.program.inputs, self.python, strict=True):
                if form.startswith("after") and isinstance(python.error, NameError):
                    continue  # the checks for missing variables come with part 2
                self.report.counts[f"{form}: runs"] += 1
                ours = run(function, inputs, self.log)
                if not same_run(ours, python):
                    self.found(form, f"\n  ours   {ours}\n  python {python}", inputs)
                    return

    def jitted(self) -> None:
        """Compares the compiled program on the inputs where Python gives a value."""
        with loaded(self.program.source, xp=jnp, note=_silent) as namespace:
            converted = self.attempt("jit", lambda: autograph_lite.to_graph(namespace["main"]))
            if converted is None:
                return
            jitted = jax.jit(converted, compiler_options=FAST_COMPILE)

            def staged(*arguments: Any) -> Any:
                return one_of.settled(
                    jitted(*arguments)
                )  # None beside an array leaves a jit as one of several

            for inputs, python in zip(self.program.inputs, self.python, strict=True):
                if python.error is None and not self.agrees(
                    "jit", staged, inputs, self.arguments(inputs), python
                ):
                    return

    def arguments(self, inputs: Values) -> Values:
        """The inputs for a compiled program: in half of the programs Python scalars stay weakly typed."""
        if len(self.program.source) % 2:
            return inputs
        return tuple(_array(value) for value in inputs)

    def agrees(
        self, form: str, staged: Callable[..., Any], inputs: Values, arguments: Values, python: Run
    ) -> bool:
        """Runs a compiled program; False if it is not worth running it on more inputs."""
        self.report.counts[f"{form}: runs"] += 1
        ours = run(staged, arguments, [])
        if self.is_slow(form, ours):
            return False
        if ours.error is not None and (refusal := refusals.within(ours.error)) is not None:
            self.refused(form, refusal)
        elif ours.error is not None:
            self.found(form, crash(ours.error), inputs)
        elif same_numbers(ours.value, python.value, promotes="promotion" in self.program.features):
            return True
        else:
            self.found(form, f"wrong value\n  ours   {ours.value!r}\n  python {python.value!r}", inputs)
        return False

    def is_slow(self, form: str, ours: Run) -> bool:
        """Whether a program does not end in time, as a warning has said; it is counted then."""
        if not isinstance(ours.error, SlowAsWarned):
            return False
        self.report.counts[f"{form}: slow, as an UnrolledLoopWarning said"] += 1
        return True

    def raised(self) -> None:
        """Compares exceptions, through `convert`, on the inputs where Python raises."""
        failing = [
            (inputs, ours)
            for inputs, ours in zip(self.program.inputs, self.python, strict=True)
            if ours.error
        ]
        if not failing:
            return
        with loaded(self.program.source, xp=jnp, note=_silent) as namespace:
            function = self.attempt("raise", lambda: autograph_lite.convert(namespace["main"]))
            for inputs, python in failing if function else ():
                self.report.counts["raise: runs"] += 1
                ours = run(function, tuple(jnp.asarray(_array(value)) for value in inputs), [])
                if same_error(ours.error, python.error):
                    continue
                if self.is_slow("raise", ours):
                    return
                if isinstance(ours.error, autograph_lite.AutographError):
                    self.refused("raise", ours.error)
                else:
                    self.found("raise", f"\n  ours   {ours}\n  python {python}", inputs)
                return

    def mapped(self) -> None:
        """Compares `vmap` over all inputs with Python's results, stacked."""
        values = [python.value for python in self.python if python.error is None]
        if len(values) < len(self.python) or not _stackable(values):
            return
        batch = tuple(
            np.stack([_array(value) for value in column]) for column in zip(*self.program.inputs, strict=True)
        )
        with loaded(self.program.source, xp=jnp, note=_silent) as namespace:
            converted = self.attempt("vmap", lambda: autograph_lite.to_graph(namespace["main"]))
            if converted is None:
                return
            jitted = jax.jit(jax.vmap(converted), compiler_options=FAST_COMPILE)

            def staged(*arguments: Any) -> Any:
                return chosen(jitted(*arguments))

            wanted = jax.tree.map(lambda *leaves: np.stack(leaves), *values)
            self.agrees("vmap", staged, (), batch, Run(wanted, None))


def chosen(results: Any) -> Any:
    """What left a jit, where None beside an array is one of several; of a batch, that of all its lanes."""

    def one(leaf: Any) -> Any:
        if type(leaf) is not one_of.OneOf:
            return leaf
        [number] = {*np.ravel(one_of.tag_of(leaf)).tolist()}
        return one_of.OneOf(number, one_of.options_of(leaf))

    return one_of.settled(jax.tree.map(one, results, is_leaf=lambda leaf: type(leaf) is one_of.OneOf))


def compare(program: Program, *, stage: bool = True, batch: bool = False, only: str | None = None) -> Report:
    """Runs `program` in its forms and reports where they differ from plain Python.

    Args:
      program: the program with its inputs.
      stage: whether to compile it, too; without that a program takes milliseconds.
      batch: whether to run it under `jax.vmap`, too.
      only: the one form to run, if not all of them.

    Returns:
      Counts, refusals and findings.
    """
    comparison = _Comparison(program)
    if any(isinstance(python.error, TookTooLong) for python in comparison.python):
        raise AssertionError(f"the generator wrote a program that does not end\n{program.source}")
    forms: dict[str, Callable[[], None]] = {}
    for name in transpiler.PART_ONE:
        convert = functools.partial(transpiler.convert_part_one, after=name)
        forms[f"after {name}"] = functools.partial(comparison.as_python, f"after {name}", convert)
    forms["converted"] = functools.partial(comparison.as_python, "converted", autograph_lite.to_graph)
    # The form that is traced, run on Python values: `to_graph` has a lighter one for these.
    forms["full form"] = functools.partial(comparison.as_python, "full form", callables.convert_callable)
    forms |= {"jit": comparison.jitted, "raise": comparison.raised} if stage else {}
    forms |= {"vmap": comparison.mapped} if batch else {}
    for form, run_form in forms.items():
        # What goes wrong on Python values need not be compiled.
        if form == only or (only is None and not comparison.report.findings):
            run_form()
    return comparison.report


def _convert_helpers(namespace: dict[str, Any], convert: Callable[[Any], Any]) -> None:
    """Replaces the functions beside `main`, and the methods of the classes, by their converted forms."""
    own = {
        name: value
        for name, value in namespace.items()
        if getattr(value, "__module__", None) == namespace["__name__"]
    }
    owners = [value for value in own.values() if isinstance(value, type)]
    for name, value in own.items():
        if name != "main" and isinstance(value, types.FunctionType):
            namespace[name] = convert(value)
    for owner in owners:
        for name, value in list(vars(owner).items()):
            if isinstance(value, types.FunctionType):
                setattr(owner, name, convert(value))


def _silent(tag: object, value: object) -> object:
    """Stands for `note` in compiled programs, which keep no log."""
    return value


def _array(value: Any) -> Any:
    """The value as NumPy's array of 32 bits."""
    if isinstance(value, bool | np.ndarray):
        return np.asarray(value)
    return np.asarray(value, np.int32 if isinstance(value, int) else np.float32)


def _stackable(values: list[Any]) -> bool:
    """Whether all results have one structure and one kind of number per leaf."""
    kinds = [
        jax.tree.map(lambda leaf: (np.asarray(leaf).dtype.kind, np.shape(leaf)), value) for value in values
    ]
    structures = {
        str(jax.tree.structure(value)) + str(kind) for value, kind in zip(values, kinds, strict=True)
    }
    return len(structures) == 1
