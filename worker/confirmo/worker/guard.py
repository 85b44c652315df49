"""Runs a command and ends it as soon as the process that started this one is gone, however it went.

Started as ``python -I -S guard.py COMMAND …`` with a pipe on standard input that its parent holds open: the end of that
pipe, which the kernel brings about even when the parent is killed, is the signal. Standard library only.
"""

import os
import signal
import subprocess
import sys
import threading

GRACE_SECONDS = 10.0


def main(command: list[str]) -> int:
    """Run ``command`` until it ends or standard input does; return its exit code."""
    # The parent decides when this ends, not a Ctrl-C that reaches the whole group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())

    def watch() -> None:
        while os.read(0, 4096):
            pass
        child.terminate()
        try:
            child.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()

    threading.Thread(target=watch, daemon=True).start()
    return child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
