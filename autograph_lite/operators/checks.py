"""How does a failing `assert` or `raise` get out of a compiled program? As values, carried along with the others.

Each check has a number. While a function is traced, its frame holds the number of the first check that failed (0: none),
and for each check the traced values that its message needs. A branch or a loop that contains a check changes this
state, and hands it on like any other state. At the outermost level of a trace that nobody else owns, the state becomes
an output of the program, and the call raises; elsewhere it is given to a host callback, or to checkify.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import threading
import traceback
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import checkify

from autograph_lite import _jax
from autograph_lite.errors import HandledRaiseError
from autograph_lite.operators import journal, where
from autograph_lite.operators.places import Contents, Place
from autograph_lite.operators.values import traced

_numbers = itertools.count(1)
REMEMBERED = 16  # exceptions on their way to the statement that stages them; a user's `except` may have stopped some
CODE = (0, 0)  # the other keys are (number of the check, position in its payload)


@dataclasses.dataclass(frozen=True)
class Site:
    """One check in the program.

    Attributes:
      make: makes the exception from the values of its payload.
      trace: file, line, column, function of the user's frames, outermost first.
    """

    number: int
    make: Callable[[list[Any]], BaseException]
    trace: traceback.StackSummary
    text: str


class Frame:
    """The checks of one trace.

    Attributes:
      contents: `CODE` -> number of the first failed check, an int32 scalar; (number, k) -> k-th payload value.
      sites: by number.
      mode: what becomes of them: 'outputs' (the owner of the trace takes the contents), 'callback', 'checkify',
        'inner' (the owner of the trace around runs it through checkify), or 'off'.
      inside: the mode of frames for traces that the user opens inside.
      base: the trace and the depth to which the frame belongs, as `journal.base` gives them.
    """

    def __init__(self, mode: str, base: tuple[object, int], inside: str = "inner") -> None:
        self.contents: Contents = {}
        self.sites: dict[int, Site] = {}
        self.mode, self.base = mode, base
        self.inside = inside
        self.inner = False  # whether there are checks in traces that the user has opened inside
        self.place = Place(self, lambda: dict(self.contents), self._write, lambda _: "a check")

    def _write(self, new: Contents) -> None:
        self.contents = dict(new)

    @property
    def failed(self) -> Any:
        """Whether a check has failed so far: False, or a traced bool."""
        return self.contents[CODE] != 0 if CODE in self.contents else False


class _Local(threading.local):
    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.handlers: list[tuple[Callable[[], Any], int, where.Location | tuple[()]]] = []
        self.raised: list[tuple[BaseException, Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = []
        self.default_mode = "callback"


_local = _Local()


def frame() -> Frame:
    """The frame of the trace that the running code belongs to."""
    base = journal.base()
    frames = _local.frames
    while frames and frames[-1].base != base and frames[-1].mode != "outputs":
        frames.pop()  # of a trace that was left
    if not frames or frames[-1].base != base:
        owner = next((f for f in frames if f.mode in ("outputs", "off")), None)
        frames.append(_frame_inside(owner, base))
    return frames[-1]


def _frame_inside(owner: Frame | None, base: tuple[object, int]) -> Frame:
    """A frame for a trace that the user has opened, inside that of `owner`."""
    if owner is None:
        return Frame(_local.default_mode, base)
    if owner.mode == "off":
        return Frame("off", base)
    new = Frame(owner.inside, base)
    if owner.inside == "inner":
        new.sites, owner.inner = owner.sites, True
    return new


@contextlib.contextmanager
def new_frame(mode: str, inside: str) -> Iterator[Frame]:
    """Checks of the code inside, a whole trace, go to a new frame."""
    new = Frame(mode, (None, 0), inside)
    outer, _local.frames = _local.frames, [new]
    try:
        yield new
    finally:
        _local.frames = outer


@contextlib.contextmanager
def default_mode(mode: str) -> Iterator[None]:
    """What happens to checks outside of any frame."""
    old, _local.default_mode = _local.default_mode, mode
    try:
        yield
    finally:
        _local.default_mode = old


def fail_if(failed: Any, error: BaseException) -> None:
    """A check of the program: where `failed`, a scalar bool, holds, the call raises `error`.

    Raises:
      HandledRaiseError: an `except` around would have to catch it.
    """
    refuse_handlers(error)
    here = frame()
    if here.mode == "off":
        return
    make, payload = recipe(error)
    number = next(_numbers)
    site = Site(number, make, _user_trace(error), template_text(error))
    here.sites[number] = site
    journal_ = journal.active()
    if journal_ is not None:
        journal_.note(here.place)
    contents = dict(here.contents)
    code = contents.get(CODE, 0)
    failed = jnp.asarray(failed)
    contents[CODE] = jnp.where((code == 0) & failed, jnp.int32(number), code)
    contents |= {(number, k): value for k, value in enumerate(payload)}
    here.contents = contents
    error.__traceback__ = None  # its frames hold tracers
    flush()


def flush() -> None:
    """Hands failed checks over, where no statement around will carry them on."""
    here = frame()
    state, depth = here.base
    if CODE not in here.contents or here.mode == "outputs":
        return
    if depth == journal.depth() and state == _jax.trace_state():
        contents, here.contents = here.contents, {}
        emit(contents, here.sites, here.mode)


def emit(contents: Contents, sites: dict[int, Site], mode: str) -> None:
    """Raises in the running program, as JAX allows: through checkify or through a host callback."""
    if mode in ("checkify", "inner"):
        for number in sorted(sites):
            payload = [value for _, value in sorted_payload(contents, number)]
            text = sites[number].text if mode == "checkify" else f"{_MARK}{number}"
            checkify.check(contents[CODE] != number, text, *map(jnp.asarray, payload))
        return
    keys = [key for key in contents if key != CODE]

    def on_host(code: Any, *values: Any) -> None:
        raise_failed({CODE: code, **dict(zip(keys, values, strict=True))}, sites)

    jax.debug.callback(on_host, contents[CODE], *[contents[key] for key in keys])


_MARK = "autograph_lite check "


def raise_inner(error: checkify.Error, sites: dict[int, Site]) -> None:
    """Raises what checkify found, if it found anything."""
    found = error.get_exception()
    if found is None:
        return
    lanes = getattr(found, "error_mapping", None)
    if lanes:
        first = min(lanes)
        raised = _from_checkify(lanes[first], sites)
        shown = ", ".join(str(lane[0] if len(lane) == 1 else lane) for lane in sorted(lanes))
        raised.add_note(f"in lane{'s' if len(lanes) > 1 else ''} {shown} of the batch")
        raise raised
    raise _from_checkify(found, sites)


def _from_checkify(found: Any, sites: dict[int, Site]) -> BaseException:
    site = sites[int(str(found.fmt_string).removeprefix(_MARK))]
    return with_trace(site.make([jax.device_get(value) for value in found.args]), site.trace)


def sorted_payload(contents: Contents, number: int) -> list[tuple[Hashable, Any]]:
    """The payload of one check, in order."""
    keys = sorted(key for key in contents if key[0] == number)
    return [(key, contents[key]) for key in keys]


def raise_failed(contents: Contents, sites: dict[int, Site]) -> None:
    """Raises the first failed check of a program that has run, if there is one.

    A batched program gives an array of codes: the first failing lane is raised, and the lanes are noted.
    """
    import numpy as np

    codes = np.asarray(contents.get(CODE, 0))
    if not codes.any():
        return
    lanes = np.argwhere(codes)
    first = tuple(lanes[0])
    number = int(codes[first])
    values = [np.asarray(value)[first] if codes.ndim else np.asarray(value) for _, value in sorted_payload(contents, number)]
    site = sites[number]
    error = site.make(values)
    if codes.ndim:
        shown = ", ".join(str(tuple(map(int, lane)) if codes.ndim > 1 else int(lane[0])) for lane in lanes[:10])
        error.add_note(f"in lane {shown} of the batch" if len(lanes) == 1 else f"in lanes {shown} of the batch")
    raise with_trace(error, site.trace)


def with_trace(error: BaseException, trace: traceback.StackSummary) -> BaseException:
    """`error` with a traceback that shows the user's lines."""
    tb = None
    for entry in reversed(trace):
        tb = _traceback_entry(entry, tb)
    return error.with_traceback(tb)


