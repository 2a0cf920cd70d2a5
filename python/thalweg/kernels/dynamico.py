# SPDX-License-Identifier: Apache-2.0
"""Cases of DYNAMICO's kernels: a rhombus of hexagons, from a file of vectors or made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thalweg.errors import ThalwegError
from thalweg.kernels.assigned import assigned
from thalweg.kernels.cases import Array, Case, Named, refuse_other
from thalweg.kernels.library import all_kernels
from thalweg.kernels.rhombus import ORIENTATION, Rhombus

TOLERANCE = 1e-13
# Arguments by their names in a file of vectors; what is not here is geometry.
WORDS = {
    "velocity": "in_u",
    "surface_pressure": "in_ps",
    "theta_mass": "in_theta_rhodz",
    "gravity": "par_g",
    "distance": "par_de",
    "length": "par_le",
    "area": "par_Ai",
    "dual_area": "par_Av",
    "coriolis": "par_fv",
    "mass_a": "par_mass_dak",
    "top_pressure": "par_ptop",
    "reference_pressure": "par_preff",
    "heat_capacity": "par_cpp",
    "kappa": "par_kappa",
    "mean_a": "par_mass_ak",
    "mean_b": "par_mass_bk",
    "mass": "in_rhodz",
    "theta": "in_theta",
    "buoyancy": "in_theta",
    "geopotential": "in_geopot",
    "exner": "in_pk",
    "mean_geopotential": "in_pk",
    "vorticity": "in_qv",
    "edge_vorticity": "in_qu",
    "flux": "in_hflux",
    "convergence": "in_convm",
    "theta_tendency": "in_dtheta_rhodz",
    "buoyancy_tendency": "in_dtheta_rhodz",
    "velocity_tendency": "in_du",
    "vertical_flux": "in_wflux",
    "momentum_flux": "in_wwuu",
    "pressure_tendency": "in_dps",
}
SAME_AS_ENERGY = ("hflux", "convm", "dtheta_rhodz")  # of the other forms, where a file has none
LEAST_DISTANCE_M = 1.0  # shorter edges are none: their velocity is not changed


@dataclass(frozen=True)
class Variant:
    """A kernel, how its outputs begin in a file, and arguments with other names than WORDS has."""

    kernel: str
    outputs: str
    words: Mapping[str, str]


VARIANTS = {
    "comp_pvort": [
        Variant("pvort", "out_etamass_", {"mass_b": "par_mass_dbk"}),
        Variant("pvort_lagrangian", "out_etalag_", {}),
    ],
    "comp_geopot": [
        Variant("geopot", "out_etamass_", {}),
        Variant(
            "geopot",
            "out_guard_",
            {"surface_pressure": "in_guard_ps", "mean_a": "par_guard_mass_ak"},
        ),
        Variant("geopot_lagrangian", "out_etalag_", {}),
        Variant("geopot_boussinesq", "out_boussinesq_", {}),
    ],
    "comp_caldyn_horiz": [
        Variant("caldyn_horiz", "out_energy_", {"vorticity": "in_qu"}),
        Variant("caldyn_horiz_enstrophy", "out_enstrophy_", {"vorticity": "in_qu"}),
        Variant("caldyn_horiz_boussinesq", "out_boussinesq_", {"vorticity": "in_qu"}),
    ],
    "comp_caldyn_vert": [Variant("caldyn_vert", "out_", {"mass_b": "par_bp"})],
}
KERNELS = {
    name: tuple(dict.fromkeys(each.kernel for each in variants))
    for name, variants in VARIANTS.items()
}


def cases_of(name: str, data: Mapping[str, Array]) -> list[Case]:
    """The variants of vector file `name` on its arrays."""
    named = Named(data, "the data file")
    grid = Rhombus(named.whole("par_iim"), named.whole("par_jjm"))
    _check_numbers(named, grid)
    geometry = _geometry(name, grid, named)
    kernels = all_kernels()
    found = []
    for variant in VARIANTS[name]:
        kernel = kernels[variant.kernel]
        arguments: dict[str, Any] = {}
        expected = {}
        left: dict[str, tuple[str, str]] = {}
        for argument, each in kernel.ir.arguments.items():
            if argument in geometry:
                arguments[argument] = geometry[argument]
                continue
            word = variant.words.get(argument) or WORDS[argument]
            changes = each.type.is_written or word not in named
            value = named[f"{word}_prev" if changes else word]
            arguments[argument] = float(value) if each.type.role == "parameter" else value
            ending = WORDS.get(argument, word).removeprefix("in_")
            output = variant.outputs + ending
            if ending in SAME_AS_ENERGY and output not in named:
                output = f"out_energy_{ending}"
            if each.type.is_written and output in named:
                expected[argument] = named[output]
                left[output] = argument, f"{word}_prev"
        # What a variant only reads, or leaves to others, a file may have unchanged.
        of_any = {word for each in KERNELS[name] for word in kernels[each].ir.arguments}
        read = {WORDS[each] for each in of_any if each in WORDS}
        set_ = {WORDS[each] for each in expected}
        others = {WORDS[each]: word for each, word in variant.words.items() if each in WORDS}
        before = {each: others.get(each, each) for each in sorted(read - set_)}
        _check_unchanged(named, variant.outputs, before)
        named.asked |= {variant.outputs + each.removeprefix("in_") for each in read}
        sizes = grid.sizes(named.whole("par_llm"))
        case = Case(kernel, sizes, grid.tables(), arguments, expected, TOLERANCE).checked()
        for output, (argument, word) in left.items():
            if named[output].shape == named[word].shape:
                alone = ~assigned(kernel, argument, arguments)
                told = f"'{word}' where nothing is assigned"
                refuse_other(output, named[output][alone], named[word][alone], told, 0.0)
        found.append(case)
    return found


def _check_numbers(named: Named, grid: Rhombus) -> None:
    """What a file says twice, and what follows from the size of its rhombus, is as it must be: the
    kernels number points so, and go over the same cells and levels in all their parts.
    """
    wanted = grid.offsets()
    wanted["par_ij_omp_begin"] = named.whole("par_ij_begin")
    wanted["par_ij_omp_end"] = named.whole("par_ij_end")
    wanted["par_ll_beginp1"], wanted["par_ll_endm1"] = 2, named.whole("par_llm") - 1
    for name, right in wanted.items():
        if name in named and named.whole(name) != right:
            raise ThalwegError(
                f"'{name}' of {named.source} is {named.whole(name)}, the kernels want {right}"
            )


def _check_unchanged(named: Named, outputs: str, before: Mapping[str, str]) -> None:
    """before: of what is read as one word, the word of its values in the file."""
    for word, given in before.items():
        name = outputs + word.removeprefix("in_")
        source = next((each for each in (f"{given}_prev", given) if each in named), None)
        if name in named and source:
            refuse_other(name, named[name], named[source], f"'{source}'", 0.0)


def _geometry(name: str, grid: Rhombus, named: Named) -> dict[str, Array]:
    """Points and orientations, and weights as the points see them that use them."""
    owned, extended = _cells(named, ""), _cells(named, "_ext")
    found = {
        "owned": owned,
        "extended": extended,
        "owned_edges": grid.edges_owned_by(owned),
        "extended_edges": grid.edges_owned_by(extended),
        "extended_vertices": grid.vertices_owned_by(extended),
    }
    if name == "comp_pvort":
        found["orientation"] = grid.vertex_orientation()
        found["overlap"] = grid.vertex_overlap(named["par_Riv2"])
    if name == "comp_caldyn_horiz":
        found["orientation"] = np.repeat(ORIENTATION[:, None], grid.cells, axis=1)
        found["weight"] = named["par_Wee"].reshape(10, -1)
        long = named["par_de"] > LEAST_DISTANCE_M
        edges = found["owned_edges"]
        found["owned_edges"] = edges[long[edges] | (edges < grid.cells)]  # right ones in any case
    return found


def _cells(named: Named, which: str) -> Array:
    """From the first to the last, which a file counts from 1."""
    return np.arange(named.whole(f"par_ij_begin{which}") - 1, named.whole(f"par_ij_end{which}"))
