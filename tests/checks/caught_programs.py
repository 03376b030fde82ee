"""Programs that catch what a traced condition raises, compared with plain Python."""

from __future__ import annotations

import dataclasses
import enum

import numpy as np

from tests.one_of.agreement import program

NUMBERS = (1.0,), (-3.0,), (12.0,), (0.0,)
ROWS = tuple((np.array(row, np.float32),) for row in ([1, -1, 2, 0, 3], [1, 1, 2], [-1, 0, -2]))


class Acc:
    def __init__(s, n=0):
        s.n = n


@program((1.0,), (-1.0,))
def raise_in_a_try(x):
    try:
        if x < 0:
            raise ValueError("negative")
        y = x * 2
    except ValueError:
        y = -x
    return y


def check(x, a):
    a.n += 1
    if x < 0:
        raise ValueError("negative")
    if x > 10:
        raise KeyError("big")
    a.n += 10
    return x * 3


@program((5.0,), (-1.0,), (0.5,), (11.0,))
def raise_in_a_callee(x):
    a = Acc(0)
    try:
        y = check(x, a)
        a.n += 100
        y = check(x - 1, a)
        a.n += 1000
    except ValueError:
        y = -1.0
    except KeyError:
        y = -2.0
    return (y, a.n)


@program((1.0,), (-1.0,))
def addition_to_none(x):
    best = None if x < 0 else x
    try:
        y = best + 1
    except TypeError:
        y = 0.0
    return (y, best is None)


@program((np.array([1.0, 2.0, 3.0, 1.0], np.float32),), (np.array([1.0, 2.0], np.float32),))
def raise_that_ends_a_loop(xs):
    out = 0.0
    try:
        for x in xs:
            if x > 2:
                raise StopIteration
            out += x
    except StopIteration:
        out += 100
    return out


@program((1.0,), (-3.0,))
def else_finally_and_args(x):
    try:
        if x < 0:
            raise ValueError("negative", x)
        y = x
    except ValueError as e:
        y = e.args[1] * 2
    else:
        y += 100
    finally:
        z = 5
    return (y, z)


@program((1.0,), (-3.0,))
def another_exception_with_a_value(x):
    try:
        if x < 0:
            raise ValueError("negative", x)
        y = x
    except ValueError as e:
        raise RuntimeError(f"wrapped {e.args[1]}") from e
    return y


@program((1.0,), (-3.0,), (12.0,))
def bare_raise(x):
    try:
        return check(x, Acc())
    except ValueError:
        raise


@program((1,), (-3,), (12,))
def index_of_a_list(i):
    xs = [1.0, 2.0, 3.0]
    y = -1.0
    try:
        y = xs[i]
    except IndexError:
        pass
    return y


@program((1,), (-3,), (12,))
def key_of_a_dict(i):
    d = {0: 1.0, 1: 3.0}
    y = -1.0
    try:
        y = d[i]
        z = 1
    except KeyError:
        z = 0
    return (y, z)


@program((1,), (-3,), (12,))
def loop_that_does_not_run(n):
    try:
        for i in range(n):
            last = i
        return last
    except UnboundLocalError:
        return -1


@program((1.0,), (-3.0,), (12.0,))
def jumps_in_handlers(x):
    a = Acc()
    for i in range(3):
        try:
            r = check(x + i, a)
            break
        except ValueError:
            a.n += 1000
            continue
        finally:
            a.n += 10000
    else:
        r = -5.0
    return (r, a.n)


def safe_div(a, b):
    if b == 0:
        raise ZeroDivisionError("division by zero")
    return a / b


@program(*NUMBERS)
def division(x):
    try:
        return safe_div(1.0, x)
    except ZeroDivisionError:
        return 0.0


class Stack:
    def __init__(s):
        s.items = [1.0, 2.0, 3.0]
        s.ptr = 2

    def pop(s, k):
        if k > s.ptr:
            raise IndexError("pop from empty stack")
        s.ptr = s.ptr - k
        return s.items[s.ptr]


@program((1,), (2,), (5,))
def stack_that_is_popped(k):
    s = Stack()
    n = 0
    r = 0.0
    try:
        r = s.pop(k)
        n += 1
        r += s.pop(k)
        n += 1
    except IndexError:
        n += 100
    return (s.ptr, n, r)


