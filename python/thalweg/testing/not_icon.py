# SPDX-License-Identifier: Apache-2.0
"""No ICON: reads a namelist as ICON does and prints the log that it would print, with times that
are made up. For tests of what starts ICON and reads its logs.

python -m thalweg.testing.not_icon NAMELIST START END
"""

from __future__ import annotations

import os
import re
import sys
from datetime import datetime
from pathlib import Path

from thalweg.testing.icon_logs import MANY, many, ranks_line, table

# As scripts of ICON are, with what they bring along from a big machine.
RUN_SCRIPT = f"""#!/bin/bash
#SBATCH --nodes=8 -n 1024 --exclusive
#SBATCH --time=08:00:00   # as on the big machine
#SBATCH --output=/nowhere/LOG.%j
EXPDIR=$HOME/experiments/storm
start_date="2008-09-01T00:00:00Z"
end_date="2008-09-11T00:00:00Z"
mkdir -p $EXPDIR
cd $EXPDIR
cat > NAMELIST_storm << EOF
&parallel_nml
 num_io_procs = 0
/
&grid_nml
 dynamics_grid_filename = "iconR2B05_DOM01.nc"
/
&run_nml
 num_lev = 30
 dtime   = 120.
/
&output_nml
 output_filename = "storm"
 output_interval = "PT12M"
 file_interval   = "P1D"
 ml_varlist      = 'u', 'v', 'w', 'temp', 'pres'
/
EOF
srun -l {sys.executable} -m thalweg.testing.not_icon NAMELIST_storm $start_date $end_date
"""


def made_up_step_s(io_ranks: int) -> float:
    """Wall time of a step, s: falls with I/O ranks until steps take longer than output."""
    return float((0.0555**4 + (0.168 / max(1, io_ranks)) ** 4) ** 0.25)


def main(namelist: Path, start: str, end: str) -> None:
    if os.environ.get("SLURM_PROCID", "0") != "0":
        return
    text = namelist.read_text(encoding="utf-8")
    io, restart = _integer(text, "num_io_procs"), _integer(text, "num_restart_procs")
    compute = int(os.environ["SLURM_NTASKS"]) - io - restart
    seconds = (
        datetime.fromisoformat(end[:19]) - datetime.fromisoformat(start[:19])
    ).total_seconds()
    steps = round(seconds / float(_item(text, "dtime", "600")))
    print(ranks_line(compute, io, restart))
    total_s = steps * made_up_step_s(io)
    if compute < 1:
        print(" FINISH: no process is left for the model")
        raise SystemExit(1)
    if _integer(text, "timers_level") < 10:
        return
    rows = [
        many("total", compute, total_s, total_s, total_s, compute),
        many(" L integrate_nh", steps * compute, total_s, total_s, total_s, compute),
    ]
    print(f" Timer report, ranks 0-{compute - 1}")
    print("\n".join(table(MANY, rows)))


def _integer(text: str, item: str) -> int:
    return int(_item(text, item, "0"))


def _item(text: str, item: str, default: str) -> str:
    found = re.findall(rf"\b{item}\s*=\s*([0-9.]+)", text)
    return found[-1] if found else default


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
