"""Stands in for a process of the template where a command is needed: same files, environment, signals and exit code.

``python -IS launcher.py SOCKET MODULE:FUNCTION [ARGUMENT …]``
"""

import json
import os
import signal
import socket
import sys


def main(path: str, target: str, *arguments: str) -> None:
    asked = {"target": target, "arguments": arguments, "environ": dict(os.environ), "folder": os.getcwd()}
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    socket.send_fds(connection, [json.dumps(asked).encode() + b"\n"], [0, 1, 2])
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: connection.send(bytes([number])))
    told = connection.makefile("rb")
    told.readline()
    code = int(told.readline() or 70)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main(*sys.argv[1:])
