"""What counts of a Variable among the arguments, and when may one be created?"""

from __future__ import annotations

import autograph_lite
from autograph_lite import Variable

from .probe import C, Probe, ran
from .rows import deviates

ONCE = "a trace is counted once it is complete; the one in which a Variable is created is traced again, with it as an input"
CLEAN = "a trace that raises leaves nothing behind, whatever it had created"


def add(v, w):
    ran()
    return v + w


def test_R52_variables_of_one_kind_share_a_trace() -> None:
    f = Probe(lambda v: (ran(), v + 1.0)[1])

    assert f(Variable(1.0)) == "1/1"
    assert (f(Variable(2.0)), f.value) == ("1/1", 3.0)
    assert f(Variable([1.0, 2.0])) == "2/2"
    assert f(C(1.0)) == "3/3"


def test_R53_which_arguments_are_one_variable_counts() -> None:
    f, v, w = Probe(add), Variable(1.0), Variable(2.0)

    assert (f(v, w), f.value) == ("1/1", 3.0)
    assert (f(w, v), f.value) == ("1/1", 3.0)
    assert (f(v, v), f.value) == ("2/2", 2.0)
    assert (f(w, w), f.value) == ("2/2", 4.0)
    assert (f(v, w), f.value) == ("2/2", 3.0)


def test_R54_also_in_a_list() -> None:
    f, v, w = Probe(lambda items: (ran(), items[0] + items[1])[1]), Variable(1.0), Variable(2.0)

    assert (f([v, w]), f.value) == ("1/1", 3.0)
    assert (f([v, v]), f.value) == ("2/2", 2.0)
    assert (f([w, w]), f.value) == ("2/2", 4.0)


def test_R55_whether_it_is_trained_counts() -> None:
    f = Probe(lambda v: (ran(), v + 1.0)[1])

    assert f(Variable(1.0)) == "1/1"
    assert f(Variable(1.0, trainable=False)) == "2/2"


def test_R56_which_arguments_are_one_array_does_not_count() -> None:
    f, x = Probe(add), C(1)

    assert f(x, x) == "1/1"
    assert (f(x, C(2)), f.value) == ("1/1", 3)


@deviates("1, 1, 2 traces for 2, 2, 3 runs", why=ONCE)
def test_R57_a_variable_that_the_first_call_creates() -> None:
    class Model:
        v = None

        @autograph_lite.convert
        def f(self, x):
            ran()
            if self.v is None:
                self.v = Variable(0)
            return self.v + x

    f = Probe(Model().f)

    assert (f(C(1)), f.value) == ("1/2", 1)
    assert (f(C(2)), f.value) == ("1/2", 2)
    assert (f(2), f.value) == ("2/3", 2)


def test_R58_a_variable_that_every_call_creates() -> None:
    f = Probe(lambda x: Variable(x.shape[0]) + x)
    refused = "0/0 VariableError: A Variable is created on a call that is not the first."

    assert f(C([1, 2])) == refused
    assert f(C([1, 2])) == refused


@deviates("the next call traces, creates the Variable, and counts it up: 0, 1, 1", why=CLEAN)
def test_R97_an_exception_after_a_variable_was_created() -> None:
    fails, holder = [True], {}

    def count(x):
        ran()
        if "v" not in holder:
            holder["v"] = Variable(0)
        if fails[0]:
            raise ValueError("first")
        return holder["v"].assign_add(x).value

    f = Probe(count)

    assert f(C(1)) == "0/2 ValueError: first"
    fails[0] = False
    assert (f(C(1)), f.value) == ("1/4", 1)
    assert (f(C(1)), f.value) == ("1/4", 2)


@deviates("the calls after the failure return what the function returns", why=CLEAN)
def test_R97b_what_is_returned_after_an_exception_in_the_first_trace() -> None:
    fails, holder, results = [True], {}, []

    def count(x):
        if "v" not in holder:
            holder["v"] = Variable(0)
        if fails[0]:
            raise ValueError("first")
        return holder["v"].assign_add(x).value

    f = Probe(count)
    f(C(1))
    assert "v" not in holder
    fails[0] = False
    for _ in range(2):
        f(C(1))
        results.append(f.value)

    assert results == [1, 2]
    assert holder["v"].value == 2


@deviates("the second call may create it: 0, 1, 1", why=CLEAN)
def test_R98_an_exception_before_a_variable_is_created() -> None:
    fails, holder = [True], {}

    def count(x):
        ran()
        if fails[0]:
            raise ValueError("first")
        if "v" not in holder:
            holder["v"] = Variable(0)
        return holder["v"].assign_add(x).value

    f = Probe(count)

    assert f(C(1)) == "0/1 ValueError: first"
    fails[0] = False
    assert (f(C(1)), f.value) == ("1/3", 1)
    assert (f(C(1)), f.value) == ("1/3", 2)
