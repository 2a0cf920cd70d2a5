# SPDX-License-Identifier: Apache-2.0
"""`thalweg` with given words, in a process that was forked for it: what start_thalweg runs.

conftest.py gives it three names: `words`, `environment`, and `said`, two paths for what it says.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys

given = globals()
os.environ.clear()
os.environ.update(given["environment"])
# Tests that run in the background of a shell inherit "ignore Ctrl-C"; their runs must not.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number, path in enumerate(given["said"], start=1):
    with path.open("wb") as file:
        os.dup2(file.fileno(), number)
sys.argv = ["thalweg", *given["words"]]
try:
    runpy.run_module("thalweg", run_name="__main__", alter_sys=True)
finally:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