class Env:
    def __init__(s):
        s.t = 0
        s.pos = 0.0
        s.done = False

    def step(s, a):
        if s.done:
            raise RuntimeError("step after done")
        s.t += 1
        s.pos += a
        if abs(s.pos) > 2:
            s.done = True
        return s.pos


@program((1.0,), (0.1,), (3.0,))
def environment(a):
    e = Env()
    total = 0.0
    errs = 0
    for i in range(5):
        try:
            total += e.step(a)
        except RuntimeError:
            errs += 1
    return (total, errs, e.t, e.pos, e.done)


def parse_digit(c):
    if c < 48 or c > 57:
        raise ValueError("invalid literal", c)
    return c - 48


@program(*NUMBERS)
def nested(x):
    log = 0
    try:
        try:
            if x > 5:
                raise KeyError("k")
            if x < 0:
                raise ValueError("v")
            log += 1
        except KeyError:
            log += 10
            raise
        else:
            log += 100
        finally:
            log += 1000
    except (KeyError, ValueError) as e:
        log += 10000
    return log


@program(*NUMBERS)
def reraise_other(x):
    try:
        try:
            y = safe_div(1.0, x)
        except ZeroDivisionError as e:
            raise ValueError("bad") from e
    except ValueError:
        y = -1.0
    return y


class NoConvergence(Exception):
    def __init__(s, it, res):
        super().__init__(f"no convergence after {it}: {res}")
        s.it = it
        s.res = res


def newton(x0, a, tol=0.001, maxiter=8):
    x = x0
    for i in range(maxiter):
        fx = x * x - a
        if abs(fx) < tol:
            return (x, i)
        d = 2 * x
        if d == 0:
            raise ZeroDivisionError("derivative was zero")
        x = x - fx / d
    raise NoConvergence(maxiter, fx)


@program((1.0, 2.0), (0.0, 2.0), (1.0, -1.0), (100.0, 4.0))
def solver(x0, a):
    status, msg = (0, "converged")
    root, it = (x0, -1)
    try:
        root, it = newton(x0, a)
    except ZeroDivisionError:
        status, msg = (1, "zero derivative")
    except NoConvergence as e:
        status, msg, it = (2, "no convergence", e.it)
    return (root, it, status, msg)


@program(*NUMBERS)
def broad(x):
    try:
        y = safe_div(1.0, x)
        if y < 0:
            raise ValueError("neg")
    except Exception as e:
        return (-1.0, isinstance(e, ValueError))
    return (y, False)


@program(
    (np.array([1.0, -1.0, 2.0], np.float32),),
    (np.array([1.0, 1.0, 2.0], np.float32),),
    (np.array([-1.0, 1.0, -2.0], np.float32),),
)
def whileloop(xs):
    i = 0
    s = 0.0
    try:
        while i < 3:
            if xs[i] < 0:
                raise ValueError("neg", i)
            s += xs[i]
            i += 1
    except ValueError as e:
        return (s, e.args[1], i)
    return (s, -1, i)


@program(*NUMBERS)
def before_assert(x):
    assert x > -100
    try:
        y = safe_div(1.0, x)
    except ZeroDivisionError:
        y = 0.0
    assert y < 100
    return y


@program(*NUMBERS)
def uncaught(x):
    n = 0
    try:
        if x < 0:
            raise KeyError("a")
        if x > 5:
            raise ValueError("b")
        n = 1
    except ValueError:
        n = 2
    return n


@program(*NUMBERS)
def store_item(x):
    xs = [0.0, 0.0, 0.0]
    try:
        xs[0] = safe_div(1.0, x)
        xs[1] = 5.0
        if x > 5:
            raise ZeroDivisionError
        xs[2] = 6.0
    except ZeroDivisionError:
        xs[2] = -1.0
    return xs


@program((1,), (5,), (3,))
def recursion(n):

    def go(k, left):
        if left == 0:
            return 0
        if k > 4:
            raise ValueError("deep")
        return k + go(k + 1, left - 1)

    try:
        return go(n, 3)
    except ValueError:
        return -1


@program(*NUMBERS)
def lambda_that_calls(x):
    f = lambda v: safe_div(1.0, v) + 1
    try:
        y = f(x) * 2
    except ZeroDivisionError:
        y = 0.0
    return y


