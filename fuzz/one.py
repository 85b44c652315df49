"""Fuzz one target in this process, for ``run``: ``python -m fuzz.one TARGET [libFuzzer's own arguments]``."""

import sys

import atheris

with atheris.instrument_imports(include=["confirmo.policies", "yaml"]):
    from fuzz.targets import TARGETS


def main() -> None:
    name, arguments = sys.argv[1], sys.argv[2:]
    atheris.Setup([sys.argv[0], *arguments], TARGETS[name])
    atheris.Fuzz()


main()
