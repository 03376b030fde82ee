"""Texts, enums, functions and classes that a traced value chooses: states, modes, solvers."""

from __future__ import annotations

import enum

import numpy as np

from tests.one_of.agreement import program


@program((5,), (0,))
def text_states(n):
    state, k = "start", 0
    while state != "done":
        if state == "start":
            state = "run" if n > 0 else "done"
        elif state == "run":
            k += 2
            if k >= n:
                state = "stop"
        elif state == "stop":
            k += 100
            state = "done"
    return state, k


class Light(enum.Enum):
    RED = 0
    GREEN = 1
    YELLOW = 2

    @property
    def seconds(self):
        return self.value * 10 + 1


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 7


@program((4,), (7,), (0,))
def enum_states(n):
    light, waited = Light.RED, 0
    for _ in range(n):
        waited += light.seconds
        if light is Light.RED:
            light = Light.GREEN
        elif light == Light.GREEN:
            light = Light.YELLOW
        else:
            light = Light.RED
    return light, waited, light.name, light.value, light in (Light.RED, Light.YELLOW)


@program((4,), (0,))
def int_enum(n):
    level = Level.HIGH if n > 2 else Level.LOW
    return level + 1, level == Level.HIGH, level > 3, level == 7


@program((1.0,), (-1.0,), (0.0,))
def matched_texts(x):
    s = "up" if x > 0 else ("down" if x < 0 else "flat")
    match s:
        case "up" | "flat":
            r = 1
        case "down":
            r = 2
        case _:
            r = 3
    return r, s


@program((1,), (2,), (5,))
def matched_enums(n):
    light = Light.RED if n == 1 else (Light.GREEN if n == 2 else Light.YELLOW)
    match light:
        case Light.RED:
            return 10
        case Light.GREEN:
            return 20
    return 30


@program((1.0,), (-1.0,))
def compared_texts(x):
    s = "alpha" if x > 0 else "beta"
    return (
        s in ("alpha", "gamma"),
        s.upper(),
        s.startswith("a"),
        s == "beta",
        s != "beta",
        s[0],
        s < "b",
        len(s),
    )


@program((1.0,), (-1.0,))
def truth_of_texts(x):
    name = "" if x < 0 else "n"
    return (1 if name else 2), (name or "default"), not name


@program((0,), (1,), (2,), (3,))
def narrowed_texts(n):
    s = "a" if n == 0 else ("b" if n == 1 else ("c" if n == 2 else "d"))
    if s in ("a", "b"):
        r = 1 if s == "a" else 2
        if s == "c":
            r = 100
    elif not (s != "c"):
        r = 3
    else:
        r = {"d": 4}[s]
    return r


@program((1.0,), (-1.0,))
def key_of_a_dict(x):
    mode = "a" if x > 0 else "b"
    return {"a": 1, "b": 2.5}[mode] + len(mode + "z")


@program((1.0,), (-1.0,))
def missing_key_of_a_dict(x):
    mode = "a" if x > 0 else "b"
    return {"a": 1}[mode]


@program((1.0,), (-1.0,))
def item_of_a_dict_that_is_written(x):
    counts = {"up": 0, "down": 0}
    mode = "up" if x > 0 else "down"
    counts[mode] += 3
    counts[mode] = counts[mode] * 2
    return counts


@program((1,), (5,))
def number_as_key(i):
    return {0: 10, 1: 20}[i]


@program((0,), (1,), (7,))
def functions_by_number(i):
    return {0: triple, 1: double}[i](i + 2.0)


def triple(x):
    return x * 3


def double(x):
    if x > 100:
        x = x + 1
    return x * 2


@program((0,), (1,), (2,), (-1,))
def functions_in_a_list(i):
    return [triple, double, lambda z: z - 1][i](i + 1.0)


@program((0,), (1,), (4,))
def texts_in_a_tuple(i):
    return ("red", "green", "blue")[i]


@program((1.0,), (-1.0,), (6.0,))
def chosen_functions(x):
    f = triple if x > 0 else double
    g = (lambda z: z + 1) if x > 5 else f
    return f(x) + g(x) * 10


