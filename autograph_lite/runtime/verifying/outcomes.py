"""What comes of a call: what it returns or raises, what it prints, and what it leaves changed?"""

from __future__ import annotations

import contextlib
import dataclasses
import dis
import io
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import jax

from autograph_lite.errors import Location
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.user_code import source_places
from autograph_lite.runtime.verifying.observations import Seen, observe
from autograph_lite.runtime.verifying.snapshots import Kept, Part


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of a call."""

    value: Any  # what it returned
    returned: Seen  # what was in that
    error: Exception | None  # what it raised, if it did
    printed: str  # the text that `autograph_lite.print` and JAX's functions have written
    prints: dict[Location, str]  # the user's lines that have called `print`, with what they wrote
    changed: dict[Part, Seen]  # what is in the places that it changed


class _Heard(io.TextIOBase):
    """Takes what is printed, and hands it on to `onward`, if that is given."""

    def __init__(self, onward: TextIO | None) -> None:
        self.onward = onward
        self.printed: list[str] = []
        self.prints: dict[Location, list[str]] = {}

    def write(self, text: str) -> int:
        if self.onward is not None:
            self.onward.write(text)
        frame = sys._getframe(1)
        if not frame.f_code.co_filename.startswith(source_places.FOLDERS):
            self.prints.setdefault(source_places.of_frame(frame), []).append(text)
        elif not tracing_state.is_tracing():
            self.printed.append(text)
        elif isinstance(place := source_places.here(), Location):
            self.prints.setdefault(place, []).append(text)
        return len(text)

    def flush(self) -> None:
        if self.onward is not None:
            self.onward.flush()


@contextlib.contextmanager
def heard(*, onward: bool) -> Iterator[_Heard]:
    """Listens to what is printed; `onward` shows it, too."""
    out = _Heard(sys.stdout if onward else None)
    with contextlib.redirect_stdout(out):
        yield out


def outcome(call: Callable[[], Any], kept: Kept, *, shown: bool) -> Outcome:
    """Makes the call."""
    value, error = None, None
    with heard(onward=shown) as out:
        try:
            value = call()
            jax.block_until_ready(value)
        except Exception as raised:
            error = raised
        with contextlib.suppress(Exception):  # what a program raises late has been raised
            jax.effects_barrier()
    return outcome_of(value, error, out, kept)


def outcome_of(value: Any, error: Exception | None, out: _Heard, kept: Kept) -> Outcome:
    """The outcome of a call that is over."""
    prints = {place: "".join(texts) for place, texts in out.prints.items()}
    return Outcome(value, observe(value), error, "".join(out.printed), prints, kept.changes())


def is_raised_by_user(error: BaseException) -> bool:
    """Whether a `raise` or an `assert` of the user's has raised the error, so that its message is the user's."""
    for tb in source_places.entries(error.__traceback__)[-1:]:
        code = tb.tb_frame.f_code
        return not source_places.is_hidden(code) and dis.opname[code.co_code[tb.tb_lasti]] == "RAISE_VARARGS"
    return False
