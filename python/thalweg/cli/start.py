# SPDX-License-Identifier: Apache-2.0
"""Where `thalweg` begins and ends: every error is one sentence on standard error and an exit code.

It loads nothing that takes time before Ctrl-C is answered.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import signal
import sys
from pathlib import Path
from typing import TextIO

from thalweg.errors import ThalwegError
from thalweg.interrupts import INTERRUPTED_CODE, signals_as_interrupt

CLOSED_PIPE = 128 + signal.SIGPIPE  # as shells say of who ends by it; 1 tells of differences
_TOO_MANY_DIGITS = re.compile(r"Exceeds the limit \((\d+) digits\) for integer string conversion")


def main() -> None:
    """Runs a command."""
    os.environ["MPLBACKEND"] = "agg"  # no window is opened, whatever else was chosen for others
    nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere  # closed: `>&-`
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal or locale of few letters
            stream.reconfigure(errors="backslashreplace")
    try:
        with signals_as_interrupt():
            code = _answer()
            sys.stdout.flush()
    except BrokenPipeError:  # `thalweg settings | head`: whoever reads has read enough
        code = CLOSED_PIPE
    except KeyboardInterrupt:  # before the answer or behind it
        code = _fail("interrupted", INTERRUPTED_CODE)
    except OSError as error:  # what was printed did not get all the way, to a full disk
        code = _fail(f"{error.strerror or error}", 2)
    except SystemExit as end:
        cause = end.__context__  # typer's own answer to a closed pipe
        closed = isinstance(cause, OSError) and cause.errno == errno.EPIPE
        code = CLOSED_PIPE if closed else end.code if isinstance(end.code, int) else 1
    _give_up_closed(sys.__stdout__)
    _give_up_closed(sys.__stderr__)
    sys.exit(code)


def _answer() -> int:
    """The exit code."""
    try:
        _require_text(sys.argv[1:])
        code = _command()
    except ThalwegError as error:
        return _fail(error.sentence, error.exit_code)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED_CODE)
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f"'{error.filename}': " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", 2)
    except MemoryError as error:
        return _fail(f"memory ran out{f': {error}' if str(error) else ''}", 1)
    except ImportError as error:  # also where memory is too small for a library
        return _fail(f"a part of Python cannot be loaded: {error}", 1)
    except ValueError as error:
        if found := _TOO_MANY_DIGITS.match(str(error)):
            return _fail(f"a number of more than {found[1]} digits is none that is known", 2)
        raise
    return code


def _command() -> int:
    import typer

    from thalweg.cli.main import command
    from thalweg.cli.wrong_values import usage_sentence

    # typer carries its own copy of click from 0.20 on; its base class of user errors is reached so
    of_user: type[Exception] = typer.BadParameter.__mro__[2]
    try:
        code = command()(prog_name="thalweg", standalone_mode=False)
    except of_user as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error)
            return 2
        return _fail(usage_sentence(error), 2)
    except typer.Abort:
        code = INTERRUPTED_CODE
    if code == INTERRUPTED_CODE:  # typer's own answer to Ctrl-C, without a word
        return _fail("interrupted", code)
    return code if isinstance(code, int) else 0


def _give_up_closed(stream: TextIO | None) -> None:
    """Python would complain, at its end, of what it could not hand over."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _require_text(words: list[str]) -> None:
    """Files of a run name paths as UTF-8: what is none could be written, but never read."""
    for word in words:
        shown = os.fsencode(word).decode(errors="backslashreplace")
        if shown != word:
            raise ThalwegError(f"'{shown}' is not UTF-8; choose another name")


def _fail(sentence: str, code: int) -> int:
    with contextlib.suppress(OSError):  # nobody can be told
        print(f"thalweg: error: {sentence}", file=sys.stderr)
    return code
