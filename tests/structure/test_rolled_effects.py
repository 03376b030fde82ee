"""A rolled loop leaves behind what Python's loop leaves behind, whatever its body calls: else it is not rolled."""

from __future__ import annotations

import array
import collections
import contextlib
import csv
import ctypes
import dataclasses
import datetime
import functools
import hashlib
import io
import itertools
import logging
import math
import operator
import os
import queue
import random
import sqlite3
import sys
import threading
import time
import types
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from tests.properties.running import loaded

X = np.float32(1.5)


def rows_of_a_database(x):
    db = sqlite3.connect(":memory:")
    db.execute("create table steps (n)")
    for _ in range(20):
        db.execute("insert into steps values (1)")
        x = x + 1
    count = db.execute("select count(*) from steps").fetchone()[0]
    db.close()
    return x, count


def a_cursors_rows(x):
    db = sqlite3.connect(":memory:")
    rows = db.execute(
        "with recursive n(i) as (select 1 union select i + 1 from n where i < 30) select i from n"
    )
    for _ in range(20):
        x = x + rows.fetchone()[0]
    left = len(rows.fetchall())
    db.close()
    return x, left


def lines_of_a_file(x, path):
    with open(path, "w+") as file:  # noqa: PTH123
        for _ in range(20):
            file.write("step\n")
            x = x + 1
        file.seek(0)
        return x, file.read()


def lines_of_text(x):
    text = io.StringIO()
    for _ in range(20):
        text.write("step\n")
        x = x + 1
    return x, text.getvalue()


def a_stored_write(x):
    text = io.BytesIO()
    wrapped = io.TextIOWrapper(text)
    write = wrapped.write
    for _ in range(20):
        write("step\n")
        x = x + 1
    wrapped.flush()
    return x, text.getvalue()


def printed_to_a_file(x):
    text = io.StringIO()
    for _ in range(20):
        print("step", file=text)
        x = x + 1
    return x, text.getvalue()


def lines_on_the_screen(x):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        for _ in range(20):
            sys.stdout.write("step\n")
            x = x + 1
    return x, text.getvalue()


def rows_of_a_table(x):
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    for _ in range(20):
        rows.writerow([1, "step"])
        x = x + 1
    return x, text.getvalue()


def rows_that_are_read(x):
    rows = csv.reader([str(k) for k in range(30)])
    for _ in range(20):
        x = x + float(next(rows)[0])
    return x, len([*rows])


def a_hash(x):
    made = hashlib.sha256()
    for _ in range(20):
        made.update(b"step")
        x = x + 1
    return x, made.hexdigest()


def a_packed_stream(x):
    packer, packed = zlib.compressobj(), []
    for _ in range(20):
        packed.append(packer.compress(b"step"))
        x = x + 1
    return x, zlib.decompress(b"".join(packed) + packer.flush())


def a_semaphore(x):
    places = threading.Semaphore(0)
    for _ in range(20):
        places.release()
        x = x + 1
    return x, sum(places.acquire(blocking=False) for _ in range(30))


def an_event(x):
    once = threading.Event()
    for _ in range(20):
        if not once.is_set():
            x = x * 2
        once.set()
        x = x + 1
    return x


class Bar:
    """As tqdm: a library's class, since its code is of no file."""


BAR = types.ModuleType("bar")
BAR.__file__ = os.__file__
exec(
    compile(
        "class Bar:\n    def __init__(self): self.n = 0; self.shown = []\n"
        "    def update(self, n): self.n += n; self.shown.append(self.n)\n"
        "    def __iadd__(self, n): self.n += n; return self\n"
        "    def __enter__(self): self.n += 1; return self\n"
        "    def __exit__(self, *_): pass\n"
        "    def __setitem__(self, k, v): self.n += 1\n"
        "    def __setattr__(self, k, v): object.__setattr__(self, k, v) if k != 'text' else self.update(1)\n"
        "    def __iter__(self):\n        self.n += 1\n        return iter((1, 2))\n"
        "    def __contains__(self, one): self.n += 1; return True\n"
        "    def __delitem__(self, k): self.n += 1\n"
        "    def __getitem__(self, k): self.n += 1; return self.n\n"
        "    def __len__(self): self.n += 1; return self.n\n"
        "    def __call__(self, n): self.n += n; return self.n\n"
        "    def __format__(self, spec): self.n += 1; return str(self.n)\n"
        "    def __lshift__(self, n): self.n += n; return self\n"
        "    @property\n    def next(self): self.n += 1; return self.n\n"
        "def counted(fn):\n    def run(*args):\n        counted.n += 1\n        return fn(*args)\n    return run\n"
        "counted.n = 0\n",
        os.__file__,
        "exec",
    ),
    vars(BAR),
)


