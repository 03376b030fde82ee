"""Is a program that another process has compiled run where nothing has changed, and never where something has?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.warm.forked import ROOT, Runner

CONFIG = "RATE = 2\n"
MODEL = """\
import enum
import jax, jax.numpy as jnp, numpy as np
import autograph_lite as al
import config

runs = []
SCALE = 10
TABLE = np.arange(3.0)
OPTIONS = {"shift": [1, 2]}

class Mode(enum.Enum):
    PLUS = 1

class Settings:
    factor = 5
    def __init__(self):
        self.offset = 100
    def shifted(self, x):
        return x + self.offset * self.factor

settings = Settings()

def helper(x):
    return x + 1

def make(rate):
    bias = rate
    def inner(x):
        return x * bias
    return inner

inner = make(3)

@al.convert
def f(x, n=2, mode=None):
    runs.append(1) if False else None
    y = helper(x) * SCALE + config.RATE + TABLE.sum() + OPTIONS["shift"][1]
    y = inner(settings.shifted(y)) + (Mode.PLUS.value if n else 0)
    total = y
    while total > 1000:
        total = total - 100
    if total < 0:
        raise ValueError(f"{total} is negative")
    return {"total": total, "y": y}
"""
PROGRAM = """\
import json, sys, time
import jax, jax.numpy as jnp
import autograph_lite as al
cache = al.enable_compilation_cache(sys.argv[1])
{before}
import model
{after}
traced = []
jax.monitoring.register_event_duration_secs_listener(lambda event, seconds, **_: traced.append(event))
result = model.f(jnp.float32(1))
plain = model.f.python_function(jnp.float32(1))
same = all(float(result[k]) == float(plain[k]) for k in plain)
print(json.dumps([same, cache.found, cache.kept, float(result["y"])]))
"""


runner = Runner()


@pytest.fixture(scope="module", autouse=True)
def one_runner() -> Iterator[None]:
    yield
    runner.close()


def run(
    folder: Path, *, before: str = "", after: str = "", env: dict[str, str] | None = None
) -> list[object]:
    path = folder / "program.py"
    path.write_text(PROGRAM.format(before=before, after=after))
    if env is None:
        found: list[object] = json.loads(runner.run(path, str(folder / "cache")))
        return found
    done = subprocess.run(
        [sys.executable, str(path), str(folder / "cache")],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **env},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("warm")
    (made / "cache").mkdir(mode=0o700)
    written(made)
    assert run(made)[:3] == [True, 0, 1]
    return made


def written(folder: Path, model: str = MODEL, config: str = CONFIG) -> None:
    (folder / "model.py").write_text(model)
    (folder / "config.py").write_text(config)


def test_a_second_process_runs_what_the_first_has_compiled(folder):
    written(folder)
    assert run(folder)[:3] == [True, 1, 0]
    assert run(folder, env={})[:3] == [True, 1, 0]


CHANGES = {
    "the function's body": ("total = y\n", "total = y + 1\n"),
    "a helper's body": ("return x + 1\n", "return x + 2\n"),
    "a global number": ("SCALE = 10", "SCALE = 11"),
    "the type of a global number": ("SCALE = 10", "SCALE = 10.0"),
    "the items of a global array": ("np.arange(3.0)", "np.arange(3.0) + 1"),
    "an item of a container": ('"shift": [1, 2]', '"shift": [1, 3]'),
    "a closure value": ("make(3)", "make(4)"),
    "an attribute of a captured object": ("self.offset = 100", "self.offset = 101"),
    "an attribute of its class": ("factor = 5", "factor = 6"),
    "a method of its class": ("self.offset * self.factor", "self.offset - self.factor"),
    "the value of an enum's member": ("PLUS = 1", "PLUS = 2"),
    "a default": ("n=2", "n=0"),
    "an option": ("@al.convert\n", "@al.convert(static_loops='stage')\n"),
    "the line that an error names": ("import enum\n", "import enum\n\n"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_source_is_noticed(folder, change):
    old, new = CHANGES[change]
    assert MODEL.count(old) == 1
    written(folder, MODEL.replace(old, new))
    same, found, *_ = run(folder)
    assert (same, found) == (True, 0)


def test_a_change_of_another_module_is_noticed(folder):
    written(folder, config="RATE = 3\n")
    assert run(folder)[:2] == [True, 0]


@pytest.mark.parametrize(
    "after",
    [
        "model.SCALE = 21",
        "model.config.RATE = 21",
        "model.settings.offset = 11",
        "model.Settings.factor = 11",
        "model.TABLE[0] = 11",
        "model.helper.__code__ = (lambda x: x + 5).__code__",
        "import builtins; del model.SCALE; builtins.SCALE = 12",
    ],
)
def test_a_change_at_run_time_is_noticed(folder, after):
    written(folder)
    assert run(folder, after=after)[:2] == [True, 0]


@pytest.mark.parametrize(
    "before",
    [
        "jax.config.update('jax_enable_x64', True)",
        "jax.config.update('jax_default_matmul_precision', 'highest')",
        "jax.__version__ = '99.0'",
        "import sys; sys.version = '3.99'",
    ],
)
def test_a_change_of_the_surroundings_is_noticed(folder, before):
    written(folder)
    assert run(folder, before=before)[1] == 0


@pytest.mark.parametrize(
    "env", [{"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}, {"AUTOGRAPH_LITE_LIGHT": "0"}]
)
def test_a_change_of_the_environment_is_noticed(folder, env):
    written(folder)
    assert run(folder, env=env)[:2] == [True, 0]


IMPURE = {
    "a clock": "import time\nSCALE2 = 1\ndef extra(x): return x + time.time() * 0",
    "a file": "def extra(x): return x + len(open(__file__).read()) * 0",
    "the environment": "import os\ndef extra(x): return x + len(os.environ) * 0",
    "random numbers of NumPy's": "def extra(x): return x + np.random.rand() * 0",
    "an alias of them": "def extra(x):\n    r = np\n    return x + r.random.rand() * 0",
    "an import": "def extra(x):\n    import time\n    return x + time.time() * 0",
    "a computed name": "def extra(x): return x + getattr(config, 'RA' + 'TE') * 0",
    "a name of a module's dictionary": "def extra(x): return x + config.__dict__['RATE'] * 0",
    "globals()": "def extra(x): return x + globals()['SCALE'] * 0",
    "a cached function": "import functools\n@functools.lru_cache\ndef lru(): return 0\ndef extra(x): return x + lru()",
    "state that tracing changes": "log = []\ndef extra(x):\n    log.append(len(log))\n    return x",
    "a global that tracing writes": "def extra(x):\n    global LAST\n    LAST = 1\n    return x",
    "an iterator": "it = iter([0, 0, 0, 0])\ndef extra(x): return x + (it is None)",
}


@pytest.mark.parametrize("what", IMPURE)
def test_what_can_not_be_told_is_not_kept(folder, what):
    model = MODEL.replace(
        "def helper(x):\n    return x + 1\n", f"{IMPURE[what]}\ndef helper(x):\n    return extra(x) + 1\n"
    )
    written(folder, model)
    assert run(folder)[1:3] == [0, 0]


def test_a_damaged_file_is_traced_again(folder):
    written(folder)
    for path in (folder / "cache").glob("*.zip"):
        path.write_bytes(path.read_bytes()[:-20])
    assert run(folder)[:3] == [True, 0, 1]
    assert run(folder)[:3] == [True, 1, 0]


def test_a_file_that_others_may_write_is_not_read(folder):
    written(folder)
    for path in (folder / "cache").glob("*.zip"):
        path.chmod(0o666)
    assert run(folder)[:2] == [True, 0]
