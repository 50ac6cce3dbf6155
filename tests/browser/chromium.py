"""Finds a Chromium for the browser tests, or gets one: `python -m tests.browser.chromium`.

One on the PATH (or named by CHROMIUM) is taken first, then Debian's package where we are root, then
Playwright's own download. If none can be had, says what to install and fails.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ADVICE = (
    "The browser tests need Chromium, and none was found. Install Chromium or Chrome so that it is on the PATH, "
    "or name its executable in the environment variable CHROMIUM."
)


def on_path() -> str | None:
    """The Chromium named by CHROMIUM, or one on the PATH, or None."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named if Path(named).is_file() else None
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def find() -> str | None:
    """The path of a Chromium that can be started, or None."""
    return on_path() or _playwrights_own()


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def _get() -> None:
    if shutil.which("apt-get") and os.geteuid() == 0:
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "chromium"]):
            subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL)
    if find() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def main() -> int:
    if find() is None:
        _get()
    found = find()
    print(f"Chromium: {found}" if found else ADVICE)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
