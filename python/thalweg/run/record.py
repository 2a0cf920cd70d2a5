# SPDX-License-Identifier: Apache-2.0
"""run.json from the first moment of a run to its last: who runs, how it ended, what it left."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from typing import Any

from thalweg.errors import ThalwegError
from thalweg.files.inventory import Inventory
from thalweg.files.run_directory import RunDirectory


class RunRecord:
    """`content` may be added to until the end. `lost`: files of the run before that are not there
    any more, with their bytes.
    """

    def __init__(
        self, run: RunDirectory, content: dict[str, Any], lost: dict[str, int] | None = None
    ) -> None:
        self._run, self._began_s, self._lost = run, time.time(), lost or {}
        self.content: dict[str, Any] = {
            "status": "running",
            "process": os.getpid(),
            "command": sys.argv,
            "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._began_s)),
            **content,
        }
        if self._lost:
            self.content["lost"] = self._lost

    def begin(self) -> None:
        """What a run leaves behind that is killed together with its runner. Raises a sentence."""
        try:
            self._write()
        except OSError as refused:
            raise self._sentence(refused, "make room, or give another --out") from refused

    def end(self, status: str, error: str = "") -> None:
        """Raises a sentence where a run that did well cannot be recorded; where it failed, that
        sentence is not to hide the other.
        """
        self.content |= {"status": status, "wall_s": round(time.time() - self._began_s, 3)}
        if error:
            self.content["error"] = error
        try:
            self.content["written"] = Inventory.take(self._run, self._lost).to_json()
            self._write()
        except OSError as refused:  # the directory may be the very thing that failed
            if status == "complete":
                remedy = "the run did well, but nothing says so: make room and run again"
                raise self._sentence(refused, remedy) from refused

    def _sentence(self, refused: OSError, remedy: str) -> ThalwegError:
        reason = refused.strerror or str(refused)
        return ThalwegError(f"'{self._run.summary_path}' cannot be written ({reason}); {remedy}")

    def _write(self) -> None:
        """Never half a file."""
        path = self._run.summary_path
        aside = path.with_name(f"{path.name}.part")
        try:
            text = json.dumps(self.content, indent=1, ensure_ascii=False)
            aside.write_text(text + "\n", encoding="utf-8", errors="surrogateescape")
            aside.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                aside.unlink()
            raise
