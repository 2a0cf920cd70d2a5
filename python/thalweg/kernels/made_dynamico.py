# SPDX-License-Identifier: Apache-2.0
"""Inputs for DYNAMICO's kernels with the names of its files of vectors: a sheared plane lattice."""

from __future__ import annotations

import numpy as np

from thalweg.kernels.cases import Array
from thalweg.kernels.rhombus import Rhombus

GRAVITY, SURFACE_PRESSURE = 9.8, 1e5


def made_up(n_i: int = 40, n_j: int = 30, levels: int = 19, seed: int = 1) -> dict[str, Array]:
    """Every array that any of the kernels wants; every length, area and weight is different."""
    random = np.random.default_rng(seed)
    grid = Rhombus(n_i, n_j)
    n = grid.cells
    around = n_i + 2

    def near(value: float, *shape: int) -> Array:
        return value * random.uniform(0.9, 1.1, shape)

    weight = random.uniform(-0.2, 0.2, (2, 5, 3 * n))
    overlap = random.uniform(0.3, 0.37, (6, n))
    faces = np.linspace(1.0, 0.0, levels + 1) ** 1.3  # pressure over that of the surface
    mass_b, mass_a = -np.diff(faces) * 0.7, -np.diff(faces) * 0.3 * SURFACE_PRESSURE
    surface = near(SURFACE_PRESSURE, n)
    mass = (mass_a[:, None] + mass_b[:, None] * surface) / GRAVITY
    theta = 280 + 60 * np.linspace(0, 1, levels)[:, None] + random.standard_normal((levels, n))
    mean = (faces[:-1] + faces[1:]) / 2
    made = {
        "par_iim": n_i,
        "par_jjm": n_j,
        "par_llm": levels,
        "par_ij_begin": 2 * around + 1,
        "par_ij_end": n - 2 * around,
        "par_ij_begin_ext": around + 1,
        "par_ij_end_ext": n - around,
        "par_g": GRAVITY,
        "par_ptop": 0.0,
        "par_kappa": 0.2857143,
        "par_cpp": 1004.70885,
        "par_preff": 101325.0,
        "par_mass_dak": mass_a,
        "par_mass_dbk": mass_b,
        "par_mass_ak": 0.3 * SURFACE_PRESSURE * mean,
        "par_mass_bk": 0.7 * mean,
        "par_guard_mass_ak": 0.3 * SURFACE_PRESSURE * mean,
        "in_guard_ps_prev": np.where(
            np.arange(n) % 97 == 5, -0.3 / 0.7 * SURFACE_PRESSURE, surface
        ),
        "par_bp": faces,
        "par_Ai": near(4e10, n),
        "par_Av": near(2e10, 2 * n),
        "par_le": near(1.2e5, 3 * n),
        "par_de": near(2.1e5, 3 * n),
        "par_fv": near(1e-4, 2 * n),
        "par_Riv2": overlap,
        "par_Wee": weight,
        "in_u": 10 * random.standard_normal((levels, 3 * n)),
        "in_ps": surface,
        "in_rhodz": mass,
        "in_theta": theta,
        "in_theta_rhodz": theta * mass,
        "in_geopot": 9.8 * 600 * np.arange(levels + 1)[:, None] + near(500, levels + 1, n),
        "in_qu": 1e-8 * random.standard_normal((levels, 3 * n)),
    }
    before = {
        "in_rhodz_prev": (levels, n),
        "in_theta_prev": (levels, n),
        "in_qv_prev": (levels, 2 * n),
        "in_qu_prev": (levels, 3 * n),
        "in_ps_prev": (n,),
        "in_pk_prev": (levels, n),
        "in_geopot_prev": (levels + 1, n),
        "in_hflux_prev": (levels, 3 * n),
        "in_convm_prev": (levels, n),
        "in_dtheta_rhodz_prev": (levels, n),
        "in_du_prev": (levels, 3 * n),
        "in_wflux_prev": (levels + 1, n),
        "in_wwuu_prev": (levels + 1, 3 * n),
        "in_dps_prev": (n,),
    }
    made |= {name: random.standard_normal(shape) for name, shape in before.items()}
    made["in_ps_prev"] = surface
    made["in_rhodz_prev"] = mass
    return {name: np.asarray(each, dtype=np.asarray(each).dtype) for name, each in made.items()}