def a_progress_bar(x):
    bar = BAR.Bar()
    for _ in range(20):
        bar.update(1)
        x = x + 1
    return x, bar.n, bar.shown


def a_bar_that_is_added_to(x):
    bar = BAR.Bar()
    for _ in range(20):
        bar += 1
        x = x + 1
    return x, bar.n


def a_bar_that_is_entered(x):
    bar = BAR.Bar()
    for _ in range(20):
        with bar:
            x = x + 1
    return x, bar.n


def a_bars_item(x):
    bar = BAR.Bar()
    for _ in range(20):
        bar["step"] = 1
        x = x + 1
    return x, bar.n


def a_bars_attribute(x):
    bar = BAR.Bar()
    for _ in range(20):
        bar.text = "step"
        x = x + 1
    return x, bar.n


def a_bar_that_is_walked(x):
    bar = BAR.Bar()
    for _ in range(20):
        for k in bar:
            x = x + k
    return x, bar.n


def a_bar_that_is_asked(x):
    bar = BAR.Bar()
    for _ in range(20):
        if 1 in bar:
            x = x + 1
    return x, bar.n


def a_bars_item_that_goes(x):
    bar = BAR.Bar()
    for _ in range(20):
        del bar["step"]
        x = x + 1
    return x, bar.n


def a_bars_item_that_is_read(x):
    bar = BAR.Bar()
    key = "step"
    for _ in range(20):
        x = x + bar[key]
    return x, bar.n


def a_bars_length(x):
    bar = BAR.Bar()
    for _ in range(20):
        x = x + len(bar)
    return x, bar.n


def a_bar_that_is_called(x):
    bar = BAR.Bar()
    for _ in range(20):
        x = x + bar(1)
    return x, bar.n


def a_bar_in_a_text(x):
    bar = BAR.Bar()
    for _ in range(20):
        x = x + len(f"{bar}")
    return x, bar.n


def handed_to_map(x):
    bar = BAR.Bar()
    for _ in range(20):
        x = x + sum(map(bar, (1, 2)))
    return x, bar.n


def handed_to_sorted(x):
    text = io.TextIOWrapper(io.BytesIO())
    for _ in range(20):
        x = x + len(sorted(["b", "a"], key=text.write))
    return x, text.tell()


def handed_to_reduce(x):
    bar = BAR.Bar()

    def add(a, b):
        bar.update(1)
        return a + b

    for _ in range(20):
        x = functools.reduce(add, (1.0, 2.0), x)
    return x, bar.n


def a_partial(x):
    bar = BAR.Bar()
    more = functools.partial(bar.update, 1)
    for _ in range(20):
        more()
        x = x + 1
    return x, bar.n


def a_method_caller(x):
    bar, more = BAR.Bar(), operator.methodcaller("update", 1)
    for _ in range(20):
        more(bar)
        x = x + 1
    return x, bar.n


def a_tree_of_calls(x):
    bar = BAR.Bar()
    for _ in range(20):
        jax.tree.map(bar.update, {"a": 1, "b": 2})
        x = x + 1
    return x, bar.n


def a_function_that_is_wrapped(x):
    BAR.counted.n = 0

    @BAR.counted
    def more(y):
        return y + 1

    for _ in range(20):
        x = more(x)
    return x, BAR.counted.n


def a_memo(x):
    bar = BAR.Bar()

    @functools.lru_cache
    def more(n):
        bar.update(n)
        return n

    for _ in range(20):
        x = x + more(1)
    return x, bar.n, more.cache_info().hits


