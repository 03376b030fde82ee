"""Is what the README shows what happens?"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import autograph_lite

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
EXAMPLE, GENERATED, STATE = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def module(text: str, path: Path) -> ModuleType:
    """A snippet as a module."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def example(tmp_path: Path) -> ModuleType:
    """The README's first snippet."""
    return module(EXAMPLE, tmp_path / "readme_example.py")


def test_the_first_example_gives_the_answer_that_is_shown(example: ModuleType) -> None:
    call, answer = re.findall(r"^(collatz\(.*\))  # (.*)$", EXAMPLE, re.MULTILINE)[0]
    assert repr(eval(call, vars(example))).startswith(answer.split(", dtype")[0])


def test_the_calls_of_a_module_give_the_answers_that_are_shown(tmp_path: Path) -> None:
    calls = re.findall(r"^(average\..*?)  # (.*)$", STATE, re.MULTILINE)
    imports = "import jax.numpy as jnp\n"
    names = vars(module(imports + STATE.partition("average.")[0], tmp_path / "readme_state.py"))
    assert len(calls) == 3
    for call, answer in calls:
        assert repr(eval(call, names)).startswith(answer.split(", dtype")[0])


def test_the_generated_code_is_what_is_shown(example: ModuleType) -> None:
    assert autograph_lite.to_code(example.collatz).strip() == GENERATED.strip()


def test_every_public_name_in_the_readme_exists() -> None:
    names = re.findall(r"autograph_lite\.([A-Za-z_]+)", README)
    assert [name for name in names if not hasattr(autograph_lite, name)] == []


def test_every_link_in_the_readme_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