def _traceback_entry(entry: traceback.FrameSummary, rest: Any) -> Any:
    """A traceback entry at a line of the user's file, made by running an empty function there."""
    line = entry.lineno or 1
    code = compile("\n" * (line - 1) + "raise error", entry.filename, "exec").replace(co_name=entry.name)
    try:
        exec(code, {"error": _Marker(), "__name__": "__main__"})  # noqa: S102
    except _Marker as marker:
        made = marker.__traceback__
        assert made is not None and made.tb_next is not None
        made = made.tb_next
        import types

        return types.TracebackType(rest, made.tb_frame, made.tb_lasti, line)


class _Marker(Exception):
    pass


def _user_trace(error: BaseException) -> traceback.StackSummary:
    """The user's frames at the check: where the exception was raised, else those that run now."""
    tb = error.__traceback__
    entries = list(traceback.walk_tb(tb)) if tb is not None else []
    running = [(f, n) for f, n in traceback.walk_stack(None)][::-1]
    chosen = [(f, n) for f, n in [*running, *entries] if not where.is_ours(f.f_code.co_filename)]
    # Frames below the outermost converted call are the caller's own; the real traceback shows them.
    start = next((i for i, (f, _) in enumerate(chosen) if _is_converted(f)), len(chosen) - 1)
    summary = traceback.StackSummary.extract(iter(chosen[max(start, 0) :]), lookup_lines=False)
    merged: list[traceback.FrameSummary] = []
    for entry in summary:
        if merged and (merged[-1].filename, merged[-1].name) == (entry.filename, entry.name):
            merged.pop()  # nested statements of one function are one frame to the user
        merged.append(entry)
    return traceback.StackSummary.from_list(merged)


