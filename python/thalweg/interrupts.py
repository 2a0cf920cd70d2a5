# SPDX-License-Identifier: Apache-2.0
"""Signals that end a command."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

INTERRUPTED_CODE = 130  # as shells report Ctrl-C


@contextlib.contextmanager
def signals_as_interrupt() -> Iterator[None]:
    """A batch system's SIGTERM and a terminal that is closed end a run as cleanly as Ctrl-C. More
    of them change nothing, also afterwards: the end is on its way, and takes seconds at most.
    """
    told = False

    def interrupt(number: int, frame: object) -> None:
        nonlocal told
        if not told:
            told = True
            # Not SIG_IGN: a signal that is here already would be told on stderr as an OSError.
            signal.pthread_sigmask(signal.SIG_BLOCK, before)
            raise KeyboardInterrupt

    before = {
        number: signal.signal(number, interrupt)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is not signal.SIG_IGN  # nohup, or a shell's background
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            # Python's own end would give the place of a handler to the default.
            signal.signal(number, signal.SIG_IGN if told else handler)