@program(*NUMBERS)
def order(x):
    a = Acc()

    def bump(k):
        a.n += k
        return float(k)

    try:
        y = bump(1) + safe_div(1.0, x) + bump(10)
    except ZeroDivisionError:
        y = 0.0
    return (y, a.n)


@program(*NUMBERS)
def aug_attr(x):
    a = Acc()

    def bump():
        a.n += 5
        if x < 0:
            raise ValueError
        return 1

    try:
        a.n += bump()
    except ValueError:
        pass
    return a.n


@program(*NUMBERS)
def handler_reads(x):
    y = 0
    try:
        y = 1
        if x < 0:
            raise ValueError
        y = 2
        z = safe_div(1.0, x)
        y = 3
    except (ValueError, ZeroDivisionError):
        y += 10
    return y


@program(*NUMBERS)
def exception_that_is_raised_again(x):
    try:
        if x < 0:
            raise ValueError("neg")
        if x > 5:
            raise KeyError("big")
        m = "none"
    except (ValueError, KeyError) as e:
        raise e
    return m


def lvl3(x, a):
    a.n += 1
    if x < 0:
        raise ValueError("neg", x)
    a.n += 2
    return x


def lvl2(x, a):
    a.n += 4
    try:
        v = lvl3(x, a)
    except KeyError:
        v = -1.0
        a.n += 1000000
    a.n += 8
    return v


def lvl1(x, a):
    a.n += 16
    v = lvl2(x, a) + lvl2(x - 2, a)
    a.n += 32
    return v


@program(*NUMBERS, (2.5,))
def chain(x):
    a = Acc()
    try:
        v = lvl1(x, a)
    except ValueError as e:
        v = e.args[1]
    return (v, a.n)


def fin(x, a):
    try:
        a.n += 1
        if x < 0:
            raise ValueError
        a.n += 2
    finally:
        a.n += 10
        for i in range(3):
            a.n += 100
        bump(a)
    a.n += 4
    return 1


def bump(a):
    a.n += 10000


@program(*NUMBERS)
def fin_callee(x):
    a = Acc()
    r = 0
    try:
        r = fin(x, a)
    except ValueError:
        r = -1
    return (r, a.n)


@program(*ROWS)
def scan_try(xs):
    s = 0.0
    k = 0
    for x in xs:
        try:
            s += safe_div(1.0, x)
        except ZeroDivisionError:
            k += 1
            continue
        s += 10
    return (s, k)


@program(*ROWS)
def scan_break(xs):
    s = 0.0
    k = 0
    for x in xs:
        try:
            s += safe_div(1.0, x)
        except ZeroDivisionError:
            k += 1
            break
        s += 10
    else:
        k += 100
    return (s, k)


@program(*ROWS)
def outer_try_loop(xs):
    a = Acc()
    s = 0.0
    try:
        for x in xs:
            s += lvl3(x, a)
            a.n += 100
    except ValueError as e:
        return (s, a.n, e.args[1])
    return (s, a.n, 0.0)


@program(*ROWS)
def mapped(xs):
    a = Acc()
    try:
        ys = list(map(lambda x: lvl3(x, a), [xs[0], xs[1], xs[2]]))
    except ValueError:
        ys = []
    return a.n


@program(*ROWS)
def sum_gen(xs):
    a = Acc()
    try:
        y = sum((lvl3(x, a) for x in xs))
    except ValueError:
        y = -100.0
    return (y, a.n)


@program(*NUMBERS)
def nonloc(x):
    n = 0

    def f():
        nonlocal n
        n += 1
        if x < 0:
            raise ValueError
        n += 10

    try:
        f()
        n += 100
    except ValueError:
        n += 1000
    return n


@program((0,), (1,), (2,))
def missing_key(i):
    table = {0: 1.0, 1: 2.0}
    try:
        v = table[i]
    except KeyError as e:
        v = -1.0
        i = e.args[0]
    return (v, i)


@program(*NUMBERS)
def state(x):
    s = "init"
    try:
        s = "running"
        y = safe_div(1.0, x)
        s = "done" if y > 0 else "negative"
    except ZeroDivisionError:
        s = s + "!" if False else "failed"
        y = None
    return (s, y)