def a_helpers_effect(x):
    bar = BAR.Bar()

    def note(step):
        bar.update(1)
        return step

    for i in range(20):
        x = x + note(i)
    return x, bar.n


def in_a_comprehension(x):
    bar = BAR.Bar()
    for _ in range(20):
        x = x + sum([bar(1) for _ in range(2)])
    return x, bar.n


def in_a_branch(x):
    bar = BAR.Bar()
    for i in range(20):
        if i % 5 == 0:
            bar.update(1)
        x = x + i
    return x, bar.n


def in_an_inner_loop(x):
    bar = BAR.Bar()
    for i in range(20):
        for _ in range(3):
            bar.update(1)
            x = x + i
    return x, bar.n


def in_an_assert(x):
    bar = BAR.Bar()
    for _ in range(20):
        assert bar(1)
        x = x + 1
    return x, bar.n


def in_a_default(x):
    bar, found = BAR.Bar(), {}
    for _ in range(20):
        found.setdefault("step", bar(1))
        x = x + 1
    return x, bar.n, found


class Counted(BAR.Bar):
    """The user's subclass of a library's class."""

    def twice(self):
        self.update(2)


def a_users_subclass(x):
    bar = Counted()
    for _ in range(20):
        bar.twice()
        x = x + 1
    return x, bar.n


def an_inherited_method(x):
    bar = Counted()
    for _ in range(20):
        bar.update(2)
        x = x + 1
    return x, bar.n


class Registered(BAR.Bar):
    def __init__(self):
        TOTAL.update(1)
        super().__init__()


TOTAL = BAR.Bar()


def a_constructor(x):
    TOTAL.n = 0
    for _ in range(20):
        Registered()
        x = x + 1
    return x, TOTAL.n


def a_seeded_generator(x):
    numbers = random.Random(3)
    for _ in range(20):
        x = x + numbers.random()
    return x, numbers.random()


def the_modules_generator(x):
    random.seed(3)
    for _ in range(20):
        x = x + random.random()
    return x, random.random()


def numpys_generator(x):
    numbers = np.random.default_rng(3)
    for _ in range(20):
        x = x + np.float32(numbers.normal())
    return x, float(numbers.normal())


def numpys_global_generator(x):
    np.random.seed(3)
    for _ in range(20):
        x = x + np.float32(np.random.rand())
    return x, float(np.random.rand())


def a_counter_of_ticks(x):
    ticks = itertools.count()
    for _ in range(20):
        x = x + next(ticks)
    return x, next(ticks)


def a_cycle(x):
    weights = itertools.cycle([1.0, 2.0, 3.0])
    for _ in range(20):
        x = x + next(weights)
    return x, next(weights)


def an_iterator_in_a_sum(x):
    numbers = iter(range(100))
    for _ in range(20):
        x = x + sum(itertools.islice(numbers, 2))
    return x, next(numbers)


def an_iterator_in_fsum(x):
    numbers = iter(range(100))
    for _ in range(20):
        x = x + math.fsum(itertools.islice(numbers, 2))
    return x, next(numbers)


def an_iterator_that_is_searched(x):
    numbers = iter(range(100))
    for _ in range(20):
        if 3 in numbers:
            x = x + 1
        x = x + 1
    return x, next(numbers, None)


def an_iterator_of_an_array(x):
    numbers = iter([1.0] * 50)
    for _ in range(20):
        x = x + np.float32(np.fromiter(itertools.islice(numbers, 2), np.float32).sum())
    return x, len([*numbers])


def an_iterator_that_is_unpacked(x):
    numbers = map(float, range(100))
    for _ in range(20):
        a, b, *_rest = [*itertools.islice(numbers, 3)]
        x = x + a * b
    return x, next(numbers)


def iter_with_a_sentinel(x):
    text = io.TextIOWrapper(io.BytesIO(b"1\n2\n\n" * 30))
    for _ in range(20):
        x = x + sum(len(line) for line in iter(text.readline, "\n"))
    return x, text.readline()


def an_iterators_own_next(x):
    numbers = iter(range(100))
    for _ in range(20):
        x = x + numbers.__next__()
    return x, next(numbers)


