"""Does Python end silently with Variables alive, when globals of modules are gone before them?"""

from __future__ import annotations

from autograph_lite import Variable
from autograph_lite.runtime.state import variable as variables


def test_a_variable_goes_after_the_globals(monkeypatch):
    variable = Variable(0.0)
    with monkeypatch.context() as ending:
        ending.setattr(variables, "LENT", None)
        del variable  # what it raised would be a warning, and an error here