class St(enum.Enum):
    A = 1
    B = 2
    C = 3


@program(*NUMBERS)
def states(x):
    s = St.A
    for i in range(3):
        try:
            if s is St.A:
                if x < 0:
                    raise ValueError
                s = St.B
            elif s is St.B:
                if x > 5:
                    raise KeyError
                s = St.C
        except ValueError:
            s = St.C
        except KeyError:
            s = St.A
    return s.value


@program(*NUMBERS)
def handler_raises(x):
    try:
        try:
            if x < 0:
                raise KeyError
            y = 1
        except KeyError:
            if x < -2:
                raise ValueError
            y = 2
    except ValueError:
        y = 3
    return y


@program(*NUMBERS)
def allraise(x):
    try:
        if x < 0:
            raise ValueError
        else:
            raise KeyError
    except ValueError:
        y = 1
    except KeyError:
        y = 2
    return y


@program((3,), (0,), (7,))
def dyn_tail(n):

    def go(n, acc):
        if n == 0:
            return acc
        if n == 5:
            raise ValueError
        return go(n - 1, acc + n)

    try:
        return go(n, 0)
    except ValueError:
        return -1


@program(*NUMBERS)
def delit(x):
    try:
        t = safe_div(1.0, x)
        y = t + 1
        del t
    except ZeroDivisionError:
        y = 0.0
    return y


@program(*NUMBERS)
def try_in_a_loop_with_all_clauses(x):
    n = 0
    for i in range(2):
        try:
            n += 1
            try:
                if x + i < 0:
                    raise ValueError
                if x + i == 1:
                    raise KeyError
                n += 10
            finally:
                n += 100
            n += 1000
        except KeyError:
            n += 10000
            try:
                if x > 0:
                    raise ValueError
            except ValueError:
                n += 100000
        except ValueError:
            n += 1000000
        else:
            n += 7
    return n


@program((0,), (1,), (2,), (5,))
def a_raise_three_functions_deep(n):
    log = 0

    def a(k):
        nonlocal log
        log = log * 10 + 1
        if k == 0:
            raise ValueError
        b(k - 1)
        log = log * 10 + 2

    def b(k):
        nonlocal log
        log = log * 10 + 3
        try:
            if k == 0:
                raise KeyError
        except KeyError:
            log = log * 10 + 4
            raise ValueError
        finally:
            log = log * 10 + 5
        log = log * 10 + 6

    try:
        a(n)
    except ValueError:
        log = log * 10 + 9
    return log


@program((0,), (1,), (2,), (5,))
def try_in_a_while(n):
    i = 0
    s = 0
    while i < n:
        try:
            i += 1
            if i == 2:
                raise ValueError("x", i)
            if i == 4:
                break
            s += i
        except ValueError as e:
            s += 100 * e.args[1]
    return (s, i)


@program((0,), (1,), (2,), (5,))
def assignments_before_a_raise(n):
    a = b = c = 0
    try:
        a = 1
        if n == 0:
            raise ValueError
        b = a + 1
        if n == 1:
            raise ValueError
        c = a + b
        if n == 2:
            raise KeyError
        a = b = c = 9
    except ValueError:
        a += 100
    except KeyError:
        b += 100
    return (a, b, c)


ITEMS = np.arange(4, dtype=np.float32)


@program(*[(ITEMS, i) for i in (0, 3, 4, -1, -4, -5)])
def item_of_an_array(xs, i):
    y = -1.0
    try:
        y = xs[i]
    except IndexError:
        pass
    return y


@program(*[(ITEMS, i) for i in (0, 3, 4, -1, -4, -5)])
def item_that_is_written(xs, i):
    xs = xs.copy()
    n = 0
    try:
        xs[i] += 9
        n = 1
        xs[i + 1] = 5
        n = 2
    except IndexError:
        n += 10
    return xs, n


class Account:
    def __init__(self, b):
        self.balance = b
        self.log = 0

    def withdraw(self, x):
        if x < 0:
            raise ValueError("negative amount")
        if x > self.balance:
            raise RuntimeError("insufficient funds", self.balance, x)
        self.balance -= x
        self.log += 1

    def transfer(self, other, x):
        self.withdraw(x)
        other.balance += x
        other.log += 10


