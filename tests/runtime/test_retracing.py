"""When does a function retrace too often? TensorFlow's rule, call for call, and no call counted that need not be."""

from __future__ import annotations

import functools
import gc
import threading

import pytest
from hypothesis import given, strategies as st

from autograph_lite.runtime.explaining import detector
from autograph_lite.runtime.explaining.detector import Frequent, RetraceDetector, detector_of
from autograph_lite.runtime.types.array_spec import ArraySpec
from autograph_lite.runtime.types.literal import Literal

from .traces import record


class Caller:
    """Stands for a function; remembers whether Python is to see its hits."""

    counting = False

    def count_calls(self, wanted: bool) -> None:
        self.counting = wanted


def warned(calls: str) -> list[tuple[int, str]]:
    """Of calls that trace (T) or find their trace (n), those that warn, with how many retraced; all calls are counted."""
    detector, caller = RetraceDetector(), Caller()
    found = []
    for number, call in enumerate(calls, 1):
        if call == "n":
            detector.called()
        elif frequent := detector.traced(caller, record(n=Literal(number))):
            found.append((number, f"{frequent.retraces} of {frequent.calls}"))
    return found


def warned_when_hits_are_seen_on_demand(calls: str) -> list[tuple[int, str]]:
    """The same, where hits are dispatched by C++ unless the detector has asked for them."""
    detector, caller = RetraceDetector(), Caller()
    found = []
    for number, call in enumerate(calls, 1):
        if call == "n":
            if caller.counting:
                detector.called()
        elif frequent := detector.traced(caller, record(n=Literal(number))):
            found.append((number, f"{frequent.retraces} of {frequent.calls}"))
    return found


def tensorflows(calls: str) -> list[int]:
    """The calls at which TensorFlow 2.21 warns, by the rule as it was measured."""
    segments: list[int] = []
    found: list[int] = []
    for number, call in enumerate(calls, 1):
        if call == "n":
            segments[-1] += 1
            continue
        segments.append(1)
        while sum(segments) - segments[0] > 10:
            segments.pop(0)
        if len(segments) >= 5 and len(found) < 2:
            found.append(number)
    return found


MEASURED = {
    "TTTTT": [(5, "4 of 4")],
    "T" * 12: [(5, "4 of 4"), (6, "5 of 5")],
    "TnTnTnTnTnTnTn": [(9, "4 of 7"), (11, "5 of 9")],
    "TnnTnnTnnTnnT": [(13, "4 of 10")],
    "TnnnTnnnTnnnTnnnT": [],
    "TTTT" + "n" * 6 + "T": [(11, "4 of 10")],
    "TTTT" + "n" * 7 + "T": [],
    "TnnnnnTTTT": [(10, "4 of 4")],
    "T" + "n" * 1000 + "TTTT": [(1005, "4 of 4")],
}


@pytest.mark.parametrize("calls", MEASURED)
def test_it_warns_at_the_calls_that_tensorflow_warns_at(calls):
    assert [number for number, _ in MEASURED[calls]] == tensorflows(calls)
    assert warned(calls) == MEASURED[calls]


@pytest.mark.parametrize("calls", MEASURED)
def test_it_warns_at_the_same_calls_where_hits_are_seen_on_demand(calls):
    assert warned_when_hits_are_seen_on_demand(calls) == MEASURED[calls]


@given(st.lists(st.tuples(st.integers(0, 13), st.integers(1, 4)), max_size=12))
def test_hits_that_are_not_asked_for_decide_nothing(runs):
    calls = "T" + "".join("n" * hits + "T" * traces for hits, traces in runs)

    assert [number for number, _ in warned(calls)] == tensorflows(calls)
    assert warned_when_hits_are_seen_on_demand(calls) == warned(calls)


def test_a_function_with_one_signature_is_never_slowed_down():
    detector, caller = RetraceDetector(), Caller()

    detector.traced(caller, record(n=Literal(1)))

    assert not detector.wants_hits()
    assert not caller.counting


def test_nine_hits_after_a_retrace_are_enough():
    detector, caller = RetraceDetector(), Caller()
    for n in range(2):
        detector.traced(caller, record(n=Literal(n)))

    seen = 0
    while caller.counting:
        detector.called()
        seen += 1

    assert seen == 9
    assert not detector.wants_hits()


def test_nothing_is_counted_after_the_last_warning():
    detector, caller = RetraceDetector(), Caller()

    for n in range(6):
        detector.traced(caller, record(n=Literal(n)))

    assert not detector.wants_hits()
    assert not caller.counting


def test_a_hit_before_any_trace_counts_for_nothing():
    detector, caller = RetraceDetector(), Caller()
    detector.called()  # of a trace that get_concrete_function has made

    found = [detector.traced(caller, record(n=Literal(n))) for n in range(5)]

    assert [each is not None for each in found] == [False, False, False, False, True]


def test_the_hits_of_another_function_of_the_same_code_count():
    detector, first, second = RetraceDetector(), Caller(), Caller()
    detector.traced(first, record(n=Literal(0)))
    assert not first.counting

    detector.traced(second, record(n=Literal(0)))
    assert first.counting
    assert second.counting


def test_what_it_finds_names_the_traces_and_how_many_functions_made_them():
    detector, caller = RetraceDetector(), Caller()
    traces = [record(n=Literal(n)) for n in range(5)]

    *_, found = [detector.traced(caller, each) for each in traces]

    assert found == Frequent(4, 4, tuple(traces), 1)


def test_functions_that_are_gone_are_counted_each_and_not_kept():
    detector = RetraceDetector()
    callers = []

    def trace():
        caller = Caller()  # which may lie where the one before lay
        return detector.traced(caller, record(x=ArraySpec((3,), "float32")))

    *_, found = [trace() for _ in range(5)]
    gc.collect()

    assert found.functions == 5
    assert len(detector._callers) == 0


def test_functions_from_one_lambda_share_a_detector():
    made = [detector_of(lambda x: x + 1) for _ in range(2)]

    assert made[0] is made[1]


def test_methods_of_two_instances_share_a_detector():
    class Model:
        def step(self, x):
            return x

    assert detector_of(Model().step) is detector_of(Model().step)
    assert detector_of(Model().step) is detector_of(Model.step)


def test_equal_code_in_another_file_has_a_detector_of_its_own():
    texts = {"one.py": {}, "two.py": {}}
    for path, namespace in texts.items():
        exec(compile("def f(x): return x", path, "exec"), namespace)
    one, two = (namespace["f"] for namespace in texts.values())
    assert one.__code__ == two.__code__

    assert detector_of(one) is not detector_of(two)


def test_what_has_no_code_has_a_detector_of_its_own():
    partial = functools.partial(max, 1)

    assert detector_of(partial) is not detector_of(partial)


def test_the_detector_of_code_that_is_gone_goes_too():
    namespace: dict = {}
    exec(compile("def f(x): return x", "gone.py", "exec"), namespace)
    place = id(namespace["f"].__code__)
    detector_of(namespace["f"])
    assert place in detector._detectors

    namespace.clear()
    gc.collect()

    assert place not in detector._detectors


def test_threads_that_trace_at_once_are_warned_of_twice_in_all():
    detector, caller = RetraceDetector(), Caller()
    found = []

    def trace():
        for n in range(50):
            found.append(detector.traced(caller, record(n=Literal(n))))
            detector.called()

    threads = [threading.Thread(target=trace) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len([each for each in found if each is not None]) == 2
