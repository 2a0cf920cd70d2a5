# SPDX-License-Identifier: Apache-2.0
"""NICAM's limiters and its solver once more, without the language, as specified."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
STEPS = ((1, 0), (1, 1), (0, 1))
COLUMNS = (
    "rhogw_prev",
    "rhogw0",
    "preg0",
    "rhog0",
    "Sw",
    "Srho",
    "Spre",
    "Mc",
    "Ml",
    "Mu",
    "VMTR_RGAM",
    "VMTR_RGAMH",
    "VMTR_RGSGAM2",
    "VMTR_RGSGAM2H",
    "VMTR_GSGAM2H",
)


def horizontal_limiter(d: Mapping[str, Array]) -> dict[str, Array]:
    side, eps, big = int(d["par_gall_1d"]), float(d["par_const_eps"]), float(d["par_const_huge"])
    n = side - 2
    q, ch, mask = d["in_q"][0], d["in_ch"][:, 0], d["in_cmask"][:, 0]
    flat = q.reshape(len(q), -1)

    def cell(i: int, j: int) -> Array:
        return np.asarray(flat[:, j * side + i])

    low, high = (np.zeros((3, len(q), side, side)) for _ in range(2))
    bounds = [np.full((6, len(q), side, side), sign * big) for sign in (1, -1)]
    for j in range(n + 1):
        for i in range(n + 1):
            g = j * side + i
            right, both, up = cell(i + 1, j), cell(i + 1, j + 1), cell(i, j + 1)
            stencils = (
                (cell(i, j), flat[:, max(g - side, 0)], right, both),
                (cell(i, j), right, both, up),
                (cell(i, j), both, up, flat[:, max(g - 1, 0)]),
            )
            for a, stencil in enumerate(stencils):
                if a == 1 and g == 0:
                    stencil = (cell(0, 0), cell(1, 1), cell(2, 1), cell(0, 1))
                low[a, :, j, i], high[a, :, j, i] = np.min(stencil, axis=0), np.max(stencil, axis=0)
                inflow = mask[a, :, j, i] == 1
                di, dj = STEPS[a]
                for result, value, sign in zip(bounds, (low, high), (1, -1), strict=True):
                    here = np.where(inflow, value[a, :, j, i], sign * big)
                    there = np.where(inflow, sign * big, value[a, :, j, i])
                    result[a, :, j, i], result[a + 3, :, j + dj, i + di] = here, there
    out = np.stack([q, q])
    inner = (..., slice(1, n + 1), slice(1, n + 1))
    least = np.minimum(q, bounds[0].min(axis=0))[inner]
    largest = np.maximum(q, bounds[1].max(axis=0))[inner]
    into, outof = np.minimum(ch, 0)[inner], (ch - np.minimum(ch, 0))[inner]
    sums = [np.where(into < 0, into * each[inner], 0).sum(axis=0) for each in bounds]
    _fill(out[inner], q[inner], d["in_d"][0][inner], into, outof, sums, least, largest, eps)
    limited = d["in_q_a_prev"].copy()
    post = d["in_Qout_post"][:, 0]
    for j in range(n + 1):
        for i in range(n + 1):
            for a, (di, dj) in enumerate(STEPS):
                x = np.maximum(limited[a, 0, :, j, i], low[a, :, j, i])
                x = np.minimum(x, high[a, :, j, i])
                inflow = mask[a, :, j, i] == 1
                donor = np.where(inflow, post[:, :, j + dj, i + di], post[:, :, j, i])
                x = np.maximum(np.minimum(x, donor[1]), donor[0])
                limited[a, 0, :, j, i] = limited[a + 3, 0, :, j + dj, i + di] = x
    poles = _poles(d, eps)
    return {"out_q_a": limited, "out_Qout_prev": out[:, None], **poles}


def _fill(
    out: Array, q: Array, d: Array, into: Array, outof: Array, sums: list[Array],
    least: Array, largest: Array, eps: float,
) -> None:  # fmt: skip
    coming, going = into.sum(axis=0), outof.sum(axis=0)
    staying = 1 - coming - going + d
    with np.errstate(all="ignore"):
        out[0] = np.where(np.abs(going) < eps, q, (q - sums[1] - largest * staying) / going)
        out[1] = np.where(np.abs(going) < eps, q, (q - sums[0] - least * staying) / going)


def _poles(d: Mapping[str, Array], eps: float) -> dict[str, Array]:
    limited, out = d["in_q_a_prev_pl"].copy(), np.zeros_like(d["in_Qout_post_pl"])
    for pole in range(2):
        q, ch, inflow = d["in_q_pl"][pole], d["in_ch_pl"][pole], d["in_cmask_pl"][pole] == 1
        post = d["in_Qout_post_pl"][:, pole]
        stencils = [(0, v, (v - 2) % 5 + 1, v % 5 + 1) for v in range(1, 6)]
        low = np.stack([q[:, list(each)].min(axis=1) for each in stencils], axis=1)
        high = np.stack([q[:, list(each)].max(axis=1) for each in stencils], axis=1)
        flows, faces = inflow[:, 1:], ch[:, 1:]
        into, outof = np.where(flows, faces, 0.0), np.where(flows, 0.0, faces)
        sums = [(into * each).sum(axis=1) for each in (low, high)]
        least = np.minimum(q[:, 0], np.where(flows, low, np.inf).min(axis=1))
        largest = np.maximum(q[:, 0], np.where(flows, high, -np.inf).max(axis=1))
        _fill(
            out[:, pole, :, 0], q[:, 0], d["in_d_pl"][pole, :, 0], into.T, outof.T, sums,
            least, largest, eps,
        )  # fmt: skip
        for v in range(1, 6):
            x = np.minimum(np.maximum(limited[pole, :, v], low[:, v - 1]), high[:, v - 1])
            donor = np.where(inflow[:, v], post[:, :, v], post[:, :, 0])
            limited[pole, :, v] = np.maximum(np.minimum(x, donor[1]), donor[0])
    return {"out_q_a_pl": limited, "out_Qout_prev_pl": out}


def vertical_limiter(d: Mapping[str, Array]) -> dict[str, Array]:
    eps, big = float(d["par_const_eps"]), float(d["par_const_huge"])
    found = {}
    for suffix in ("", "_pl"):
        q, ck = d[f"in_q{suffix}"][...], d[f"in_ck{suffix}"]
        result = d[f"in_q_h_prev{suffix}"].copy()
        levels = q.shape[1]
        bounds, below = np.zeros((2, *q.shape)), np.zeros(q.shape, dtype=bool)
        for k in range(1, levels - 1):
            lower, upper = ck[0][:, k], ck[1][:, k]
            from_below, from_above = np.signbit(lower), ~np.signbit(ck[0][:, k + 1])
            here, under, over = q[:, k], q[:, k - 1], q[:, k + 1]
            lows = [
                np.where(enters, np.minimum(here, other), big)
                for enters, other in ((from_below, under), (from_above, over))
            ]
            highs = [
                np.where(enters, np.maximum(here, other), -big)
                for enters, other in ((from_below, under), (from_above, over))
            ]
            least = np.minimum(here, np.minimum(*lows))
            largest = np.maximum(here, np.maximum(*highs))
            into = [np.where(from_below, lower, 0.0), np.where(from_above, upper, 0.0)]
            going = np.where(from_below, 0.0, lower) + np.where(from_above, 0.0, upper)
            rest = into[0] + into[1] + going - d[f"in_d{suffix}"][:, k]
            sums = [
                sum(np.where(c != 0, c * each, 0.0) for c, each in zip(into, faces, strict=True))
                for faces in (lows, highs)
            ]
            with np.errstate(all="ignore"):
                bounds[0][:, k] = (here - largest + largest * rest - sums[1]) / going
                bounds[1][:, k] = (here - least + least * rest - sums[0]) / going
            still = np.abs(going) < eps
            bounds[:, :, k] = np.where(still, here, bounds[:, :, k])
            below[:, k] = from_below
        for k in range(2, levels - 1):
            donor = np.where(below[:, k], bounds[:, :, k - 1], bounds[:, :, k])
            result[:, k] = np.maximum(np.minimum(result[:, k], donor[1]), donor[0])
        found[f"out_q_h{suffix}"] = result
    return found


def vertical_solver(d: Mapping[str, Array]) -> dict[str, Array]:
    """By NumPy's solver of full systems, one column after another."""
    dt, alpha, g = float(d["par_dt"]), float(d["par_alpha"]), float(d["par_grav"])
    factor = float(d["par_CVdry"]) / (float(d["par_Rdry"]) * dt * dt)
    a, b, rdgzh = d["in_GRD_afact"], d["in_GRD_bfact"], d["in_GRD_rdgzh"]
    found = {}
    for suffix in ("", "_pl"):
        result = d[f"in_rhogw_prev{suffix}"].copy()
        levels = result.shape[1]
        columns = {
            name: np.moveaxis(d[f"in_{name}{suffix}"], 1, -1).reshape(-1, levels)
            for name in COLUMNS
        }
        solved = columns["rhogw_prev"].copy()
        for number in range(len(solved)):
            c = {name: each[number] for name, each in columns.items()}
            p = (c["preg0"] + dt * c["Spre"]) * c["VMTR_RGSGAM2"]
            r = (c["rhog0"] + dt * c["Srho"]) * c["VMTR_RGAM"] ** 2
            rows = np.arange(2, levels - 1)
            right = factor * (
                (alpha * c["rhogw0"] + dt * c["Sw"])[rows] * c["VMTR_RGAMH"][rows] ** 2
                - dt * rdgzh[rows] * (p[rows] - p[rows - 1])
                - dt * g * (a[rows] * r[rows] + b[rows] * r[rows - 1])
            )
            w = c["rhogw_prev"] * c["VMTR_RGSGAM2H"]
            right[0] -= c["Ml"][2] * w[1]
            right[-1] -= c["Mu"][levels - 2] * w[levels - 1]
            matrix = np.diag(c["Mc"][rows])
            matrix += np.diag(c["Ml"][rows[1:]], -1) + np.diag(c["Mu"][rows[:-1]], 1)
            w[rows] = np.linalg.solve(matrix, right)
            solved[number, 1:] = w[1:] * c["VMTR_GSGAM2H"][1:]
        shape = np.moveaxis(result, 1, -1).shape
        found[f"out_rhogw{suffix}"] = np.moveaxis(solved.reshape(shape), -1, 1)
    return found