@program((5.0,), (-1.0,), (50.0,), (10.0,))
def accounts(x):
    a, b = (Account(10.0), Account(0.0))
    errs = 0
    for k in range(3):
        try:
            a.transfer(b, x)
        except RuntimeError as e:
            errs += 1
            a.transfer(b, e.args[1])
        except ValueError:
            errs += 10
        finally:
            a.log += 100
    return (a.balance, b.balance, a.log, b.log, errs)


@program((np.array([3.0, -1.0, 4.0], np.float32),), (np.array([3.0, 1.0, 4.0], np.float32),))
def variable_of_a_loop_that_a_raise_ends(xs):
    out = np.zeros(3, np.float32)
    try:
        for i, v in enumerate(xs):
            if v < 0:
                raise ValueError
            out[i] = v**0.5
    except ValueError:
        out[i:] = -1
    else:
        i = -1
    return (out, i)


@program(*NUMBERS)
def check_before_a_bare_raise(x):
    try:
        if x < 0 or x > 5:
            raise ValueError("first")
    except ValueError:
        assert x < 0, "second"
        raise
    return x


@program(*NUMBERS)
def iterator_over_what_may_raise(x):
    total = 0.0
    try:
        for i, v in enumerate(({0: 4.0, 1: -3.0, 2: 9.0}[int(x)], 1.0, x)):
            total += i * v
        for a, b in zip([safe_div(x, x - 2.0), 1.0], reversed([x, safe_div(1.0, x)])):
            total += a * b
    except (KeyError, ZeroDivisionError):
        total -= 100
    return total


class Counter:
    def __init__(self):
        self.count = 0
        self.seen = []

    def add(self, n):
        self.count += n
        self.seen.append(n)


class Machine:
    def __init__(self, x):
        self.x, self.steps = x, 0

    def step(self):
        if self.x > 3:
            raise ValueError(self.x)
        first = Counter()
        first.add(5)
        self.steps += first.count

    def run(self):
        try:
            self.step()
        finally:
            last = Counter()
            last.add(1)
            self.steps += last.count


@program((1,), (5,))
def objects_made_in_a_finally(x):
    machine = Machine(x)
    try:
        machine.run()
    except ValueError:
        machine.steps += 100
    return machine.steps


@program((4,), (0,))
def objects_made_on_each_path_of_a_try(n):
    total = 0
    for i in range(n):
        try:
            if i == 2:
                raise ValueError(i)
            made = Counter()
            made.add(i + 1)
            total += made.count
        except ValueError as e:
            made = {"a": 1}
            made["b"] = e.args[0]
            total += made["b"] * 100
        else:
            made = [total]
            made.append(i)
            total += made[0]
        finally:
            last = Counter()
            last.add(i)
            total += last.seen[0]
    return total


@program((np.array([3, 1, 2]), np.array([4, 4, 4])), (np.array([3, 9, 2]), np.array([1, 1, 1])))
def items_written_of_arrays_that_a_loop_in_a_try_goes_through(xs, ys):
    total, xs = 0, xs.copy()
    try:
        for k, (x, y) in enumerate(zip(xs, ys)):
            if x > 8:
                raise ValueError
            total += x * y
            if k < 2:
                xs[k + 1] = total % 7
    except ValueError:
        total = -total
    return total, xs


def relax(dist, step):
    changed = 0
    for i in range(len(dist) - 1):
        new = dist[i] + step
        if i == 2 and new < 3:
            raise ValueError(i)
        if new < dist[i + 1]:
            dist[i + 1] = new
            changed += 1
    return changed


@program((0.5,), (2.0,))
def array_that_a_callee_writes_in_a_loop_and_a_handler_restores(step):
    dist = np.full(5, 100.0)
    dist[0] = 0.0
    sweeps, failed = 0, np.zeros(2)
    while True:
        before = dist.copy()
        try:
            changed = relax(dist, step)
        except ValueError:
            failed += 1
            step += 0.5
            dist[:] = before
            changed = 1
        sweeps += 1
        if changed == 0 or sweeps >= 8:
            break
    return sweeps, dist, failed