@program((3.0, 1e-3), (-1.0, 1e-3))
def newton_or_bisection(x, tolerance):
    def newton(lo, hi, x):
        return lo, hi, x - (x * x - 2) / (2 * x)

    def bisect(lo, hi, x):
        middle = (lo + hi) / 2
        if middle * middle > 2:
            hi = middle
        else:
            lo = middle
        return lo, hi, (lo + hi) / 2

    lo, hi, count = 0.0, 3.0, 0
    while abs(x * x - 2) > tolerance and count < 50:
        step = newton if x > 0.5 else bisect
        lo, hi, x = step(lo, hi, x)
        count += 1
    return x * 0 + round_(x), count


def round_(x):
    return (x * 100) // 1


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3 * self.r * self.r


class Square:
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s * self.s


@program((1.0,), (-2.0,))
def chosen_class(x):
    kind = Circle if x > 0 else Square
    return kind(x).area(), kind is Circle, kind.__name__ if hasattr(kind, "__name__") else ""


@program((1.0,), (-1.0,))
def text_of_texts(x):
    status = "good" if x > 0 else "bad"
    text = f"status is {status}, {status!r:>6}"
    return text, text.count("o")


@program((1.0,), (-1.0,), (4.0,))
def message_of_an_exception(x):
    status = "good" if x > 0 else "bad"
    x = x * 2
    if x < 5:
        raise ValueError(f"status is {status} at {x}")
    return x


@program((1.0,), (-1.0,))
def message_where_it_is_known(x):
    status = "good" if x > 0 else "bad"
    if status == "bad":
        raise ValueError(f"status is {status}")
    return x


@program((1.0,), (-1.0,))
def chosen_exception(x):
    kind = ValueError if x > 0 else KeyError
    if x < 5:
        raise kind("chosen")
    return x


class Solver:
    """As SciPy's: what a step leaves in it are texts, None and numbers."""

    def __init__(self, t, y, t_bound, h):
        self.t, self.y, self.t_bound, self.h = t, y, t_bound, h
        self.y_old = None
        self.t_old = None
        self.status = "running"

    def step(self):
        if self.status != "running":
            raise RuntimeError("Attempt to step on a failed or finished solver.")
        if self.t == self.t_bound:
            self.t_old = self.t
            message = None
            self.status = "finished"
        else:
            success, message = self._step_impl()
            if not success:
                self.status = "failed"
            elif self.t - self.t_bound >= 0:
                self.status = "finished"
        return message

    def _step_impl(self):
        h = self.h
        if h < 1e-3:
            return False, "step too small"
        self.y_old, self.t_old = self.y, self.t
        self.y = self.y + h * -self.y
        self.t = min(self.t + h, self.t_bound)
        return True, None

    def step_size(self):
        if self.t_old is None:
            return None
        return abs(self.t - self.t_old)


@program((1.0, 0.25), (1.0, 1e-5))
def solved(y0, h):
    s = Solver(y0 * 0, y0, y0, h)
    n = 0
    message = None
    while s.status == "running":
        message = s.step()
        n += 1
    return s.status, s.y, n, message, s.step_size(), s.y_old


@program((1.0, 0.25, 3), (1.0, 0.25, 9))
def solved_by_steps(y0, h, n):
    s = Solver(y0 * 0, y0, y0, h)
    for _ in range(n):
        s.step()
    return s.t, s.y, s.status


@program((6,), (0,))
def two_machines(n):
    a, b, log = "idle", Light.RED, None
    for _ in range(n):
        if a == "idle" and b is not Light.YELLOW:
            a = "busy"
        elif a == "busy":
            a, b = "idle", (Light.GREEN if b is Light.RED else Light.YELLOW)
            log = f"{a}-{b.name}"
        else:
            a = "stuck"
    return a, b, log


@program((np.array([1, 5, 2, 0]),), (np.array([0]),))
def parsed(tokens):
    """A parser's states, as texts and as a dict of moves."""
    moves = {("number", True): "operator", ("operator", False): "number"}
    state, count = "number", 0
    for token in tokens:
        if (state == "number") == (token > 3):
            state = "error" if state == "operator" else moves["number", True]
            count += 1
        elif state != "error":
            state = "number"
    return state, count