def a_queue(x):
    waiting = queue.Queue()
    for _ in range(20):
        waiting.put(1)
        x = x + 1
    return x, waiting.qsize()


def a_simple_queue(x):
    waiting = queue.SimpleQueue()
    for k in range(50):
        waiting.put(k)
    for _ in range(20):
        x = x + waiting.get()
    return x, waiting.qsize()


def a_lock(x):
    lock = threading.Lock()
    for _ in range(19):
        if lock.locked():
            lock.release()
            x = x + 2
        else:
            lock.acquire()
        x = x + 1
    return x, lock.locked()


def the_environment(x):
    os.environ["AUTOGRAPH_LITE_TEST_STEPS"] = ""
    for _ in range(20):
        os.environ["AUTOGRAPH_LITE_TEST_STEPS"] += "s"
        x = x + 1
    return x, os.environ.pop("AUTOGRAPH_LITE_TEST_STEPS")


def environment_by_function(x):
    for _ in range(20):
        os.environ.setdefault("AUTOGRAPH_LITE_TEST_STEPS", "s")
        x = x + len(os.environ.pop("AUTOGRAPH_LITE_TEST_STEPS"))
    return x


def numbers_of_c(x):
    count = ctypes.c_int(0)
    for _ in range(20):
        count.value += 1
        x = x + count.value
    return x, count.value


def an_array_of_c(x):
    counts = (ctypes.c_int * 2)()
    for _ in range(20):
        counts[1] += 1
        x = x + 1
    return x, counts[1]


def a_machine_array(x):
    numbers = array.array("i", [0])
    for _ in range(20):
        numbers[0] += 1
        x = x + 1
    return x, numbers[0]


def numpys_array_by_ufunc(x):
    counts = np.zeros(3)
    for _ in range(20):
        np.add.at(counts, [0, 2], 1)
        x = x + 1
    return x, counts.tolist()


def numpys_array_by_out(x):
    counts = np.zeros(3)
    for _ in range(20):
        np.add(counts, 1, out=counts)
        x = x + 1
    return x, counts.tolist()


def numpys_array_by_copyto(x):
    counts = np.zeros(3)
    for _ in range(20):
        np.copyto(counts, counts + 1)
        x = x + 1
    return x, counts.tolist()


def numpys_array_by_method(x):
    counts = np.arange(5.0)
    for _ in range(20):
        counts.put([0], counts[0] + 1)
        x = x + 1
    return x, counts.tolist()


def a_log(x):
    text, log = io.StringIO(), logging.Logger("steps")
    log.addHandler(logging.StreamHandler(text))
    for _ in range(20):
        log.info("step")
        x = x + 1
    return x, text.getvalue()


def a_log_of_numbers(x):
    text, log = io.StringIO(), logging.Logger("steps")
    log.addHandler(logging.StreamHandler(text))
    for i in range(20):
        log.info("step %d", i)
        x = x + 1
    return x, text.getvalue()


def warned(x):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for _ in range(20):
            warnings.warn("step", stacklevel=1)
            x = x + 1
    return x, len(found)


def warned_by_reference(x):
    warn = warnings.warn
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for _ in range(20):
            warn("step", stacklevel=1)
            x = x + 1
    return x, len(found)


def a_clock(x):
    seen = set()
    for _ in range(20):
        seen.add(time.perf_counter_ns())
        x = x + 1
    return x, len(seen) > 10


def a_clock_of_a_class(x):
    seen = []
    for _ in range(20):
        seen.append(datetime.datetime.now())
        x = x + 1
    return x, len({*map(id, seen)})


def a_clock_by_reference(x):
    clock, first = time.perf_counter_ns, 0
    for _ in range(20):
        if clock() > first:
            first = clock()
            x = x + 1
    return x


def an_exit_stack(x):
    done = []
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            stack.callback(done.append, 1)
            x = x + 1
    return x, len(done)


def a_registered_function(x):
    bar = BAR.Bar()

    @functools.singledispatch
    def note(value):
        bar.update(1)

    @note.register
    def _(value: int):
        bar.update(2)

    for _ in range(20):
        note(1)
        note("a")
        x = x + 1
    return x, bar.n


