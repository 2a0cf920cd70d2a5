# SPDX-License-Identifier: Apache-2.0
"""Makes the run directory: never over something else, replaced only when asked to."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from thalweg.config.errors import ThalwegError
from thalweg.config.experiment import Experiment
from thalweg.files.run_directory import RunDirectory


def default_directory(experiment: Experiment) -> Path:
    """runs/<file name>-<timestamp> below the working directory."""
    return Path("runs") / f"{experiment.path.stem}-{time.strftime('%Y%m%dT%H%M%S')}"


def check_target(path: Path, overwrite: bool) -> None:
    """Raises a sentence when a run may not be written there. Changes nothing."""
    if path.is_symlink() or path.exists():
        if not overwrite:
            raise ThalwegError(
                f"the run directory '{path}' exists; give another --out, or add --overwrite"
            )
        if path.is_symlink() or not path.is_dir():
            raise ThalwegError(f"'{path}' is not a directory, so --overwrite does not replace it")
        if any(path.iterdir()) and not RunDirectory(path).looks_like_a_run():
            raise ThalwegError(
                f"'{path}' is not a run directory, so --overwrite does not replace it; "
                "give another --out"
            )


def create_directory(path: Path, experiment: Experiment, overwrite: bool) -> RunDirectory:
    """Removes the old run where allowed, makes DIR and DIR/files, writes experiment.toml."""
    check_target(path, overwrite)
    made: list[Path] = []
    try:
        if path.exists():
            shutil.rmtree(path)
        run = RunDirectory(path)
        missing = [each for each in (path, *path.parents) if not each.exists()]
        for each in reversed(missing):
            each.mkdir()
            made.append(each)
        run.files_path.mkdir()
        made.append(run.files_path)
        run.experiment_path.write_text(experiment.to_toml(), encoding="utf-8")
    except OSError as error:
        for each in reversed(made):
            shutil.rmtree(each, ignore_errors=True)
        raise ThalwegError(
            f"the run directory '{path}' cannot be written: {error.strerror}; give another --out"
        ) from error
    return run
