"""``make audit``: asks for the known vulnerabilities of what lock files pin, and never takes silence for an answer.

Usage: audit.py PIP_AUDIT LOCK_FILE...

Exit codes: 0 everything was looked up and nothing is known; 1 something is known; 2 not everything could be looked up.
"""

import json
import subprocess
import sys
from typing import Any

OPTIONS = ("--format", "json", "--progress-spinner", "off", "--disable-pip", "--no-deps", "-r")


def ask(pip_audit: str, lock: str) -> list[dict[str, Any]] | None:
    """Return one entry per pinned distribution, null where there was no answer at all."""
    done = subprocess.run([pip_audit, *OPTIONS, lock], capture_output=True, text=True, timeout=600)
    try:
        dependencies: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return None
    return dependencies


def judge(lock: str, entries: list[dict[str, Any]] | None) -> int:
    """Print what is known of one lock file, and return the exit code that it deserves."""
    if entries is None:
        print(f"{lock}: the vulnerability service did not answer; nothing was audited.")
        return 2
    found = [(entry, vulnerability) for entry in entries for vulnerability in entry.get("vulns", ())]
    for entry, vulnerability in found:
        fixed = ", ".join(vulnerability["fix_versions"]) or "no version yet"
        print(f"{lock}: {entry['name']} {entry['version']}: {vulnerability['id']}, fixed in {fixed}")
    skipped = [entry["name"] for entry in entries if "skip_reason" in entry]
    print(
        f"{lock}: {len(entries) - len(skipped)} of {len(entries)} looked up, {len(found)} known vulnerabilities."
    )
    if found:
        return 1
    return 2 if skipped or not entries else 0


def main(pip_audit: str, locks: list[str]) -> int:
    """Ask for each lock file; what is known comes before what could not be looked up."""
    codes = {judge(lock, ask(pip_audit, lock)) for lock in locks}
    if 2 in codes:
        print("Not everything could be looked up. Run make audit where the service can be reached.")
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