def by_its_class(x):
    text = io.TextIOWrapper(io.BytesIO())
    for _ in range(20):
        io.TextIOWrapper.write(text, "a")
        x = x + 1
    return x, text.tell()


def written_bytes(x):
    reader, writer = os.pipe()
    for _ in range(20):
        os.write(writer, b"s")
        x = x + 1
    os.close(writer)
    found = os.read(reader, 100)
    os.close(reader)
    return x, found


def threads(x):
    found = []
    for _ in range(20):
        thread = threading.Thread(target=found.append, args=(1,))
        thread.start()
        thread.join()
        x = x + 1
    return x, found


def getattr_and_call(x):
    bar = BAR.Bar()
    for _ in range(20):
        getattr(bar, "update")(1)  # noqa: B009
        x = x + 1
    return x, bar.n


def in_an_else(x):
    bar = BAR.Bar()
    for _ in range(20):
        for _ in range(2):
            x = x + 1
        else:
            bar.update(1)
    return x, bar.n


def in_a_finally(x):
    bar = BAR.Bar()
    for _ in range(20):
        try:
            x = x + 1
        finally:
            bar.update(1)
    return x, bar.n


def in_a_lambda(x):
    bar = BAR.Bar()
    note = lambda: bar.update(1)  # noqa: E731
    for _ in range(20):
        note()
        x = x + 1
    return x, bar.n


def in_a_while(x):
    bar = BAR.Bar()
    for _ in range(20):
        k = 0
        while k < 2:
            bar.update(1)
            k += 1
        x = x + 1
    return x, bar.n


def in_a_generator(x):
    bar = BAR.Bar()

    def numbers():
        bar.update(1)
        yield 1.0

    for _ in range(20):
        x = x + sum(numbers())
    return x, bar.n


@contextlib.contextmanager
def noting(bar):
    bar.update(1)
    yield
    bar.update(1)


def in_a_manager(x):
    bar = BAR.Bar()
    for _ in range(20):
        with noting(bar):
            x = x + 1
    return x, bar.n


class Point:
    __slots__ = ("bar",)

    def __init__(self, bar):
        self.bar = bar

    def __add__(self, other):
        self.bar.update(1)
        return other + 1

    @property
    def more(self):
        self.bar.update(1)
        return 1.0


def in_an_operator(x):
    point = Point(BAR.Bar())
    for _ in range(20):
        x = (point + x) + point.more
    return x, point.bar.n


def a_text_stream_by_map(x):
    text = io.TextIOWrapper(io.BytesIO())
    for _ in range(20):
        x = x + len([*map(text.write, ("a", "b"))])
    return x, text.tell()


def an_attribute_that_is_added_to(x):
    held = types.SimpleNamespace(bar=BAR.Bar())
    for _ in range(20):
        held.bar += 1
        x = x + 1
    return x, held.bar.n


def an_item_that_is_added_to(x):
    held = {"bar": BAR.Bar()}
    for _ in range(20):
        held["bar"] += 1
        x = x + 1
    return x, held["bar"].n


def an_attribute_of_a_librarys_function(x):
    BAR.counted.n = 0
    for _ in range(20):
        BAR.counted.n = BAR.counted.n + 1
        x = x + 1
    return x, BAR.counted.n


def called_by_its_dunder(x):
    bar = BAR.Bar()
    for _ in range(20):
        bar.update.__call__(1)
        x = x + 1
    return x, bar.n


MADE: list[str] = []


class Registering:
    def __init_subclass__(cls):
        MADE.append(cls.__name__)


def classes_that_register(x):
    MADE.clear()
    for _ in range(20):

        class Made(Registering):
            pass

        x = x + 1
    return x, len(MADE)


def a_stack_that_calls_later(x):
    done = []
    for _ in range(20):
        with contextlib.ExitStack() as stack:
            stack.callback(done.append, 1)
            x = x + 1
    return x, len(done)


def a_tree_that_appends(x):
    done = []
    for _ in range(20):
        jax.tree.map(done.append, {"a": 1, "b": 2})
        x = x + 1
    return x, len(done)


@dataclasses.dataclass
class Row:
    number: int = dataclasses.field(default_factory=itertools.count().__next__)


