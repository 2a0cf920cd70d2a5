# SPDX-License-Identifier: Apache-2.0
"""A real Slurm on this machine for tests: controller and node daemons in a directory of their own,
on free ports of 127.0.0.1, ended with the test.
"""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
_WHERE = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
_START_S = 30.0  # until nodes are idle
_CORES = 128  # that a node says it has

_CONF = """\
ClusterName=of_tests
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={socket}
CredType=cred/munge
StateSaveLocation={here}/state
SlurmdSpoolDir={here}/spool_%n
SlurmctldPidFile={here}/slurmctld.pid
SlurmdPidFile={here}/slurmd_%n.pid
SlurmctldLogFile={here}/slurmctld.log
SlurmdLogFile={here}/slurmd_%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
ReturnToService=2
MinJobAge={forget_s}
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
PartitionName=closed Nodes=ALL State=INACTIVE
"""


class NoSlurmError(Exception):
    """Why there is none here."""


class LocalSlurm:
    """environment: what commands of Slurm and their callers need to find it."""

    def __init__(self, folder: Path, nodes: int, forget_s: int = 300) -> None:
        """forget_s: about so long after its end a job is purged. Raises NoSlurmError."""
        missing = [name for name in _PROGRAMS if shutil.which(name, path=_WHERE) is None]
        if missing:
            raise NoSlurmError(f"not installed: {', '.join(missing)}")
        self.folder = folder
        self._short = TemporaryDirectory(prefix="slurm_")  # paths of sockets are 107 bytes at most
        self._socket = Path(self._short.name) / "munge"
        self._processes: list[subprocess.Popen[bytes]] = []
        names = [f"n{number}" for number in range(1, nodes + 1)]
        self._write(names, forget_s)
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf")}
        try:
            self._start_munge()
            conf = str(folder / "slurm.conf")
            self._start(["slurmctld", "-D", "-f", conf])
            for name in names:
                self._start(["slurmd", "-D", "-f", conf, "-N", name])
            self._until(lambda: self._idle() == nodes, "its nodes do not become idle")
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Ends jobs, then what was started here, the last first."""
        if len(self._processes) > 1:
            self.call(["scancel", f"--user={getpass.getuser()}"])
            until = time.monotonic() + 10.0
            while self.call(["squeue", "--noheader"]).strip() and time.monotonic() < until:
                time.sleep(0.1)
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            _await_end(process)
        self._processes.clear()
        self._short.cleanup()

    def call(self, words: Sequence[str]) -> str:
        """What it printed, on either stream."""
        done = subprocess.run(
            words, env={**os.environ, **self.environment}, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=60.0, check=False,
        )  # fmt: skip
        return done.stdout

    def _write(self, names: Sequence[str], forget_s: int) -> None:
        controller, *ports = _free_ports(len(names) + 1)
        nodes = "\n".join(
            f"NodeName={name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs={_CORES} "
            "RealMemory=1000"
            for name, port in zip(names, ports, strict=True)
        )
        (self.folder / "state").mkdir(parents=True)
        for name in names:
            (self.folder / f"spool_{name}").mkdir()
        text = _CONF.format(
            controller=controller,
            user=getpass.getuser(),
            here=self.folder,
            nodes=nodes,
            socket=self._socket,
            forget_s=forget_s,
        )
        (self.folder / "slurm.conf").write_text(text)

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        files = {"key-file": "key", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        options = [f"--{name}={self.folder}/munge.{end}" for name, end in files.items()]
        self._start(["munged", "--foreground", "--force", f"--socket={self._socket}", *options])
        self._until(self._socket.exists, "munged makes no socket")

    def _start(self, words: list[str]) -> None:
        program = shutil.which(words[0], path=_WHERE)
        assert program is not None
        with (self.folder / f"{words[0]}.said").open("ab") as said:
            process = subprocess.Popen(
                [program, *words[1:]], stdin=subprocess.DEVNULL, stdout=said,
                stderr=subprocess.STDOUT, cwd=self.folder, start_new_session=True,
                env={**os.environ, **self.environment},
            )  # fmt: skip
        self._processes.append(process)

    def _idle(self) -> int:
        return (
            self.call(["sinfo", "--noheader", "-p", "all", "-N", "-o", "%t"]).split().count("idle")
        )

    def _until(self, holds: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + _START_S
        while not holds():
            ended = [p for p in self._processes if p.poll() is not None]
            if ended or time.monotonic() > until:
                raise NoSlurmError(f"{what}; {self._last_words()}")
            time.sleep(0.05)

    def _last_words(self) -> str:
        lines = [
            f"{path.name}: {text[-1]}"
            for path in sorted(self.folder.glob("*.said"))
            if (text := path.read_text(errors="replace").splitlines())
        ]
        return "; ".join(lines) or "without a word"


def _await_end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(10.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()
