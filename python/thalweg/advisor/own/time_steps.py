# SPDX-License-Identifier: Apache-2.0
"""How many time steps the mini-model will make: mini/run_settings.cpp and model.cpp, without it.

The Courant number is that of docs/mini-model.md: dt sqrt(6) (sqrt(g h_max) + u_max) / (d_min
limit). d_min is the side of an icosahedron's face over its divisions: bisections keep the sides of
faces evenly divided, and all other edges are longer.
"""

from __future__ import annotations

import math
import re

from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError

_MS = 1000
_RADIUS_M = 6371229.0  # docs/mini-model.md, as ICON's
_GRAVITY_M_S2 = 9.80616  # Williamson et al. 1992
# mini/primitive/primitive_core.cpp: sound in an isothermal atmosphere, sqrt(R T / (1 - kappa)), of
# 310 K, and 60 m/s of wind. Of dry air R = 287 J kg-1 K-1, kappa = 2/7: Jablonowski and Williamson.
_AIR_M_S = math.sqrt(287.0 * 310.0 / (1.0 - 2.0 / 7.0)) + 60.0
_SIDE_RAD = math.atan(2.0)  # of an icosahedron's face, seen from the centre
# Of a scheme: how far its stability reaches on the imaginary axis, and its stages.
_SCHEMES = {"rk3": (math.sqrt(3.0), 3), "rk4": (math.sqrt(8.0), 4)}
# Of a case: deepest place without spread, mean depth (m), largest wind (m s-1): mini/cases. The
# jet's deepest place is the surface that balances it, by numerical integration.
_SOLID_BODY_M_S = 2.0 * math.pi * _RADIUS_M / (12.0 * 86400.0)
_CASES = {
    "steady": (2.94e4 / _GRAVITY_M_S2, 2.94e4 / _GRAVITY_M_S2, _SOLID_BODY_M_S),
    "mountain": (5960.0, 5960.0, 40.0),
    "jet": (10158.186, 10000.0, 80.0),
}


def stages(experiment: Experiment) -> int:
    return _SCHEMES[experiment.text("model", "time_scheme")][1]


def steps_of(experiment: Experiment) -> int:
    """Of the whole run. Raises a sentence where intervals have no common step."""
    unit_ms = _common_unit_ms(experiment)
    if unit_ms < 1:
        raise ThalwegError(
            f"{experiment.path.name}: intervals of outputs and checkpoints and [time] duration "
            "have no common divisor of at least 1 ms; choose whole seconds"
        )
    wanted_s = experiment.number("model", "time_step")
    per_unit = (
        unit_ms // max(1, round(wanted_s * _MS))
        if wanted_s > 0.0
        else math.ceil(unit_ms / _MS / largest_step_s(experiment))
    )
    return round(experiment.number("time", "duration") * _MS) // unit_ms * per_unit


def largest_step_s(experiment: Experiment) -> float:
    """That the Courant number allows."""
    limit, _ = _SCHEMES[experiment.text("model", "time_scheme")]
    shortest_m = _RADIUS_M * _SIDE_RAD / _divisions(experiment.text("grid", "name"))
    speed_m_s = _fastest_m_s(experiment)
    return experiment.number("model", "cfl") * limit * shortest_m / (math.sqrt(6.0) * speed_m_s)


def _fastest_m_s(experiment: Experiment) -> float:
    """Waves and wind."""
    if experiment.text("model", "equations") == "primitive":
        return _AIR_M_S
    deepest_m, mean_m, wind_m_s = _CASES[experiment.text("model", "case")]
    if experiment.integer("model", "levels") > 1:
        deepest_m += mean_m * experiment.number("model", "depth_spread")
    return math.sqrt(_GRAVITY_M_S2 * deepest_m) + wind_m_s


def _divisions(grid: str) -> int:
    """Of a face's side, of grid RnBk."""
    match = re.fullmatch(r"R(\d+)B(\d+)", grid, re.IGNORECASE)
    assert match, grid
    return int(match[1]) << int(match[2])


def _common_unit_ms(experiment: Experiment) -> int:
    times = [experiment.number("time", "duration")]
    if experiment.text("restart", "mode") != "none":
        times.append(experiment.number("restart", "interval"))
    for output in experiment.outputs:
        times += [output.number("interval"), output.number("start")]
    return math.gcd(*(round(each * _MS) for each in times))
