# SPDX-License-Identifier: Apache-2.0
"""The columns of the table of runs: the one list behind the Parquet file, its checks and its page.

Sources: "levante" columns are named in `run_list.py`, timers of ICON in `icon_log.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

Value = str | int | float | bool | tuple[str, ...] | None


@dataclass(frozen=True)
class Column:
    """type: text, integer, number, yes_no or texts. unit: "" where there is none."""

    name: str
    type: str
    unit: str
    meaning: str


COLUMNS = (
    Column("run", "text", "", "name of the run"),
    Column("sources", "texts", "", "files and directories it was read from"),
    Column("model", "text", "", "ICON or mini-model"),
    Column("status", "text", "", "complete, failed, running, interrupted"),
    Column("job", "text", "", "job of the batch system"),
    Column("grid", "text", "", "grid as RnBk"),
    Column("cells", "integer", "", "cells of the grid"),
    Column("levels", "integer", "", "levels of the model"),
    Column("nodes", "integer", "", "compute nodes"),
    Column("ranks", "integer", "", "ranks in all"),
    Column("ranks_per_node", "integer", "", "ranks on a node"),
    Column("compute_ranks", "integer", "", "ranks that run the model"),
    Column("io_ranks", "integer", "", "ranks that only write output"),
    Column("restart_ranks", "integer", "", "ranks that only write restart files"),
    Column("threads", "integer", "", "OpenMP threads of a rank"),
    Column("output_mode", "text", "", "mode of output of the mini-model"),
    Column("restart_mode", "text", "",
           "none, sync, async, joint_multifile, dedicated_multifile"),
    Column("partitions", "integer", "", "partitions of the output stream"),
    Column("output_interval_s", "number", "s", "model time between outputs, 0 = none"),
    Column("checkpoint_interval_s", "number", "s", "model time between checkpoints, 0 = none"),
    Column("outputs", "integer", "", "outputs of the run, the one at time 0 counted"),
    Column("checkpoints", "integer", "", "checkpoints of the run"),
    Column("state_fields", "integer", "", "prognostic fields, those in a restart set"),
    Column("steps", "integer", "", "time steps"),
    Column("time_step_s", "number", "s", "model time of a step"),
    Column("simulated_s", "number", "s", "model time that the run covered"),
    Column("total_s", "number", "s", "timer total, mean over compute ranks"),
    Column("total_max_s", "number", "s", "timer total, longest of a compute rank"),
    Column("step_s", "number", "s", "wall time of a step, mean over the run"),
    Column("output_s", "number", "s", "timer wrt_output, mean over compute ranks"),
    Column("restart_s", "number", "s", "timer write_restart, mean over compute ranks"),
    Column("physics_s", "number", "s", "timer physics, mean over compute ranks"),
    Column("exchange_s", "number", "s", "timer exch_data, mean over compute ranks"),
    Column("global_sum_s", "number", "s", "timer global_sum, mean over compute ranks"),
    Column("ordered_sum_s", "number", "s", "timer ordglb_sum, mean over compute ranks"),
    Column("init_s", "number", "s", "timer model_init, mean over compute ranks"),
    Column("wait_s", "number", "s", "waiting for output and checkpoints, mean over compute ranks"),
    Column("copy_s", "number", "s", "copying output and state, mean over compute ranks"),
    Column("io_output_s", "number", "s", "timer wrt_output, mean over I/O ranks"),
    Column("io_output_max_s", "number", "s", "timer wrt_output, longest of an I/O rank"),
    Column("io_output_calls", "integer", "", "its calls, sum over I/O ranks"),
    Column("restart_rank_write_s", "number", "s", "timer write_restart, mean over restart ranks"),
    Column("restart_rank_communication_s", "number", "s",
           "timer write_restart_communication, mean over restart ranks"),
    Column("restart_rank_wait_s", "number", "s",
           "timer write_restart_wait, mean over restart ranks"),
    Column("output_write_s", "number", "s",
           "making, writing and closing output files, sum over all ranks"),
    Column("output_events", "integer", "", "outputs that I/O ranks logged"),
    Column("output_event_bytes", "number", "B", "bytes an I/O rank got for one output, mean"),
    Column("output_event_values", "number", "", "values of one output, mean; 8 or 4 bytes moved"),
    Column("output_event_get_s", "number", "s", "getting them, mean"),
    Column("output_event_write_s", "number", "s", "writing them, mean"),
    Column("output_event_copy_s", "number", "s", "copying them, mean"),
    Column("output_rate_logged", "number", "B s-1",
           "rate of writing as logged, mean of events: 4 bytes a value whatever the file holds"),
    Column("checkpoint_events", "integer", "",
           "reports on checkpoints in the log; async: one of each domain"),
    Column("checkpoint_event_bytes", "number", "B", "bytes of one such report, mean"),
    Column("checkpoint_event_get_s", "number", "s", "getting them, mean"),
    Column("checkpoint_event_write_s", "number", "s",
           "writing them, mean; multifile: the whole checkpoint"),
    Column("checkpoint_rate_logged", "number", "B s-1", "rate as logged, mean of events"),
    Column("output_files", "integer", "", "output files on the disk"),
    Column("output_file_bytes", "integer", "B", "their bytes"),
    Column("darshan_ranks", "integer", "", "ranks that Darshan saw"),
    Column("darshan_run_s", "number", "s", "time of the job that Darshan saw"),
    Column("darshan_bytes_written", "integer", "B", "POSIX, all files"),
    Column("darshan_bytes_read", "integer", "B", "POSIX, all files"),
    Column("darshan_output_bytes", "integer", "B", "written to output files, by their names"),
    Column("darshan_restart_bytes", "integer", "B", "written to restart files, by their names"),
    Column("darshan_write_s", "number", "s", "POSIX writing, sum over ranks"),
    Column("darshan_meta_s", "number", "s", "POSIX opening, closing, seeking; sum over ranks"),
    Column("darshan_files_written", "integer", "", "files with bytes written"),
    Column("darshan_ranks_writing", "integer", "", "ranks that wrote"),
    Column("darshan_rate", "number", "B s-1", "Darshan's own estimate of the rate (slowest rank)"),
    Column("darshan_truncated", "yes_no", "", "records are missing: its bytes are too low"),
    Column("output_bytes", "integer", "B", "bytes of output that are believed"),
    Column("output_bytes_from", "text", "", "where they come from: files, darshan or run.json"),
    Column("output_rate", "number", "B s-1",
           "bytes of output on the disk over the time of writing, of one writer"),
    Column("checkpoint_rate", "number", "B s-1", "checkpoint_event_bytes over the time of writing"),
    Column("notes", "texts", "", "what disagrees, what is believed and why"),
)  # fmt: skip
BY_NAME = {column.name: column for column in COLUMNS}


class Row(dict[str, Value]):
    """One run. What is not there is None; a name that is no column is our bug."""

    def __init__(self, **values: Value) -> None:
        super().__init__(dict.fromkeys(BY_NAME))
        self["sources"], self["notes"] = (), ()
        self.tell(**values)

    def tell(self, **values: Value) -> None:
        for name, value in values.items():
            assert name in BY_NAME, name
            self[name] = value

    def note(self, sentence: str) -> None:
        """Once, also where a table is read again."""
        if sentence not in self.texts("notes"):
            self["notes"] = (*self.texts("notes"), sentence)

    def number(self, name: str) -> float | None:
        value = self[name]
        return float(value) if isinstance(value, int | float) else None

    def text(self, name: str) -> str:
        """ "" where there is none."""
        value = self[name]
        return value if isinstance(value, str) else ""

    def texts(self, name: str) -> tuple[str, ...]:
        value = self[name]
        return value if isinstance(value, tuple) else ()
