"""Lists of texts, and of other values that no array holds, whose length a traced value decides: logs and errors."""

from __future__ import annotations

import collections
from typing import Any

import jax.numpy as jnp
import numpy as np

from tests.one_of.agreement import program

FIRST, SECOND, NONE = (
    (np.array(v, np.float32),) for v in ([1, -2, 300, -4], [-1, -1, 300, 300], [1, 2, 3, 4])
)


def logged(xs):
    log = []
    for x in xs:
        if x < 0:
            log.append("negative")
        elif x > 100:
            log.append("large")
    return log


@program((-1.0,), (1.0,), (200.0,))
def errors_of_a_value(x):
    errors = []
    if x < 0:
        errors.append("negative")
    if x > 100:
        errors.append("too large")
    return errors


@program((-1.0,), (1.0,), (200.0,))
def errors_that_are_raised(x):
    errors = []
    if x < 0:
        errors.append("negative")
    if x > 100:
        errors.append("too large")
    if errors:
        raise ValueError(f"{len(errors)} errors: " + "; ".join(errors))
    return x


@program(FIRST, NONE)
def errors_in_a_message(xs):
    log = logged(xs)
    assert not log, f"found {log}"
    return len(log)


@program(FIRST, NONE)
def errors_that_are_an_argument(xs):
    log = logged(xs)
    if log:
        raise KeyError(log, "found")
    return 0


@program(FIRST, NONE)
def error_that_is_caught(xs):
    try:
        if logged(xs):
            raise ValueError("; ".join(logged(xs)))
    except ValueError:
        return -1
    return 1


@program(FIRST, SECOND, NONE)
def log_of_a_loop(xs):
    return logged(xs)


@program(FIRST, SECOND)
def items_that_are_read(xs):
    log = logged(xs)
    return log[0], log[-1], log[1:], log[::-1], list(log), len(log)


@program(FIRST, SECOND, NONE)
def what_is_in_a_list(xs):
    log = logged(xs)
    return "negative" in log, log.count("negative"), log.count("none"), "large" not in log, None in log


@program(FIRST, SECOND, NONE)
def place_of_an_item(xs):
    return logged(xs).index("large")


@program(FIRST, NONE)
def place_of_what_a_traced_value_decides(xs):
    log = logged(xs)
    wanted = "large" if xs[0] > 0 else "negative"
    return log.count(wanted), wanted in log


@program(FIRST, SECOND, NONE)
def item_that_is_removed(xs):
    log = logged(xs)
    log.remove("negative")
    return log


@program(FIRST, SECOND, NONE)
def item_that_is_taken(xs):
    log = logged(xs)
    return log.pop(), log


@program(FIRST, NONE)
def list_that_is_changed(xs):
    log = logged(xs)
    log.insert(0, "first")
    log[0] = "zeroth"
    log.extend(["x", "y"])
    log += ["z"]
    log.reverse()
    return log, [*log, "end"], log + [1]


@program(FIRST, NONE)
def other_texts_behind(xs):
    log = logged(xs)
    if xs[0] > 0:
        log.append("positive")
    return log


@program(FIRST, NONE)
def loop_over_texts(xs):
    total = 0.0
    weights = {"negative": 1.0, "large": 10.0}
    for i, entry in enumerate(logged(xs)):
        total += i * weights[entry]
    return total, sum(weights[entry] for entry in logged(xs))


@program(FIRST, NONE)
def texts_that_are_chosen(xs):
    log = logged(xs)
    return [e for e in log if e == "negative"], [e.upper() for e in log], [len(e) for e in log]


@program(FIRST, NONE)
def texts_that_are_tested(xs):
    log = logged(xs)
    return any(e.startswith("l") for e in log), all(e != "large" for e in log)


@program(FIRST, SECOND, NONE)
def tuples_of_a_text_and_numbers(xs):
    log = []
    for i, x in enumerate(xs):
        if x < 0:
            log.append(("negative", i))
        elif x > 100:
            log.append(("large", i))
    return log


@program(FIRST, SECOND, NONE)
def tuples_of_two_lengths(xs):
    log: list[Any] = [("start",)]
    for x in xs:
        if x < 0:
            log.append(("negative", x))
        elif x > 100:
            log.append(("large", x, 2))
    return log


@program(FIRST, SECOND, NONE)
def nothing_or_a_number(xs):
    found = []
    for x in xs:
        found.append(None if x < 0 else x)
        if x > 100:
            found.append("large")
    return found, found.count(None), found.count(300)


@program(FIRST, SECOND, NONE)
def last_text_of_earlier_iterations(xs):
    log = []
    for x in xs:
        if x < 0:
            log.append("negative")
        if log and log[-1] == "negative" and x > 0:
            log.append("recovered")
    return log


@program(FIRST, SECOND, NONE)
def stack_of_texts(xs):
    stack = ["start"]
    for x in xs:
        if x < 0:
            stack.append("negative")
        elif len(stack) > 1:
            stack.pop()
    while stack and stack[-1] == "negative":
        stack.pop()
    return stack


@program(FIRST, SECOND, NONE)
def queue_of_texts(xs):
    queue = collections.deque()
    for x in xs:
        queue.append("negative" if x < 0 else "positive")
        if len(queue) > 2:
            queue.popleft()
    return list(queue)


@program(FIRST, SECOND, NONE)
def bools_beside_texts(xs):
    log = []
    for x in xs:
        if x < 0:
            log.append(True)
        elif x > 200:
            log.append("t")
    return log


class Machine:
    def __init__(self):
        self.events = []
        self.state = "idle"

    def step(self, x):
        if self.state == "idle" and x > 0:
            self.state = "running"
            self.events.append("started")
        elif self.state == "running" and x < 0:
            self.state = "idle"
            self.events.append("stopped")


@program(FIRST, SECOND, NONE)
def events_of_an_object(xs):
    machine = Machine()
    for x in xs:
        machine.step(x)
    return machine.events, machine.state


@program(FIRST, SECOND, NONE)
def function_that_is_given_the_log(xs):
    def check(x, log):
        if x < 0:
            log.append("negative")
        return jnp.abs(x)

    log = ["begun"]
    total = 0.0
    for x in xs:
        total += check(x, log)
    return total, log