@program((1.0,), (-1.0,))
def sum_type_as_a_pair(x):
    kind, payload = ("ok", x) if x > 0 else ("error", None)
    if kind == "ok":
        return payload * 2
    return -1.0


@program((3,), (0,))
def history_of_states(n):
    state, history = "a", []
    for i in range(5):
        history.append(state)
        if i < n:
            state = "b" if state == "a" else "a"
    return history[-1], len(history), history[2] == "a"


@program((1.0,), (-1.0,))
def chosen_exception_without_a_call(x):
    kind = ValueError if x > 0 else KeyError
    if x < 5:
        raise kind
    return x


@program((1.0,), (-1.0,), (9.0,))
def exception_with_a_text(x):
    status = "good" if x > 0 else "bad"
    best = None if x < 0 else x
    if x < 5:
        raise ValueError(status, 3)
    return x


@program((9,), (2,))
def a_number_beside_none_in_a_chain(n):
    k, total = None, 0
    for i in range(n):
        if k == 0:
            total, k = total + 1, 1
        elif k == 1:
            total, k = total + 10, 0 if i > 3 else 1
        elif i > 1:
            k = 0
    return total, k


@program((0,), (1,), (2,), (3,), (4,))
def cases_of_every_kind(n):
    found = None
    if n == 1:
        found = "one"
    elif n == 2:
        found = Light.RED
    elif n == 3:
        found = Level.HIGH
    elif n == 4:
        found = abs
    if found is None:
        k = 1
    elif found in ("one", "two"):
        k = 2
    elif found is Light.RED or found is Light.GREEN:
        k = 3
    elif found == Level.HIGH:
        k = 4 + found
    else:
        k = found(-7)
    return k


@program((3.0,), (0.5,), (-2.0,))
def the_chosen_function_in_a_chain(x):
    step = np.sin if x > 1 else np.cos if x > 0 else None
    if step is np.sin:
        y = x * 2
    elif step is np.cos:
        y = step(x)
    else:
        y = 0.0
    return y


@program((1.0,), (-1.0,))
def a_case_that_its_class_compares(x):
    class Close:
        def __init__(self, size):
            self.size = size

        def __eq__(self, other):
            return abs(self.size - other.size) < 2

        __hash__ = None

    small, large = Close(1), Close(9)
    found = small if x > 0 else large

    class Known:
        FIRST, SECOND = Close(2), Close(8)

    if found == Known.FIRST:
        return 1
    elif found == Known.SECOND:
        return 2
    return 3


@program((4,), (1,))
def a_match_of_texts(n):
    state, seen = "start", 0
    for i in range(n):
        match state:
            case "start":
                state = "run" if i > 0 else "start"
            case "run" | "walk":
                seen, state = seen + 1, "stop"
            case _:
                seen = seen + 100
    return state, seen


@program((1, 2.0), (2, 2.0), (1, -2.0))
def test_with_an_operand_that_python_knows(i, x):
    value = None if i == 1 else x
    if value is not None and value is not None:
        return 8
    return {None: 7}.get(value, 1)


@program((1, 2.0), (2, 2.0), (3, 2.0))
def test_of_which_one_operand_never_holds(i, x):
    value = "a" if i == 1 else ("t", x) if i == 2 else x
    return {"a": 5, "bb": 7}[value] if value == "a" or value == "bb" else 8


@program((1, 2.0), (2, 2.0))
def test_that_never_holds(i, x):
    value = (1, "a") if i == 1 else "a"
    known = isinstance(value, tuple) and value[0] == "t"
    if known:
        x = x + value[1]
    return x


@program((np.arange(4.0, dtype=np.float32),), (-np.arange(4.0, dtype=np.float32),))
def test_with_such_an_operand_in_a_loop(xs):
    best, total = None, 0.0
    for x in xs:
        if best is None or not (best is not None and best is not None):
            total = total + 1
        else:
            total = total + best
        best = x if x > 1 else best
    return total


@program((1, 2.0), (2, 2.0))
def two_tests_of_which_one_always_holds(i, x):
    value = None if i == 1 else "text"
    known = not isinstance(value, str)
    if value is not None or known:
        x = x + 8
    else:
        x = x + value
    return x
