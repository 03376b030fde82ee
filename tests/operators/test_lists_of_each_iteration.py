"""Is a list that each iteration makes anew, of a length that only the data knows, the one that Python has after the loop?"""

from __future__ import annotations

import functools

import jax
import numpy as np
import pytest

import autograph_lite as al

X = np.float32(11)


def tried_again(x):
    while True:
        log = []
        try:
            log.append(x)
            if x > 5:
                raise ValueError("large")
            log.append(x * 2)
        except ValueError:
            x -= 2
            continue
        break
    return log, x


def tried_again_at_most(x):
    for attempt in range(30):
        log = [attempt]
        try:
            log.append(x)
            if x > 5:
                raise ValueError("large")
            log.append(x * 2)
            return log
        except ValueError:
            x -= 2
    return []


def finally_appended_to(x):
    count = 0
    while True:
        log = []
        try:
            log.append(x)
            if x > 5:
                raise ValueError("large")
            log.append(x)
        except ValueError:
            x -= 2
            continue
        finally:
            count += 1
            log.append(-1.0)
        break
    return log, count


def made_by_a_callee(x):
    def attempt(x):
        log = []
        log.append(x)
        if x > 5:
            raise ValueError("large")
        log.append(x * 2)
        return log

    while True:
        try:
            log = attempt(x)
            if x > 4:
                log.append(-x)
        except ValueError:
            x -= 2
            continue
        return log


def read_in_the_loop(x):
    total = 0.0
    while True:
        log = [x]
        if x > 7:
            log.append(x * 2)
        total += len(log) + log[-1] + sum(log)
        if x <= 5:
            break
        x -= 2
    return total, log, log[0], len(log)


def changed_afterwards(x):
    while True:
        log = [x]
        if x > 5:
            x -= 2
            continue
        log.append(x * 0.5)
        break
    log.sort()
    log.extend([1.0, 2.0])
    log.insert(0, 3.0)
    return log, [v for v in log if v > 2]


def lists_in_lists_and_attributes(x):
    class Holder:
        pass

    holder = Holder()
    while True:
        logs, holder.log = [[], []], []
        logs[0].append(x)
        holder.log.append((x, x * 2))
        if x > 5:
            x -= 2
            continue
        logs[1].append(x)
        holder.log.append((x, 1.0))
        break
    return logs, holder.log


def texts(x):
    while True:
        log = ["large" if x > 8 else "small"]
        if x > 5:
            x -= 2
            continue
        log.append("done")
        return log


def filtered_again(x):
    kept = [v for v in x * np.arange(1, 6) if v > 12]
    found = []
    while kept:
        found.append(kept[0])
        kept = [v for v in kept if v > found[-1]]
    return found


@pytest.mark.parametrize(
    "function",
    [
        tried_again, tried_again_at_most, finally_appended_to, made_by_a_callee, read_in_the_loop, changed_afterwards,
        lists_in_lists_and_attributes, texts, filtered_again,
    ],
)  # fmt: skip
def test_the_list_of_the_last_iteration(function):
    compiled = al.convert(function)
    for x in (X, np.float32(1)):
        ours, python = compiled(x), function(x)
        assert jax.tree.structure(ours) == jax.tree.structure(python)
        equal = jax.tree.map(lambda a, b: a == b if isinstance(b, str) else np.isclose(a, b), ours, python)
        assert all(jax.tree.leaves(equal))


def under_two_names(x):
    while True:
        log = other = [x]
        if x <= 5:
            break
        x -= 2
    log.append(x)
    other.append(x)
    return log


def of_the_iteration_before(x):
    last = [x]
    while True:
        log = [x]
        if x <= 5:
            break
        log.append(x)
        x, last = x - 2, log
    last.append(7)
    return log, last


def an_array_in_two_places(x):
    while True:
        row = np.ones(2) * x
        log = [row]
        if x <= 5:
            log.append(row + 1)
            break
        x -= 2
    log[0][0] = 9
    return log, row


def longer_each_time(x):
    log = [x]
    while x > 3:
        log = [v + 1 for v in log if v < 100]
        log.append(x)
        x -= 2
    return log


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (under_two_names, "is written to that is one object on one path of a staged statement"),
        (of_the_iteration_before, "is written to that is one object on one path of a staged statement"),
        (an_array_in_two_places, "is changed in place, and 'row', which is read later, has got it"),
        (longer_each_time, "change the list that there is: log"),
    ],
)  # fmt: skip
def test_what_no_list_of_the_program_can_be_is_refused(function, text):
    with pytest.raises(al.AutographError, match=text):
        al.convert(function)(X)


def test_a_list_that_is_bound_to_one_of_another_length_is_to_be_changed():
    def kept(x, *, changes):
        log = [v for v in x]
        least = x[0] * 0
        while least < 3:
            if changes:
                log[:] = [v for v in log if v > least]
            else:
                log = [v for v in log if v > least]
            least += 1
        return log

    x = np.array([3.0, -1.0, 2.0, 4.0])
    with pytest.raises(
        al.CarryMismatchError, match=r"Fix: change the list that there is: log\[:\] = \[...\], or log.clear"
    ):
        al.convert(functools.partial(kept, changes=False))(x)
    assert al.convert(functools.partial(kept, changes=True))(x) == kept(x, changes=False)


def test_an_object_of_the_caller_gets_a_list_of_its_own_first():
    class Holder:
        def __init__(self):
            self.found = [1.0]

    def until_negative(holder, xs, *, first):
        if first:
            holder.found = list(holder.found)
        for x in xs:
            if x < 0:
                break
            holder.found.append(x)

    ours, python = Holder(), Holder()
    with pytest.raises(
        al.MutationError, match=r"Fix: .*list of its own first: holder.found = list\(holder.found\)"
    ):
        al.convert(functools.partial(until_negative, first=False))(ours, np.array([3.0, -1.0]))
    assert ours.found == [1.0]
    compiled = al.convert(functools.partial(until_negative, first=True))
    for xs in (np.array([3.0, -1.0]), np.array([2.0, 4.0]), np.array([5.0, -4.0])):
        until_negative(python, xs, first=False)
        compiled(ours, xs)
    assert ours.found == python.found