class Level:
    def __init__(self, value):
        if value > 3:
            raise ValueError("too high", value)
        self.value = value
        self.changes = 0

    def __add__(self, other):
        self.changes += 1
        return Level(self.value + other.value)

    def __getitem__(self, i):
        if i > 3:
            raise IndexError(i)
        return self.value + i

    def __iadd__(self, n):
        self.changes += 1
        if n > 2:
            raise KeyError(n)
        self.value += n
        return self

    @property
    def inverse(self):
        if self.value == 0:
            raise ZeroDivisionError
        return 12.0 / self.value


class NamedLevel(Level):
    def __init__(self, value, name):
        super().__init__(value)
        self.name = name


@dataclasses.dataclass
class Between:
    low: object
    high: object

    def __post_init__(self):
        if self.low > self.high:
            raise ValueError("empty")

    def __and__(self, other):
        return Between(max(self.low, other.low), min(self.high, other.high))


@program((1,), (2,), (5,))
def constructors(n):
    first = Level(0)
    try:
        second = NamedLevel(n, "b")
        third = first + second + Level(1)
        return second.value, third.value, first.changes
    except ValueError as e:
        return -1, e.args[1], first.changes


@program((0,), (3,), (4,))
def operators(n):
    level = Level(0)
    total = 0
    try:
        total += level[n]
        level += n
        total += 100
    except IndexError:
        total = -1
    except KeyError as e:
        total += e.args[0] * 10
    return total, level.value, level.changes


@program((0,), (2,), (3,))
def property_in_a_loop(n):
    total = 0.0
    for i in range(3):
        level = Level(i)
        level.value -= n
        try:
            total += level.inverse
        except ZeroDivisionError:
            total += 100
    return total


@program((0,), (2,), (4,), (9,))
def post_init_of_a_dataclass(n):
    now, empty = Between(0, 8), 0
    for i in range(3):
        try:
            now = now & Between(i * n, 9)
        except ValueError:
            empty += 1
    return now.low, now.high, empty


def failing_at(n):
    k = -1

    def look():
        nonlocal k
        for k in range(6):
            if k == n:
                raise ValueError

    found = {}
    try:
        for found["i"] in range(6):
            if found["i"] * 2 == n:
                raise KeyError
    except KeyError:
        pass
    look()
    return k + found["i"]


@program((2,), (3,), (12,))
def variables_of_loops_that_were_left(n):
    last = 0
    try:
        last = failing_at(n)
        for last in range(n):
            if last == 7:
                raise KeyError
    except ValueError:
        last -= 1
    except KeyError:
        last *= 10
    return last


@program((1,), (5,))
def keys_that_are_missing_where_something_was_raised(n):
    total = 0
    for i in range(3):
        try:
            made = {"a": n + i}
            if n > 3:
                raise ValueError
            made["b"] = 10
            total += made["a"] + made["b"]
        except ValueError:
            total += 1000
    return total


class Shelf:
    def __init__(self):
        self.rows, self.n, self.asked = np.ones(3), 1, 0

    def at(self, k):
        self.asked += 1
        if k > 5:
            raise ValueError("far")
        return k % 3

    def itself(self, k):
        self.at(k)
        return self

    def moved(self, k):
        self.rows[(k + 1) % 3] += 10
        self.n += 1
        self.at(k)
        self.rows[k % 3] += 100
        return k


@program((1,), (5,), (7,))
def places_that_raise(k):
    shelf = Shelf()
    try:
        shelf.rows[shelf.at(k)] = 5
        shelf.rows[shelf.at(k) - 1] += 20
        shelf.itself(k).n = 7
        shelf.itself(k + 1).n += 1
        shelf.itself(k + 1).rows[shelf.at(k + 1), ...] = 9
    except ValueError:
        shelf.asked += 100
    return shelf.rows, shelf.n, shelf.asked


@program((1,), (5,), (4,))
def several_places_of_which_one_raises(k):
    shelf, i = Shelf(), 0
    try:
        i, shelf.rows[i] = shelf.at(k), 5
        shelf.n, shelf.rows[shelf.at(k + 1)], shelf.asked = shelf.at(k), 7, 50
        shelf.rows[shelf.at(k + 2)] = shelf.n = 9
    except ValueError:
        shelf.asked += 100
    return shelf.rows, shelf.n, shelf.asked, i


