"""Are calls from threads and coroutines right, and is each signature traced once?"""

from __future__ import annotations

import asyncio
import collections
import threading
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import DonatedArrayError, RetraceWarning, Variable, convert, do_not_convert

pytestmark = pytest.mark.filterwarnings(f"ignore::{RetraceWarning.__module__}.RetraceWarning")
THREADS = 32


def at_once(work, count=THREADS):
    """What `work` gives for each number, from as many threads, which start together."""
    barrier = threading.Barrier(count)

    def started(number):
        barrier.wait(60)
        return work(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(started, range(count)))


def collatz(x, n=1):
    """How many steps x takes, n times."""
    steps = 0
    while x != 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    return steps * n


def test_many_threads_make_one_trace():
    f = convert(collatz)
    assert at_once(lambda i: int(f(jnp.int32(i + 1)))) == [collatz(i + 1) for i in range(THREADS)]
    assert f.trace_count == 1


def test_many_threads_with_several_signatures_make_one_trace_each():
    f = convert(collatz)

    def work(i):
        x = jnp.int32(i + 1) if i % 2 else np.int16(i + 1)
        return [int(f(x, 1 + (i + j) % 3)) for j in range(6)]

    expected = [[collatz(i + 1, 1 + (i + j) % 3) for j in range(6)] for i in range(THREADS)]
    assert at_once(work) == expected
    assert f.trace_count == 6


def test_many_threads_with_containers_and_methods():
    class Model:
        def __init__(self, scale):
            self.scale = scale

        @convert
        def step(self, batch):
            if batch["x"].sum() > 0:
                return batch["x"] * self.scale
            return batch["x"]

    models = [Model(float(i)) for i in range(4)]

    def work(i):
        return float(models[i % 4].step({"x": jnp.float32(i + 1), "name": "a"}))

    assert at_once(work) == [(i + 1) * float(i % 4) for i in range(THREADS)]
    assert [model.step.trace_count for model in models] == [1] * 4


def test_many_threads_write_a_variable():
    count, total = Variable(0), Variable(0.0)

    @convert
    def step(x):
        count.assign_add(1)
        if x > 0:
            total.assign_add(x)
        return count.value

    seen = at_once(lambda i: [int(step(jnp.float32(i % 2))) for _ in range(20)])
    assert int(count) == 20 * THREADS
    assert float(total) == 20 * THREADS / 2
    assert sorted(sum(seen, [])) == list(range(1, 20 * THREADS + 1))
    assert step.trace_count == 1


def test_two_functions_write_one_variable_from_threads():
    count = Variable(0)

    @convert
    def one():
        count.assign_add(1)

    @convert
    def other(n):
        for _ in range(n):
            count.assign_add(1)

    at_once(lambda i: [one() if i % 2 else other(3) for _ in range(10)])
    assert int(count) == THREADS // 2 * 10 * 4


def test_a_trace_is_made_while_a_call_on_another_thread_has_the_memory():
    """What a Variable's array is of is asked without the lock: a call that has its memory returns another array."""
    count = Variable(jnp.zeros(3))

    @convert
    def f(n):
        for _ in range(n):
            count.assign_add(1.0)

    f(2)
    count.held.delete()  # as while such a call runs
    assert "add" in str(f.get_concrete_function(3).jaxpr)
    with pytest.raises(DonatedArrayError):  # a call has the lock when it reads the array
        f(3)


def test_threads_that_fail_do_not_disturb_others():
    @convert
    def f(x):
        assert x >= 0, "negative"
        if x > 3:
            return x * 2
        return x

    def work(i):
        try:
            return float(f(jnp.float32(i if i % 3 else -1)))
        except AssertionError as error:
            return str(error)

    assert at_once(work) == [(2 * i if i > 3 else i) if i % 3 else "negative" for i in range(THREADS)]


def test_threads_inside_of_transformations():
    f = convert(lambda x: x * x if x > 0 else -x)
    gradients = at_once(lambda i: float(jax.grad(f)(float(i - 8))), 16)
    assert gradients == [2.0 * (i - 8) if i > 8 else -1 for i in range(16)]


