"""Do converted functions run in two processes of `jax.distributed`, and in those that Python spawns?"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import socket

from tests.compose import children, spawned


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("localhost", 0))
        return server.getsockname()[1]


def test_in_two_processes_of_one_program():
    port = str(free_port())
    both = [children.start("distributed.py", port, str(i), devices=2) for i in (0, 1)]
    outputs = [children.finished(process) for process in both]
    assert ["well: 0" in outputs[0], "well: 1" in outputs[1]] == [True, True]


def test_in_a_spawned_process():
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as processes:
        assert list(processes.map(spawned.called, [7, 27])) == [16, 111]
