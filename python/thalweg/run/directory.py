# SPDX-License-Identifier: Apache-2.0
"""Makes the run directory: for one run at a time, over an old run only when asked to, and never
over what no run has made.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.inventory import Inventory, crc32_of
from thalweg.files.report_page import remove_page
from thalweg.files.restart_sets import list_restart_sets, list_set_directories
from thalweg.files.run_directory import RunDirectory
from thalweg.run.lock import DirectoryLock, lock_directory, take_lock


def default_directory(experiment: Experiment) -> Path:
    """runs/<file name>-<timestamp> below the working directory."""
    return Path("runs") / f"{experiment.path.stem}-{time.strftime('%Y%m%dT%H%M%S')}"


class RunPlace:
    """Where a run goes. `lock` is held from make() on, or earlier where there was a run before."""

    def __init__(self, path: Path, overwrite: bool = False, goes_on: bool = False) -> None:
        self.path, self._overwrite, self._goes_on = path, overwrite, goes_on
        self.lock: DirectoryLock | None = None
        self.notes: list[str] = []  # for the user
        self.was_complete = False  # the run that goes on
        self.lost: dict[str, int] = {}  # files of the run that goes on which are not there any more
        self._before: dict[Path, bytes] = {}  # records of the run that goes on, until it does
        self._made: list[Path] = []  # directories that it has no use for until then

    def check(self) -> None:
        """Raises a sentence when a run may not be written there. Changes nothing."""
        path, run = self.path, RunDirectory(self.path)
        if path.is_symlink() and not path.exists():
            raise ThalwegError(f"'{path}' is a link that leads nowhere; give another --out")
        if self._goes_on and not run.looks_like_a_run():
            raise ThalwegError(
                f"there is no run in '{path}' to continue; give its directory by --out"
            )
        if self._goes_on:
            run.refuse_what_is_no_file()
        self.was_complete = self._goes_on and self._ended_well(run)
        if self.was_complete and not list_restart_sets(path):
            raise ThalwegError(
                f"the run in '{path}' is complete and has no checkpoint to go on from; to begin it "
                "again, add --overwrite instead of --continue"
            )
        if not path.exists():
            return
        if path.is_dir() and run.lock_path.is_file() and self.lock is None:
            with _as_sentence(path):
                self.lock = take_lock(path)
        if self._goes_on:
            with _as_sentence(path):
                self._check_list(run)
            return
        if not self._overwrite:
            self._refuse_existing()
        if not path.is_dir():
            raise ThalwegError(f"'{path}' is not a directory, so --overwrite does not replace it")
        if any(path.iterdir()) and not run.is_of_the_runner():
            raise ThalwegError(
                f"'{path}' is not a run directory: it has no 'run.json', so --overwrite does not "
                "replace it; give another --out"
            )

    def _ended_well(self, run: RunDirectory) -> bool:
        """A power cut may leave a record of zeros: the run goes on, and makes it anew."""
        try:
            return run.ended_well()
        except ThalwegError as error:
            self.notes.append(f"{error.sentence}; it is made anew")
            return False

    def _check_list(self, run: RunDirectory) -> None:
        """Checksums of files that stay are taken from the list: it must be this run's."""
        wanted = Inventory.list_of(run)
        if not wanted:
            return
        path = run.checksums_path
        if not path.exists():
            self.notes.append(
                f"'{path}', which the run wrote, is gone: files that stay get checksums of what "
                "they are now"
            )
        elif crc32_of(path) != wanted:
            raise ThalwegError(
                f"'{path}' is not the one that the run wrote; put that back, or remove this one, "
                "and files that stay get checksums of what they are now"
            )

    def make(self, experiment: Experiment) -> RunDirectory:
        """Removes the old run where allowed, or leaves it to be continued; makes DIR and DIR/files,
        writes experiment.toml.
        """
        run = RunDirectory(self.path)
        made: list[Path] = []
        with _as_sentence(self.path):
            try:
                _make_directories(self.path, made)
                if self.lock:
                    self.lock.sign()
                else:
                    self._lock_anew(run, made)
                remove_page(run.report_path)
                if self._goes_on:
                    records = (run.experiment_path, run.summary_path)
                    self._before = {path: path.read_bytes() for path in records if path.is_file()}
                    self._note_left_streams(run, experiment)
                    self.lost = Inventory.lost_of(run)
                else:
                    remove_run(run)
                if not run.files_path.is_dir():
                    run.files_path.mkdir()
                    made.append(run.files_path)
                    self._made = [run.files_path] if self._goes_on else []
                run.experiment_path.write_text(experiment.to_toml(), encoding="utf-8")
            except OSError:
                if not self._goes_on:
                    _unmake([*made, run.experiment_path])
                raise
        return run

    def _note_left_streams(self, run: RunDirectory, experiment: Experiment) -> None:
        try:
            before = Experiment.read(run.experiment_path).stream_names()
        except ThalwegError:  # of another version, or damaged: what there is cannot be told
            return
        left = [name for name in before if name not in experiment.stream_names()]
        if left:
            self.notes.append(
                f"without the streams of the run before: {', '.join(left)}; their files stay"
            )

    def has_begun(self) -> None:
        """The model agreed, and may have ended by now: records of the run before are dropped."""
        self._before = {}

    def give_back(self) -> None:
        """Where the model refused to go on, the records are again those of the run before."""
        for path, content in self._before.items():
            with contextlib.suppress(OSError):  # the directory may be what failed
                path.write_bytes(content)
        if self._before:
            _unmake(self._made)

    def _lock_anew(self, run: RunDirectory, made: list[Path]) -> None:
        if not run.lock_path.exists():
            made.append(run.lock_path)
        self.lock = lock_directory(self.path)
        if not (self._overwrite or self._goes_on) and set(self.path.iterdir()) != {run.lock_path}:
            self._refuse_existing()  # another run began meanwhile, and has ended

    def _refuse_existing(self) -> NoReturn:
        raise ThalwegError(
            f"the run directory '{self.path}' exists; give another --out, or add --overwrite"
        )

    def leave(self) -> None:
        if self.lock:
            self.lock.release()


def remove_run(run: RunDirectory) -> None:
    """What a run makes and nothing else. Checkpoints go first: what a kill leaves is not gone on
    with. run.json goes last, so that half a run is still one.
    """
    journals = [run.journal_path] if run.journal_path.is_dir() else []
    for entry in (*list_set_directories(run.path), *journals, *run.all_entries()):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    for record in run.records():
        record.with_name(f"{record.name}.part").unlink(missing_ok=True)
        record.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # somebody's own files are in it
        (run.path / "restart").rmdir()


def _make_directories(path: Path, made: list[Path]) -> None:
    missing = [each for each in (path, *path.parents) if not each.exists()]
    for each in reversed(missing):
        with contextlib.suppress(FileExistsError):  # by another run that begins just now
            each.mkdir()
            made.append(each)


def _unmake(made: list[Path]) -> None:
    for each in reversed(made):
        with contextlib.suppress(OSError):
            if each.is_dir():
                each.rmdir()
            else:
                each.unlink()


@contextlib.contextmanager
def _as_sentence(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ThalwegError(
            f"the run directory '{path}' cannot be written: {error.strerror}; give another --out"
        ) from error