def _is_converted(frame: Any) -> bool:
    from autograph_lite.operators.calls import is_converted_code

    return is_converted_code(frame.f_code)


# Explicit `raise` statements


def explicit(error: BaseException, kind: Callable[..., Any] | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Remembers that the user's `raise` statement raises `error`, made by `kind(*args, **kwargs)`."""
    if journal.depth():
        del _local.raised[:-REMEMBERED]
        _local.raised.append((error, kind or type(error), args, kwargs))


def is_explicit(error: BaseException) -> bool:
    """Whether a `raise` statement of the user's has raised `error`."""
    return any(known is error for known, *_ in _local.raised)


def recipe(error: BaseException) -> tuple[Callable[[list[Any]], BaseException], list[Any]]:
    """How to make `error` again once its traced values are known, and those values."""
    for known, kind, args, kwargs in _local.raised:
        if known is error and (args or kwargs):
            return _from_call(error, kind, args, kwargs)
    return _from_call(error, type(error), error.args, {})


def _from_call(
    error: BaseException, kind: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[[list[Any]], BaseException], list[Any]]:
    leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=lambda v: isinstance(v, Text))
    payload: list[Any] = []
    slots: list[tuple[str, Any, list[int]]] = []
    for leaf in leaves:
        if isinstance(leaf, Text):
            slots.append(("text", leaf, _take(payload, [v for v in leaf.values if traced(v)])))
        elif traced(leaf):
            slots.append(("value", None, _take(payload, [leaf])))
        else:
            slots.append(("fixed", leaf, []))
    type_ = type(error)
    plain = [(kind_, leaf.plain() if isinstance(leaf, Text) else leaf, where_) for kind_, leaf, where_ in slots]

    def make(values: list[Any]) -> BaseException:
        new = [
            known if how == "fixed" else values[at[0]] if how == "value" else _formatted(known, [values[i] for i in at])
            for how, known, at in plain
        ]
        new_args, new_kwargs = jax.tree.unflatten(tree, new)
        try:
            made = kind(*new_args, **new_kwargs)
        except Exception:  # a user's constructor may want what it got while tracing
            made = None
        if not isinstance(made, BaseException):
            made = type_.__new__(type_, *new_args)
            made.args = tuple(new_args)
        return made

    return make, payload


def _take(payload: list[Any], values: list[Any]) -> list[int]:
    start = len(payload)
    payload += values
    return list(range(start, len(payload)))


class Text(str):
    """Text with traced values in it: their values come in when the program has run."""

    template: str
    values: tuple[Any, ...]

    def plain(self) -> tuple[str, tuple[Any, ...]]:
        """Template, and the values with None where a traced one has to be put."""
        return self.template, tuple(_HOLE if traced(v) else v for v in self.values)


_HOLE = object()


def _formatted(plain: tuple[str, tuple[Any, ...]], values: list[Any]) -> str:
    template, known = plain
    late = iter(values)
    return template.format(*[_scalar(next(late)) if v is _HOLE else v for v in known])


def _scalar(value: Any) -> Any:
    """NumPy's scalars print as Python's do."""
    return value.item() if getattr(value, "shape", None) == () else value


def format(template: str, *values: Any) -> str:  # noqa: A001 (the name that users read in generated code)
    """`template.format(*values)`; where a value is traced, text that is completed when the program has run."""
    text = template.format(*values)
    if not any(map(traced, values)):
        return text
    new = Text(text)
    new.template, new.values = template, values
    return new


def template_text(error: BaseException) -> str:
    """The message as a template for checkify, which fills the payload in."""
    parts = [a.template if isinstance(a, Text) else str(a).replace("{", "{{").replace("}", "}}") for a in error.args]
    return f"{type(error).__name__}: {', '.join(parts)}"


# `except` around a check


class handling:  # noqa: N801 (a context manager that reads as a verb)
    """Says which exceptions the `except` clauses around the code inside catch."""

    def __init__(self, kinds: Callable[[], Any]) -> None:
        self.kinds = kinds

    def __enter__(self) -> None:
        _local.handlers.append((self.kinds, journal.depth(), where.here()))

    def __exit__(self, *_: object) -> None:
        _local.handlers.pop()


def _catches(kinds: Any, error: BaseException) -> bool:
    if isinstance(kinds, tuple):
        return any(_catches(kind, error) for kind in kinds)
    return isinstance(kinds, type) and isinstance(error, kinds)


def refuse_handlers(error: BaseException) -> None:
    """Raises HandledRaiseError if an `except` around would have caught `error`, had Python raised it."""
    for kinds, _, location in reversed(_local.handlers):
        if _catches(kinds(), error):
            places = tuple(p for p in (where.here(), location) if p)
            raise HandledRaiseError(
                f"'{type(error).__name__}' is raised under a traced condition inside a `try` that catches it.",
                where=places,
                why="A compiled program raises after it has run, so that no `except` in it can catch.",
                fix="write the condition as an `if` with the handler's code in its branch.",
            )
