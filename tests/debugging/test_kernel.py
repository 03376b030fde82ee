"""Do functions of a real kernel's cells, and of blocks pasted at Python's own prompt, run as what they are there?"""

from __future__ import annotations

import os
import pathlib
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).parents[2]
# An import and a function in one: each statement is compiled alone, and then `jnp.sum` is another code than in a file.
BLOCK = """\
import jax.numpy as jnp
from autograph_lite import convert
def callee(x):
    if jnp.sum(x) > 0:
        return 2 * x
    return x
@convert
def f(x):
    return callee(x) + jnp.max(x)
print(f(jnp.ones(2)), f(-jnp.ones(2)))
"""
SHOWN = "[3. 3.] [-2. -2.]"


class Kernel:
    """A kernel of Jupyter's, and what talks to it."""

    def __init__(self) -> None:
        from jupyter_client.manager import start_new_kernel

        environment = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
        self.manager, self.client = start_new_kernel(kernel_name="python3", env=environment)

    def __call__(self, cell: str) -> str:
        """Runs a cell; gives what it printed."""
        printed: list[str] = []

        def note(message: dict[str, Any]) -> None:
            content = message["content"]
            if message["msg_type"] == "stream" and content["name"] == "stdout":
                printed.append(content["text"])
            if message["msg_type"] == "error":
                printed.append(content["evalue"])

        self.client.execute_interactive(cell, timeout=300, output_hook=note)
        return "".join(printed).strip()


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    pytest.importorskip("ipykernel")
    pytest.importorskip("jupyter_client")
    made = Kernel()
    yield made
    made.client.stop_channels()
    made.manager.shutdown_kernel(now=True)


def test_a_function_and_what_it_imports_in_one_cell_are_converted(kernel: Kernel) -> None:
    assert kernel(BLOCK) == SHOWN


def test_a_helper_defined_anew_is_the_new_one_in_the_same_cell(kernel: Kernel) -> None:
    kernel("%load_ext autograph_lite\nimport jax.numpy as jnp\nfrom autograph_lite import convert")
    kernel(
        "def helper(x):\n    return x + 1 if x > 0 else x\n@convert\ndef run(x):\n    return 2 * helper(x)"
    )
    assert kernel("print(run(jnp.float32(1)))") == "4.0"
    assert kernel("def helper(x):\n    return x + 2 if x > 0 else x\nprint(run(jnp.float32(1)))") == "6.0"


def test_functions_below_magics_are_converted(kernel: Kernel) -> None:
    kernel("import jax.numpy as jnp\nfrom autograph_lite import convert")
    timed = "%%time\ndef g(x):\n    return x + 1 if x > 0 else x\nprint(convert(g)(jnp.float32(1)))"
    assert kernel(timed).startswith("2.0\n")
    assert kernel("%%capture kept\n" + BLOCK) == ""
    assert kernel("print(kept.stdout)") == SHOWN


@pytest.mark.skipif(sys.version_info < (3, 13), reason="before, the prompt keeps no text")
@pytest.mark.skipif(sys.platform == "win32", reason="no terminal of POSIX's")
def test_a_block_that_is_pasted_at_the_prompt_is_converted() -> None:
    assert SHOWN in _pasted(BLOCK)


def _pasted(block: str) -> str:
    """What Python's prompt shows, in a terminal into which a block is pasted as terminals do."""
    import pty

    terminal, inside = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "PYTHON_HISTORY": os.devnull}
    python = subprocess.Popen(
        [sys.executable, "-q"], stdin=inside, stdout=inside, stderr=inside, env=environment
    )
    os.close(inside)
    shown, sent, until = "", False, time.monotonic() + 120
    try:
        while "the end" not in shown and time.monotonic() < until:
            if not sent and ">>>" in shown:
                os.write(terminal, f"\x1b[200~{block}\x1b[201~\n\nprint('the ' + 'end')\n".encode())
                sent = True
            if select.select([terminal], [], [], 1.0)[0]:
                shown += os.read(terminal, 65536).decode(errors="replace")
    finally:
        python.kill()
        python.wait()
        os.close(terminal)
    return shown
