"""Ends what a test run left behind: run as a process that outlives the run, it waits for the run's end.

Every process that a run starts inherits ``RUN`` in its environment, whatever group or session it is in. A run that was
interrupted, killed, or given up by xdist closes this process's standard input by its end.
"""

import contextlib
import os
import signal
import subprocess
import sys
import uuid

import psutil

RUN = "TESTS_RUN_ID"


def start() -> "subprocess.Popen[bytes]":
    """Mark this process's children from now on, and have them ended after it. Close ``stdin`` to end that."""
    environ = {name: value for name, value in os.environ.items() if name != RUN}
    os.environ[RUN] = uuid.uuid4().hex
    command = [sys.executable, __file__, os.environ[RUN]]
    return subprocess.Popen(command, stdin=subprocess.PIPE, env=environ, start_new_session=True)


def left(run: str) -> list[psutil.Process]:
    """Processes of a run that are alive."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get(RUN) == run and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def main(run: str) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()
    for _ in range(10):  # what is ended may have started others meanwhile
        if not (processes := left(run)):
            return
        for process in processes:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(processes, timeout=5)


if __name__ == "__main__":
    main(sys.argv[1])
