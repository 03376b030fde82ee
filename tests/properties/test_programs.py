"""Random programs do under conversion what plain Python does."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from .choices import from_draw
from .compare import compare
from .derivatives import compare_derivatives
from .programs import MIXES, Program, generate

# How large a loop over Python's values becomes is no matter of its values.
pytestmark = pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning")

# In all, over the mixes; half of them are compiled, too.
BUDGET = int(os.environ.get("AUTOGRAPH_LITE_FUZZ_PROGRAMS", "1000"))
PER_TEST = max(1, BUDGET // (2 * len(MIXES) + 2))


@st.composite
def programs(draw: st.DrawFn, mix: str) -> Program:
    """Random programs of a mix, with their inputs."""
    return generate(from_draw(draw), MIXES[mix])


def budget(examples: int) -> settings:
    """Settings for this many programs; shrinking them is worth the time that it takes."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    phases = set(Phase) - {Phase.explain}  # explaining runs many more programs than it makes clear
    return settings(
        max_examples=examples, deadline=None, suppress_health_check=checks, phases=phases, print_blob=True
    )


@pytest.mark.parametrize("mix", MIXES)
def test_converted_program_is_the_original_on_python_values(mix: str) -> None:
    @budget(PER_TEST)
    @given(programs(mix))
    def check(program: Program) -> None:
        findings = compare(program, stage=False).findings
        assert not findings, findings[0]

    check()


@pytest.mark.parametrize("mix", MIXES)
def test_compiled_program_computes_what_python_computes(mix: str) -> None:
    @budget(PER_TEST)
    @given(programs(mix))
    def check(program: Program) -> None:
        findings = compare(program).findings
        assert not findings, findings[0]

    check()


def test_compiled_program_maps_over_a_batch() -> None:
    @budget(PER_TEST)
    @given(st.sampled_from(sorted(MIXES)).flatmap(programs))
    def check(program: Program) -> None:
        findings = compare(program, batch=True).findings
        assert not findings, findings[0]

    check()


def test_compiled_program_has_pythons_derivatives() -> None:
    @budget(PER_TEST)
    @given(st.sampled_from(["branches", "loops", "jumps", "functions"]).flatmap(programs))
    def check(program: Program) -> None:
        findings = compare_derivatives(program).findings
        assert not findings, findings[0]

    check()
