# SPDX-License-Identifier: Apache-2.0
"""DYNAMICO's kernels once more, without the language: slices of consecutive cells, as specified.

An array is [level, position]; `a[:, c + t]` is what lies `t` further on. Nothing of what the tables
of the product say is used here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
SIGN = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])


class Written:
    """Outputs by the names that files of vectors have, without `out_`."""

    def __init__(self, data: Mapping[str, Array]) -> None:
        self.data = data
        row, n = int(data["par_iim"]), int(data["par_iim"]) * int(data["par_jjm"])
        self.n, self.levels = n, int(data["par_llm"])
        self.t = [1, row, row - 1, -1, -row, 1 - row]
        self.u = [0, 2 * n + row, n, -1, 2 * n, n - row + 1]
        self.z = [n + row, 0, n + row - 1, -row, n, 1 - row]
        self.owned = self._range("")
        self.extended = self._range("_ext")

    def _range(self, which: str) -> Array:
        first, last = (int(self.data[f"par_ij_{end}{which}"]) for end in ("begin", "end"))
        return np.arange(first - 1, last)

    def pvort(self, lagrangian: bool) -> dict[str, Array]:
        d, x, z = self.data, self.extended, self.z
        mass, theta = d["in_rhodz_prev"].copy(), d["in_theta_prev"].copy()
        if not lagrangian:
            pressure = d["par_mass_dak"][:, None] + d["par_mass_dbk"][:, None] * d["in_ps"][x]
            mass[:, x] = pressure / d["par_g"]
        with np.errstate(all="ignore"):
            theta[:, x] = d["in_theta_rhodz"][:, x] / mass[:, x]
        if not lagrangian:
            theta[:, x] = np.where(mass[:, x] > 0, theta[:, x], 0.0)
        outward = d["in_u"] * d["par_de"]
        qv, qu = d["in_qv_prev"].copy(), d["in_qu_prev"].copy()

        def s(k: int, c: Array) -> Array:
            return np.asarray(SIGN[k] * outward[:, c + self.u[k]])

        overlap = d["par_Riv2"]
        for corner, parts, circulation in (
            (1, ((0, 1), (1, 3), (2, 5)), s(1, x) + s(3, x + self.t[1]) - s(2, x)),
            (4, ((0, 4), (4, 0), (5, 2)), s(4, x) + s(0, x + self.t[4]) - s(5, x)),
        ):
            around = np.zeros((self.levels, len(x)))
            for number, (step, seen_as) in enumerate(parts):
                c = x + self.t[step] if number else x
                around += overlap[seen_as, c] * mass[:, c]
            v = x + z[corner]
            with np.errstate(all="ignore"):
                vorticity = (circulation / d["par_Av"][v] + d["par_fv"][v]) / around
            qv[:, v] = np.where(around > 0, vorticity, 0.0)
        o = self.owned
        for k, (first, second) in ((0, (5, 0)), (2, (1, 2)), (4, (3, 4))):
            qu[:, o + self.u[k]] = (qv[:, o + z[first]] + qv[:, o + z[second]]) / 2
        return {"rhodz": mass, "theta": theta, "qv": qv, "qu": qu}

    def geopot(self, variant: str) -> dict[str, Array]:
        d, x = self.data, self.extended
        mass, theta, g = d["in_rhodz"], d["in_theta"], d["par_g"]
        guard = "guard_" if variant == "guard" else ""
        ps = d[f"in_{guard}ps_prev"].copy()
        pk, phi = d["in_pk_prev"].copy(), d["in_geopot_prev"].copy()
        if variant == "boussinesq":
            for level in range(self.levels):
                phi[level + 1, x] = phi[level, x] + g * mass[level, x]
            return {"ps": ps, "pk": pk, "geopot": phi}
        p = np.zeros_like(pk)
        if variant == "etalag":
            p[-1, x] = d["par_ptop"] + g * mass[-1, x] / 2
            for level in range(self.levels - 2, -1, -1):
                p[level, x] = p[level + 1, x] + g * (mass[level, x] + mass[level + 1, x]) / 2
            ps[x] = p[0, x] + g * mass[0, x] / 2
        else:
            a, b = d[f"par_{guard}mass_ak"], d["par_mass_bk"]
            p[:, x] = d["par_ptop"] + a[:, None] + b[:, None] * ps[x]
        pk[:, x] = d["par_cpp"] * (p[:, x] / d["par_preff"]) ** d["par_kappa"]
        for level in range(self.levels):
            with np.errstate(all="ignore"):
                step = g * d["par_kappa"] * mass[level] * theta[level] * pk[level] / p[level]
            there = x if variant == "etalag" else x[p[level, x] > 1e-30]
            phi[level + 1, there] = phi[level, there] + step[there]
        return {"ps": ps, "pk": pk, "geopot": phi}

    def caldyn_horiz(self, variant: str) -> dict[str, Array]:
        d, x, o = self.data, self.extended, self.owned
        mass, theta, phi, u = d["in_rhodz"], d["in_theta"], d["in_geopot"], d["in_u"]
        area, distance = d["par_Ai"], d["par_de"]
        pk, flux, du = d["in_pk_prev"].copy(), d["in_hflux_prev"].copy(), d["in_du_prev"].copy()
        theta_flux = np.full_like(flux, np.nan)
        for k in (0, 2, 4):
            e, other = x + self.u[k], x + self.t[k]
            flux[:, e] = (mass[:, x] + mass[:, other]) / 2 * u[:, e] * d["par_le"][e]
            theta_flux[:, e] = (theta[:, x] + theta[:, other]) / 2 * flux[:, e]
        convm, dtheta = d["in_convm_prev"].copy(), d["in_dtheta_rhodz_prev"].copy()
        for result, each in ((convm, flux), (dtheta, theta_flux)):
            result[:, o] = -sum(SIGN[k] * each[:, o + self.u[k]] for k in range(6)) / area[o]
        q = d["in_qu"]
        for k in (0, 2, 4):
            c = o if k == 0 else o[distance[o + self.u[k]] > 1.0]
            e, total = c + self.u[k], np.zeros((self.levels, len(c)))
            for a, cell, direction in ((0, c, k), (1, c + self.t[k], k + 3)):
                for m in range(1, 6):
                    near = cell + self.u[(direction + m) % 6]
                    mean = q[:, e] + q[:, near] if variant != "enstrophy" else 1.0
                    total += d["par_Wee"][a, m - 1, e] * flux[:, near] * mean
            du[:, e] = total / (2 * distance[e])
            if variant == "enstrophy":
                du[:, e] = q[:, e] / distance[e] * total
        bernoulli = (phi[:-1] + phi[1:]) / 2
        if variant == "boussinesq":
            pk[:, x] = bernoulli[:, x]
            weight = d["par_g"] * theta * mass
            bernoulli = np.zeros_like(bernoulli)
            bernoulli[-1] = d["par_ptop"] + weight[-1] / 2
            for level in range(self.levels - 2, -1, -1):
                bernoulli[level] = bernoulli[level + 1] + (weight[level] + weight[level + 1]) / 2
        energy = sum(
            (d["par_le"] * distance)[o + self.u[k]] * u[:, o + self.u[k]] ** 2 for k in range(6)
        )
        bernoulli[:, o] += energy / (4 * area[o])
        for k in (0, 2, 4):
            c = o[distance[o + self.u[k]] > 1.0]
            e, other = c + self.u[k], c + self.t[k]
            slope = (theta[:, c] + theta[:, other]) / 2 * (pk[:, c] - pk[:, other])
            du[:, e] += (slope + bernoulli[:, c] - bernoulli[:, other]) / distance[e]
        return {"pk": pk, "hflux": flux, "convm": convm, "dtheta_rhodz": dtheta, "du": du}

    def caldyn_vert(self) -> dict[str, Array]:
        d, o, last = self.data, self.owned, self.levels
        mass, theta, u = d["in_rhodz"], d["in_theta"], d["in_u"]
        names = ("convm", "wflux", "wwuu", "du", "dtheta_rhodz", "dps")
        c, w, v, du, dtheta, dps = (d[f"in_{name}_prev"].copy() for name in names)
        c[:, o] = np.cumsum(c[::-1, o], axis=0)[::-1]
        dps[o] = d["par_g"] * c[0, o]
        w[1:-1, o] = d["par_bp"][1:-1, None] * c[0, o] - c[1:, o]
        mean = (theta[:-1, o] + theta[1:, o]) / 2
        dtheta[: last - 1, o] -= w[1:-1, o] * mean
        dtheta[1:, o] += w[1:-1, o] * mean
        for k in (0, 2, 4):
            e, other = o + self.u[k], o + self.t[k]
            v[1:-1, e] = (w[1:-1, o] + w[1:-1, other]) / 2 * (u[1:, e] - u[:-1, e])
            du[:, e] -= (v[:-1, e] + v[1:, e]) / (mass[:, o] + mass[:, other])
        return dict(zip(names, (c, w, v, du, dtheta, dps), strict=True))

    def all_of(self, name: str) -> dict[str, Array]:
        """Of a file of vectors: `out_VARIANT_NAME`."""
        found: dict[str, dict[str, Array]] = {}
        if name == "comp_pvort":
            found = {"etamass_": self.pvort(False), "etalag_": self.pvort(True)}
        elif name == "comp_geopot":
            variants = ("etamass", "guard", "etalag", "boussinesq")
            found = {f"{each}_": self.geopot(each) for each in variants}
        elif name == "comp_caldyn_horiz":
            found = {
                f"{each}_": self.caldyn_horiz(each)
                for each in ("energy", "enstrophy", "boussinesq")
            }
        else:
            found = {"": self.caldyn_vert()}
        return {
            f"out_{variant}{each}": array
            for variant, arrays in found.items()
            for each, array in arrays.items()
        }