@program((0,), (1,), (2,), (-4,))
def indices_of_which_one_is_out_of_bounds(k):
    found, numbers = np.zeros(3), np.array([2, 0, 5])
    try:
        found[numbers[k]] += 1
        found[k], found[k + 2] = 5, 6
    except IndexError:
        found[1] -= 100
    return found


@program((1,), (4,), (7,))
def calls_that_write_what_is_added_to(k):
    shelf, total = Shelf(), np.zeros(3)

    def put(v):
        total[v % 3] = 50
        if v > 5:
            raise ValueError("far")
        return v

    try:
        total[1] += put(k)
        total[[0, 1]] += put(k)
        shelf.rows[k % 3] += shelf.moved(k)
        shelf.n += shelf.moved(k)
    except ValueError:
        total[0] -= 1
    return shelf.rows, shelf.n, total


class Diverged(Exception):
    def __init__(self, found, k):
        super().__init__("diverged")
        self.found, self.k = found, k


@program(*ROWS)
def exceptions_that_hold_arrays(xs):
    found, total = np.zeros(3), 0
    for x in xs:
        try:
            found[0] += x
            if x > 2:
                raise Diverged(found, x)
            found[1] += 1
            if x < 0:
                raise ValueError(found.copy())
        except Diverged as e:
            total += e.found[0] + e.k
        except ValueError as e:
            total += e.args[0].sum()
            found[2] -= 1
        else:
            found[2] += 5
        found[1] += 10
    return found, total


def written_in_the_handler(x):
    found = np.zeros(3)
    try:
        if x > 2:
            raise Diverged(found, x)
    except Diverged as e:
        found[1] = 5
        return e.found.sum()
    return 0.0


def written_by_the_handler(x):
    found = np.zeros(3) + x
    try:
        if x > 2:
            raise Diverged(found, x)
    except Diverged as e:
        e.found[0] = 7
    return found


def written_in_a_finally(x):
    found, total = np.zeros(3) + x, 0
    try:
        try:
            if x > 2:
                raise Diverged(found, x)
        finally:
            found[2] += 10
    except Diverged as e:
        total = e.found.sum()
    return found, total


class Large(Exception):
    """One whose constructor looks at the number that it is made of."""

    def __init__(self, number):
        super().__init__("large", number)
        self.factor = 1.0 if number > 2 else 3.0


@program((1.0,), (5.0,), (-1.0,))
def constructor_of_an_exception_that_decides(x):
    try:
        if x > 0:
            raise Large(x)
    except Large as error:
        return error.factor + error.args[1]
    return x


@program((1.0,), (-1.0,))
def operands_that_no_number_takes(x):
    found = []
    for operand in (None, "text", {}, len):
        try:
            found.append(x + operand)
        except TypeError:
            found.append(-x)
    try:
        found.append(x < None)
    except TypeError:
        found.append(x * 2)
    return found


@program((1.0,), (-1.0,))
def operand_that_no_number_takes_and_nobody_catches(x):
    if x > 0:
        return x - {}
    return x * None


@program((5, 2), (5, 0), (-5, 2))
def quotient_that_is_not_bound_where_it_fails(x, y):
    q, r, log = -1, -2, []
    try:
        q = x // y
    except ZeroDivisionError:
        pass
    try:
        r = q % y
        log.append(r)
    except ZeroDivisionError:
        log.append(-r)
    return q, r, log


@program((5, 2), (5, 0), (-5, 2), (-5, 0), (2, 1))
def methods_in_the_else_of_a_try_in_another(x, y):
    log = []
    try:
        try:
            if x < 0:
                raise ValueError("v")
            q = x // y
        except ValueError:
            q = -1
            log.append(1)
        else:
            log.append(4)
            if q == 2:
                raise KeyError("k")
            log.append(5)
        log.append(6)
    except (KeyError, ZeroDivisionError):
        q = 7
        log.append(8)
    return q, log


class Wrapped(Exception):
    def __init__(self, last):
        super().__init__("wrapped")
        self.last = last


@program((1.0,), (-1.0,), (0.0,))
def cause_that_is_one_of_several(x):
    try:
        try:
            if x < 0:
                raise ArithmeticError("negative")
            if x == 0:
                raise ValueError("zero")
        except (ArithmeticError, ValueError) as error:
            raise Wrapped(error) from error
    except Wrapped as error:
        raise KeyError("wrapped") from error.last
    return x
