"""Does the search for what a body can see end where the user's own objects end?"""

from __future__ import annotations

import importlib
import sys
import types

import pytest

from autograph_lite.operators.object_graph import reachability


@pytest.fixture
def elsewhere():
    """A module of the user's that nothing here names."""
    module = types.ModuleType("elsewhere")
    module.kept = []
    sys.modules["elsewhere"] = module
    yield module
    del sys.modules["elsewhere"]


def of_all_modules():
    return sys.modules


def of_import():
    return importlib.import_module("json")


@pytest.mark.parametrize("fn", [of_all_modules, of_import])
def test_functions_that_import_do_not_lead_to_all_modules(elsewhere, fn):
    assert reachability.reachable([fn], {id(elsewhere.kept)}) == set()


def test_a_module_that_a_function_names_is_looked_into(elsewhere):
    scope = {"elsewhere": elsewhere}
    exec("def f():\n    return elsewhere.kept", scope)
    assert reachability.reachable([scope["f"]], {id(elsewhere.kept)}) == {id(elsewhere.kept)}


def test_a_module_without_a_file_is_of_the_library_around_it():
    module = types.ModuleType("numpy.made_up")
    module.kept = []
    sys.modules["numpy.made_up"] = module
    try:
        assert reachability.reachable([module], {id(module.kept)}) == set()
    finally:
        del sys.modules["numpy.made_up"]


@pytest.mark.parametrize("name", sorted({*reachability._OURS, *reachability.WRAPPERS}))
def test_modules_of_ours_that_are_looked_into_are_there(name: str):
    module = importlib.import_module(name)  # one that has another name since would hide the user's values
    assert any(isinstance(value, type) and value.__module__ == name for value in vars(module).values())