def numbered_rows(x):
    first = Row().number
    for _ in range(20):
        Row()
        x = x + 1
    return x, Row().number - first


def a_default_of_a_dict(x):
    ticks = itertools.count()
    found = collections.defaultdict(ticks.__next__)
    for _ in range(20):
        x = x + found["step"]
        found.clear()
    return x, next(ticks)


def a_users_default_of_a_dict(x):
    bar = BAR.Bar()
    found = collections.defaultdict(lambda: bar(1))
    for _ in range(20):
        found["step"]
        found.clear()
        x = x + 1
    return x, bar.n


@autograph_lite.do_not_convert
def unconverted(bar):
    bar.update(1)
    return 1.0


def a_function_that_is_not_converted(x):
    bar = BAR.Bar()
    for _ in range(20):
        x = x + unconverted(bar)
    return x, bar.n


def a_function_of_c(x):
    library = ctypes.CDLL(None)
    library.srand(1)
    for _ in range(20):
        x = x + library.rand() % 7
    return x


PROGRAMS = [
    value
    for name, value in list(globals().items())
    if isinstance(value, types.FunctionType)
    and value.__module__ == __name__
    and value.__code__.co_varnames[:1] == ("x",)
    and value.__code__.co_argcount == 1
]


def same(ours: Any, python: Any) -> None:
    ours, python = (v if isinstance(v, tuple) else (v,) for v in (ours, python))
    np.testing.assert_allclose(ours[0], python[0], rtol=1e-5)
    assert ours[1:] == python[1:]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_effects_are_those_of_python(program: Callable[..., Any]) -> None:
    python = program(X)
    same(autograph_lite.convert(program, static_loops="auto")(X), python)


class Asked:
    """The user's object, which was there before the function."""

    bar = BAR.Bar()

    def _noted(self, *_):
        self.bar.update(1)
        return 1

    __len__ = __contains__ = __getitem__ = __neg__ = __matmul__ = __enter__ = __exit__ = __call__ = _noted
    __eq__ = __lt__ = __index__ = __delitem__ = __setitem__ = __hash__ = _noted

    def __bool__(self):
        return bool(self._noted())

    def __str__(self):
        return "a" * self._noted()

    __repr__ = __str__

    def __format__(self, _):
        return "a" * self._noted()

    def __iter__(self):
        return iter((self._noted(), 2))

    def __getattr__(self, name):
        return self._noted() if name == "other" else object.__getattribute__(self, name)

    def __setattr__(self, name, value):
        self._noted()

    def __iadd__(self, _):
        self._noted()
        return self

    more = property(_noted)


ASKED = Asked()
ASKING = [
    "len(ASKED)", "3 in ASKED", "ASKED['a']", "ASKED == 1", "bool(ASKED)", "if ASKED: x = x + 1", "-ASKED", "ASKED @ x",
    "with ASKED: pass", "for k in ASKED: x = x + k", "ASKED(x)", "hash(ASKED)", "ASKED.a = 1", "del ASKED['a']", "ASKED['a'] = 1",
    "ASKED.more", "ASKED.other", "x = x + len(f'{ASKED}')", "x = x + len(f'{ASKED!s}')", "[1.0, 2.0][ASKED]",
    "ASKED < 1", "'%s' % ASKED", "a, b = ASKED", "[*ASKED]", "sum(ASKED)", "getattr(ASKED, 'more')", "not ASKED", "{ASKED: 1}",
    "assert ASKED", "(lambda: ASKED.more)()", "jax.vmap(lambda w: w + ASKED.more)(jnp.ones(2))", "functools.partial(ASKED)(x)",
]  # fmt: skip


@pytest.mark.parametrize("statement", ASKING)
def test_special_methods_of_the_users_are_looked_into(statement: str) -> None:
    text = f"def f(x):\n    for _ in range(20):\n        {statement}\n        x = x + 1\n    return x\n"
    with loaded(text, jax=jax, jnp=jnp, functools=functools, ASKED=ASKED) as module:
        program = module["f"]
        counts = []
        for run in (program, autograph_lite.convert(program, static_loops="auto")):
            Asked.bar.n = 0
            counts.append((float(run(X)), Asked.bar.n))
    assert counts[1] == counts[0]
    assert counts[0][1] >= 20


