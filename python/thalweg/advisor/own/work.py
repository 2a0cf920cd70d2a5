# SPDX-License-Identifier: Apache-2.0
"""How much work each part of our code is, in steps of one cell and level (`cell_level_step_s`).

They belong to the code, not to a machine: a machine that is twice as fast in steps is taken to be
about twice as fast in the rest. How far that is off on a machine, runs tell (learned.py).

Source: timers of one rank, examples/jet.toml with io.mode=serial, time.duration=PT3H,
model.extra_work=1, model.tracers=1 and 3, restart.mode=sync; files: output.jet.file_interval=PT10M
on R2B2 to R2B5 with 1, 28 and 40 variables. Means over calls, the shortest where others were at
work (decision 0019). COPY_STAGED: output_copy of compute ranks beside an I/O rank, R2B4 (0.030) and
R2B3 (0.016), two cores.
"""

from __future__ import annotations

import math

DYNAMICS = 0.88  # a step of RK4 (four stages) without tracers
TRACER = 0.12  # a tracer in it: one tracer, as calibrated, makes 1
SWEEP = 0.13  # [model] extra_work = 1
CALIBRATED_STAGES = 4
DIAGNOSTICS = 0.31  # sums over the sphere at each output, for a cell and level
DERIVE = 0.030  # a value of an output out of the state
# Of the primitive equations, by timers of one rank on R2B3 and R2B4, 10 and 26 levels, in turns
# with the shallow-water model (n = 6, Zen 4): 1.5 to 1.8 a step, 2.5 once; hyperdiffusion mostly
# 0.5.
AIR = 1.65  # a step of RK4 without hyperdiffusion
HYPERDIFFUSION = 0.5  # once a step
AIR_DIAGNOSTICS = 0.06 + AIR / 2.0  # sums, and two tendencies: theirs and that of the output
AIR_DERIVE = 0.017
AIR_INIT = 64.0
COPY = 0.008  # a value into staging memory of the own rank
COPY_STAGED = 0.023  # into memory that another rank reads
REORDER = 0.010  # a value from staging memory into the order of a file
CHECK = 0.016  # a value of a checkpoint: its checksum and the way through memory
STAGE = 0.030  # a value of staging memory, made once for each slot
INIT = 32.0  # a cell of a rank: mesh, weights and initial state
MESH = 3.0  # a cell of the mesh of a file: coordinates and corners of the whole grid
FILE = 3.3e4  # a file of netCDF: 5 ms, whatever the grid
VARIABLE = 4e3  # a variable in it: 0.6 ms
INDEX = 1.0  # of file_parallel: the file that shows all parts as one, over one of them
MIDDLE_VALUES = 4e6  # of an output whose values cost as those above say
SIZES = 4.0  # an output so many times larger or smaller, or more, is large or small
OPEN_S = 0.03  # s; communicators and windows: the only one that is a time


def size_of(values: int) -> float:
    """1 of a large output, -1 of a small one, between them along the logarithm: what a value of it
    costs depends on what stays in caches, by a factor that runs tell.
    """
    size = math.log(max(values, 1) / MIDDLE_VALUES) / math.log(SIZES)
    return min(1.0, max(-1.0, size))
