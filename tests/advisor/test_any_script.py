# SPDX-License-Identifier: Apache-2.0
"""Whatever a script holds, the answer is a list of streams or one sentence, and comes at once."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thalweg.advisor.icon_streams import find_streams
from thalweg.config.run_script import read_run_script
from thalweg.errors import ThalwegError
from thalweg.testing.examples import examples

SCRIPT = """g=iconR02B04_G.nc
for i in 1 2; do n=$((i * 5)); done
if [[ $n == 10 ]]; then d=${start:-2000-01-01}; fi
cat > NAMELIST << EOF
&grid_nml dynamics_grid_filename = '$g' /
&run_nml iforcing = 3, num_lev = $n, dtime = 600., nsteps = 144 /
&time_nml ini_datetime_string = '$d' /
&parallel_nml nproma = 8, num_io_procs = ${n}, num_restart_procs = 1, use_dp_mpi2io = T /
&io_nml restart_write_mode = 'async', dt_checkpoint = 7200., nrestart_streams = 1 /
&master_time_control_nml checkpointTimeIntval = 'PT2H', restartTimeIntval = 'P2D' /
&output_nml output_bounds = 0., 86400., 3600. file_interval = 'PT6H' stream_partitions_ml = 2
 ml_varlist = 'u', 'w', 'group:rad_vars', 'tiles:t_so' m_levels = '1...nlev' output_grid = T /
&output_nml output_interval = 'P1M' steps_per_file = 4 remap = 1 filetype = 2
 reg_lon_def = 0, 1, 360 reg_lat_def = -90, 1, 90 pl_varlist = 'temp' p_levels = 2*50000 /
EOF
"""
PIECES = st.sampled_from(
    ["'", '"', "$", "${", "}", "(", "))", "`", "\\", "\n", "&", "/", "=", ",", "*", "!", "<<",
     "EOF", "if ", "done", "0", "-1", "1e99", "1d400", "99999999999999999999", "%", "é", "3*"]
)  # fmt: skip
CHANGES = st.lists(
    st.tuples(st.integers(0, len(SCRIPT)), st.integers(0, 8), st.just("") | PIECES),
    min_size=1,
    max_size=5,
)


@given(CHANGES)
@settings(
    max_examples=examples(60, 150), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_damaged_script_has_an_answer_or_a_sentence(
    tmp_path: Path, changes: list[tuple[int, int, str]]
) -> None:
    text = SCRIPT
    for place, removed, added in changes:
        text = text[:place] + added + text[place + removed :]
    path = tmp_path / "exp.test"
    path.write_text(text, encoding="utf-8")
    streams, refused = [], 2
    try:
        streams = find_streams(read_run_script(path, {}), {}, {}).streams
    except ThalwegError as error:
        refused = error.exit_code
    assert refused == 2
    assert all(stream.bytes_in_all >= 0 for stream in streams)


def test_the_script_is_whole_before_it_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "exp.test"
    path.write_text(SCRIPT)
    streams = find_streams(read_run_script(path, {}), {}, {}).streams
    assert [stream.outputs for stream in streams] == [25, 2]