def test_caches_are_cleared_while_threads_call():
    f = convert(collatz)

    def work(i):
        found = []
        for j in range(5):
            found.append(int(f(jnp.int32(7), 1 + j % 2)))
            if i % 8 == 0:
                f.clear_cache()
        return found

    assert at_once(work, 16) == [[16, 32, 16, 32, 16]] * 16


def test_a_coroutine_calls_one():
    f = convert(collatz)

    async def main():
        return [int(f(jnp.int32(7))), int(f(jnp.int32(8)))]

    assert asyncio.run(main()) == [16, 3]
    assert f.trace_count == 1


def test_coroutines_call_one_in_threads():
    f = convert(collatz)

    async def main():
        calls = [asyncio.to_thread(f, jnp.int32(i + 1)) for i in range(8)]
        return [int(result) for result in await asyncio.gather(*calls)]

    assert asyncio.run(main()) == [collatz(i + 1) for i in range(8)]
    assert f.trace_count == 1


def test_a_coroutine_function_is_converted():
    @convert
    async def f(x):
        await asyncio.sleep(0)
        if x > 0:
            return x * 2
        return x

    async def main():
        return await asyncio.gather(f(jnp.float32(3)), f(jnp.float32(-3)))

    assert asyncio.run(main()) == [6, -3]


def test_threads_read_a_variable_while_others_write_it():
    total = Variable(jnp.zeros(100))

    @convert
    def add(x):
        total.assign_add(x)
        return total.value * 1

    @convert
    def twice():
        return total.value * 2

    def work(i):
        for _ in range(40):
            if i % 2:
                add(jnp.ones(100))
            else:
                seen = [np.asarray(total.value), np.asarray(total + 1), np.asarray(twice())]
                assert all(np.ptp(array) == 0 for array in seen)

    at_once(work, 4)
    assert total.value.tolist() == [80] * 100


def test_threads_add_to_a_variable_in_python():
    total = Variable(0)

    def work(i):
        for _ in range(100):
            total.assign_add(1)

    at_once(work, 4)
    assert int(total) == 400


class Log:
    def __init__(self, kind):
        self.rows = {"seen": [kind(), kind()]}


@pytest.mark.usefixtures("eager_threads")
@pytest.mark.parametrize("kind", [list, collections.deque])
def test_threads_append_to_what_is_outside(kind):
    log, number = Log(kind), [jnp.float32(0)]

    @convert
    def one(x):
        first, second = log.rows["seen"]
        if x > 3:
            first.append(x)
        else:
            first.append(x * 1)
        second.append(2 * first[-1])
        number[0] = number[0] + 1

    @convert
    def other(x):
        log.rows["seen"][0].append(x)
        log.rows["seen"][1].append(2 * x)
        number[0] = number[0] + 1

    at_once(lambda i: [(one if j else other)(jnp.float32(2 * i + j)) for j in range(2)], 5)
    first, second = ([*map(float, items)] for items in log.rows["seen"])
    assert sorted(first) == list(range(10))
    assert second == [2 * item for item in first]
    assert float(number[0]) == 10


def test_a_call_waits_for_the_trace_that_has_the_objects():
    seen, threads = [], []

    @convert
    def other(x):
        seen.append(x)

    @do_not_convert
    def meanwhile():
        if not threads:
            threads.append(threading.Thread(target=lambda: other(jnp.float32(2))))
            threads[0].start()
            threads[0].join(0.2)

    @convert
    def one(x):
        seen.append(x)
        try:
            meanwhile()
        except BaseException:
            seen.append(-x)

    one(jnp.float32(1))
    threads[0].join()
    # Each once, in either order: between the trace and the call that it was made for the other one may come.
    assert sorted(map(float, seen)) == [1, 2]


def test_threads_that_change_nothing_wait_for_nobody():
    seen, threads, found = [], [], []
    plain = convert(lambda x: x * 2 if x > 0 else x)

    @do_not_convert
    def meanwhile():
        if not threads:
            threads.append(threading.Thread(target=lambda: found.append(plain(jnp.float32(2)))))
            threads[0].start()
            threads[0].join(60)

    @convert
    def one(x):
        seen.append(x)
        meanwhile()

    one(jnp.float32(1))
    assert [*map(float, seen + found)] == [1, 4]
