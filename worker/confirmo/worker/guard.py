"""Runs a command and ends it as soon as the process that started this one is gone, however it went.

Started as ``python -I -S guard.py COMMAND …`` with a pipe on standard input that its parent holds open: the end of that
pipe, which the kernel brings about even when the parent is killed, is the signal. Standard library only.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading

GRACE_SECONDS = 10.0
REMOVE = "CONFIRMO_GUARD_REMOVES"
"""Variable that names a folder to remove once the parent and the command are gone."""


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

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    code = child.wait()
    folder = os.environ.get(REMOVE)
    if folder:
        # Only once the parent is gone, too: its other children still use the folder.
        watcher.join()
        shutil.rmtree(folder, ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
