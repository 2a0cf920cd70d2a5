# SPDX-License-Identifier: Apache-2.0
"""Inputs for NICAM's kernels with the names of its files of vectors: one region and the poles."""

from __future__ import annotations

import numpy as np

from thalweg.kernels.cases import Array

# Shapes beside the points: of the region [..., l, levels, j, i], of the poles [..., l, levels, v].
NORMAL = (
    "in_scl",
    "in_rhogw",
    "in_rhogvx",
    "in_rhogvy",
    "in_rhogvz",
    "in_d",
    "in_rhogw_prev",
    "in_rhogw0",
    "in_preg0",
    "in_rhog0",
    "in_Srho",
    "in_Sw",
    "in_Spre",
)
POSITIVE = {  # value: fields are within 10 % of it
    "in_kh": 1e5,
    "in_VMTR_RGSQRTH": 1.1,
    "in_VMTR_RGAM": 0.99,
    "in_VMTR_RGAMH": 0.99,
    "in_VMTR_RGSGAM2": 0.98,
    "in_VMTR_RGSGAM2H": 0.98,
    "in_VMTR_GSGAM2H": 1.02,
    "in_rhog_mean": 1.0,
    "in_q": 0.01,
    "in_q_h_prev": 0.01,
    "in_Mc": 4.0,  # more than its neighbours together: the system has one solution
    "in_Ml": -1.0,
    "in_Mu": -1.0,
}


def made_up(n: int = 32, layers: int = 20, seed: int = 1) -> dict[str, Array]:
    """Every array that any of the kernels wants, on a region of n x n cells."""
    random = np.random.default_rng(seed)
    side, levels = n + 2, layers + 2
    made: dict[str, Array] = {}

    def add(name: str, front: tuple[int, ...], back: tuple[int, ...], value: float) -> None:
        """One array of the region and one of the poles; `value` 0: normally distributed."""
        for suffix, regions, points in (("", 1, (side, side)), ("_pl", 2, (6,))):
            shape = (*front, regions, *back, *points)
            near = value * random.uniform(0.9, 1.1, shape)
            made[name + suffix] = near if value else random.standard_normal(shape)
        made[name][..., 0, 0] = made[name][..., 0, 1]  # two places of one neighbour of a pentagon

    for name in (*NORMAL, *POSITIVE):
        add(name, (), (levels,), POSITIVE.get(name, 0.0))
    add("in_VMTR_C2WfactGz", (), (6, levels), 0.01)
    add("in_ck", (2,), (levels,), 0.0)
    for suffix, regions, corners, faces in (
        ("", 1, (2, 3, 3, side, side), (3, 6, side, side)),
        ("_pl", 2, (3, 3, 6), (3, 5)),
    ):
        made[f"in_coef_intp{suffix}"] = 1e-5 * random.standard_normal((regions, *corners))
        made[f"in_coef_diff{suffix}"] = 1e-5 * random.standard_normal((regions, *faces))
        made[f"in_ck{suffix}"] *= 0.1
        made[f"in_d{suffix}"] *= 1e-3
    made["in_coef_diff"][..., 4, 1, 1] = 0.0  # the pentagon has no sixth face
    _add_geometry(made, random, side)
    _add_limiter(made, random, side, levels)
    height = np.cumsum(np.full(levels, 1200.0))
    made |= {
        "par_gall_1d": np.array(side),
        "par_kall": np.array(levels),
        "par_dt": np.array(60.0),
        "par_const_eps": np.array(np.finfo(float).eps),
        "par_const_huge": np.array(np.finfo(float).max),
        "par_grav": np.array(9.80616),
        "par_Rdry": np.array(287.0),
        "par_CVdry": np.array(717.5),
        "par_alpha": np.array(1.0),
        "in_GRD_rdgz": 1 / np.gradient(height),
        "in_GRD_rdgzh": 1 / np.gradient(height),
        "in_GRD_afact": random.uniform(0.4, 0.6, levels),
    }
    made["in_GRD_bfact"] = 1 - made["in_GRD_afact"]
    return made


def _add_geometry(made: dict[str, Array], random: np.random.Generator, side: int) -> None:
    def near(value: float, *shape: int) -> Array:
        return value * random.uniform(0.9, 1.1, shape)

    made["in_GMTR_p"], made["in_GMTR_p_pl"] = (
        near(2e-10, 8, 1, 1, side, side),
        near(2e-10, 8, 2, 1, 6),
    )
    made["in_GMTR_t"], made["in_GMTR_t_pl"] = (
        near(1 / 3, 5, 2, 1, 1, side, side),
        near(1 / 3, 5, 2, 1, 6),
    )
    for name, shape, poles in (
        ("in_GMTR_a", (12, 3, 1, 1, side, side), (18, 2, 1, 6)),
        ("in_GRD_xr", (3, 3, 1, 1, side, side), (3, 2, 1, 6)),
    ):
        made[name] = 1e5 * random.standard_normal(shape)
        made[f"{name}_pl"] = 1e5 * random.standard_normal(poles)


def _add_limiter(
    made: dict[str, Array], random: np.random.Generator, side: int, levels: int
) -> None:
    """Courant numbers of both sides of a face have opposite signs, its values are one."""
    courant = 0.1 * random.standard_normal((6, 1, levels, side, side))
    value = 0.01 * random.uniform(0.5, 1.5, (6, 1, levels, side, side))
    for face, (di, dj) in enumerate(((1, 0), (1, 1), (0, 1))):
        here = (slice(None), slice(None), slice(0, side - dj), slice(0, side - di))
        there = (slice(None), slice(None), slice(dj, side), slice(di, side))
        courant[face + 3][there] = -courant[face][here] * random.uniform(0.9, 1.1)
        value[face + 3][there] = value[face][here]
    poles = 0.1 * random.standard_normal((2, levels, 6))
    made |= {
        "in_ch": courant,
        "in_ch_pl": poles,
        "in_cmask": (courant < np.finfo(float).eps).astype(float),
        "in_cmask_pl": (poles < np.finfo(float).eps).astype(float),
        "in_q_a_prev": value,
        "in_q_a_prev_pl": 0.01 * random.uniform(0.5, 1.5, (2, levels, 6)),
        "in_Qout_post": 0.01 * random.uniform(0.5, 1.5, (2, 1, levels, side, side)),
        "in_Qout_post_pl": 0.01 * random.uniform(0.5, 1.5, (2, 2, levels, 6)),
    }