def test_explain_names_the_call_and_its_line() -> None:
    text = io.TextIOWrapper(io.BytesIO())

    def note(step):
        text.write("step")
        return step

    def f(x):
        for i in range(20):
            x = x + note(i)
        return x

    (found,) = autograph_lite.explain(autograph_lite.convert(f, static_loops="auto"))(X)
    line = note.__code__.co_firstlineno + 1
    assert (found.became, found.why) == (
        "unrolled 20 times",
        f"it can't be rolled: 'TextIOWrapper.write' may leave something behind, or give something else, at each call (line {line})",
    )


def test_a_call_that_python_does_not_come_to_keeps_no_loop_from_being_rolled() -> None:
    def f(x, verbose=False):
        for i in range(20):
            if verbose:
                print(i)
            x = x + i
        return x

    (found, *_) = autograph_lite.explain(autograph_lite.convert(f, static_loops="auto"))(X)
    assert found.became == "scan of 20 steps"
    assert float(autograph_lite.convert(f, static_loops="auto")(X)) == f(X)


class Residual:
    def res(self, u):
        return u - 2


def asks_what_an_object_has(u, p):
    for _ in range(200):
        d = p.jac(u) if hasattr(p, "jac") else p.res(u)
        if isinstance(p, Residual) and type(u) is np.ndarray and callable(p.res):
            u = u - 0.5 * d
    return u


def asks_in_a_branch(u, p):
    for _ in range(200):
        if isinstance(u, np.ndarray) and not hasattr(p, "jac"):
            u = u * 0.5
        else:
            u = u + 1
    return u


def prints_what_data_decide(u, p):
    for k in range(200):
        d = p.res(u)
        if np.linalg.norm(d) < 1e-3:
            print(f"converged after {k}")
            return u, k
        u = u - 0.5 * d
    return u, -1


def prints_in_a_branch_around(u, p):
    for k in range(200):
        if u[0] > 1e-3:
            if k % 100 == 0:
                print("step", k)
            u = u * 0.5
    return u


def logs_what_data_decide(u, p):
    for k in range(200):
        if u[0] < 0.1:
            logging.getLogger("tests").debug("small in %s", k)
            break
        u = u * 0.5
    return u


@pytest.mark.parametrize(
    "program",
    [
        asks_what_an_object_has,
        asks_in_a_branch,
        prints_what_data_decide,
        prints_in_a_branch_around,
        logs_what_data_decide,
    ],
    ids=lambda program: program.__name__,
)
def test_what_asks_objects_or_prints_on_a_path_of_the_datas_is_rolled(program, capsys):
    u = np.array([1.0, 1.5], np.float32)
    expected = program(u.copy(), Residual())
    capsys.readouterr()

    explanation = str(autograph_lite.explain(program)(u.copy(), Residual()))

    assert "scan of 200 steps" in explanation or "while_loop" in explanation, explanation
    assert capsys.readouterr().out.count("\n") < 5
    jax.tree.map(
        lambda one, other: np.testing.assert_allclose(one, other, atol=1e-6),
        autograph_lite.convert(program)(u.copy(), Residual()),
        expected,
    )


def asks_for_the_class_of_a_number(u):
    floats = 0
    total = 0.0
    for k in range(60):
        if isinstance(k, int) and hasattr(total, "is_integer"):
            floats += type(total) is float
        total = u[0] * k
    return total, floats


def prints_what_python_decides(u):
    for k in range(60):
        if k % 20 == 0:
            print("step", k)
        u = u * 0.5
    return u


@pytest.mark.parametrize("program", [asks_for_the_class_of_a_number, prints_what_python_decides])
def test_what_pythons_numbers_are_asked_and_decide_is_not_rolled(program, capsys):
    u = np.array([1.0, 1.5])
    expected = program(u), capsys.readouterr().out

    with jax.enable_x64(True):
        found = autograph_lite.convert(program)(u)

    assert capsys.readouterr().out == expected[1]
    jax.tree.map(np.testing.assert_allclose, found, expected[0])
