# SPDX-License-Identifier: Apache-2.0
"""Cases of NICAM's kernels: a region and the poles, from a file of vectors or made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thalweg.dsl.configuration import Configuration
from thalweg.errors import ThalwegError
from thalweg.kernels.cases import Array, Case, Named, Part, refuse_other
from thalweg.kernels.compiled import Inputs, bind
from thalweg.kernels.library import all_kernels
from thalweg.kernels.region import POLES, RING, Region

TOLERANCE = 1e-12
NO_BOUND = 1e6  # times as large as the others
FLUX_ARCS = ((0, 1), (0, 0), (1, 0))
LIMITED_ARCS = ((0, 0), (0, 0), (0, 0))


@dataclass(frozen=True)
class Arrays:
    """The arrays of a file of vectors, those of the region and those of the poles as one."""

    named: Named

    @property
    def region(self) -> Region:
        return Region(self.named.whole("par_gall_1d") - 2)

    def number(self, name: str) -> float:
        return float(self.named[f"par_{name}"])

    def levels(self, name: str) -> Array:
        return self.named[f"in_{name}"]

    def cells(self, name: str) -> Array:
        """[…, level, cell] of […, l, K, j, i] and […, l, K, v]."""
        return np.concatenate([_flat(self.named[name]), _flat(self.named[f"{name}_pl"], 1)], -1)

    def vector(self, name: str) -> Array:
        return np.stack([self.cells(f"{name}{s}") for s in "xyz"])

    def faces(self, name: str) -> Array:
        """[face, level, cell]; of the cells around a pole they are 0, as is its sixth."""
        poles = self.named[f"{name}_pl"]  # [l, K, v]
        found = np.zeros((6, poles.shape[1], POLES, RING + 1))
        found[:RING, :, :, 0] = np.moveaxis(poles[:, :, 1:], (2, 1, 0), (0, 1, 2))
        return np.concatenate(
            [_flat(self.named[name]), found.reshape(6, poles.shape[1], -1)], axis=-1
        )

    def arcs(self, name: str) -> Array:
        """[…, level, arc] of […, kind, l, K, j, i] and […, l, K, v]."""
        return np.concatenate(
            [_kinds(self.named[name]), _flat(self.named[f"{name}_pl"][..., 1:], 1)], -1
        )

    def triangle_weight(self) -> Array:
        """[component, corner, triangle]."""
        region = np.moveaxis(self.named["in_coef_intp"], (2, 3), (0, 1))  # [d, c, l, t, j, i]
        poles = np.moveaxis(self.named["in_coef_intp_pl"], 0, 2)[..., 1:]  # [d, c, l, v]
        region = np.swapaxes(region, 2, 3)
        return np.concatenate([region.reshape(3, 3, -1), poles.reshape(3, 3, -1)], axis=-1)

    def face_weight(self) -> Array:
        """[component, face, cell]; the file begins with the second face."""
        given = self.named["in_coef_diff"]
        if given[..., 4, 1, 1].any():
            raise ThalwegError(
                f"'in_coef_diff' of {self.named.source} has a weight for the sixth face of the "
                "pentagon, which it has not"
            )
        region = np.moveaxis(np.roll(given, 1, axis=2), 0, 2)  # [d, m, l, j, i]
        poles = np.zeros((3, 6, POLES, RING + 1))
        poles[:, :RING, :, 0] = np.moveaxis(self.named["in_coef_diff_pl"], 0, 2)
        return np.concatenate([region.reshape(3, 6, -1), poles.reshape(3, 6, -1)], axis=-1)


def parts_of(
    region: Region, array: Array, points: Array | None = None, has_components: bool = False
) -> list[Part]:
    """Those of the region and those of the poles, which are arrays of their own in the file."""
    size = array.shape[-1]
    poles = POLES * RING  # triangles or arcs; of cells also the poles themselves
    first_of_poles = size - poles - POLES * ((size - poles - POLES) % region.points == 0)
    there = np.arange(size) if points is None else points
    both = there[there < first_of_poles], there[there >= first_of_poles]
    components = [(each,) for each in range(len(array))] if has_components else [()]
    return [(*each, ..., part) for each in components for part in both if len(part)]


def _with_no_bounds(array: Array, parts: Sequence[Part]) -> list[Part]:
    """Where next to nothing flows out a bound is none, but a number beside which others vanish:
    those are compared by themselves.
    """
    found = []
    sizes = np.abs(array)
    is_bound = sizes <= NO_BOUND * np.median(sizes[sizes > 0]) if sizes.any() else sizes == 0
    for part in parts:
        there = np.zeros(array.shape, bool)
        there[part] = True
        found += [(each,) for each in (there & is_bound, there & ~is_bound) if each.any()]
    return found


def _flat(array: Array, points: int = 2) -> Array:
    """[…, l, K, points…] as […, K, l points]: the regions one behind the other."""
    found = np.moveaxis(array, -2 - points, -1 - points)
    return found.reshape(*found.shape[: -1 - points], -1)


def _kinds(array: Array) -> Array:
    """[…, kind, l, K, j, i] as […, K, kind l j i]."""
    found = np.moveaxis(array, -3, -5)
    return found.reshape(*found.shape[:-4], -1)


def check_counts(named: Named) -> None:
    """Of one region, and of two poles with five neighbours, as the kernels have it."""
    wanted = {"par_lall": 1, "par_lall_pl": POLES, "par_gall_pl": RING + 1}
    if "par_kall" in named:
        wanted["par_vlayer"] = named.whole("par_kall") - 2  # and a ghost layer at either end
    for name, right in wanted.items():
        if name in named and named.whole(name) != right:
            raise ThalwegError(
                f"'{name}' of {named.source} is {named.whole(name)}, the kernels want {right}"
            )


def _of_one_level(array: Array, word: str) -> Array:
    """[n, point] of [n, level, point], which is the same at all levels."""
    if not np.array_equal(array, np.broadcast_to(array[:, :1], array.shape), equal_nan=True):
        raise ThalwegError(f"'{word}' differs from level to level; the kernels have one for all")
    return array[:, 0]


@dataclass(frozen=True)
class Made:
    """A kernel with its arguments, what must come out (None: unknown), and for which cells.

    has_components  of a vector, whose components are arrays of their own in the file
    """

    kernel: str
    arguments: Mapping[str, Any]
    outputs: Mapping[str, Array | None]
    compared: Array | None = None
    has_components: bool = False


def _diffusion(data: Arrays) -> list[Made]:
    region = data.region
    fields = {
        "scalar": data.cells("in_scl"),
        "diffusivity": data.cells("in_kh"),
        "owned": region.owned(),
    }
    fields["tendency"] = np.zeros_like(fields["scalar"])
    weights = _diffusion_weights(data)
    found = _by_reference("diffusion_weights", region, weights)
    triangles = {
        "triangle_weight": weights["triangle_weight"],
        "face_weight": data.face_weight(),
        "owned_triangles": weights["owned_triangles"],
    }
    named = data.named
    outputs = {}
    if "out_dscl" in named:
        regular, poles = _flat(named["out_dscl"]), _flat(named["out_dscl_pl"], 1)
        ring = named["out_dscl_pl"][..., 1:]
        refuse_other("out_dscl_pl", ring, np.zeros_like(ring), "0 around the poles", 0.0)
        right = _flat(named["out_dscl_math"])
        outputs = {
            "diffusion": np.concatenate([right, poles], axis=-1),
            "diffusion_as_published": np.concatenate([regular, poles], axis=-1),
        }
    only_regular = np.isin(region.owned(), region.within(1, 1))
    return [
        Made("diffusion_weights", weights, {}, region.owned()),
        Made("diffusion", fields | found, {"tendency": outputs.get("diffusion")}, region.owned()),
        Made(
            "diffusion_as_published",
            fields | triangles,
            {"tendency": outputs.get("diffusion_as_published")},
            region.owned()[only_regular],  # the published code of the poles is right
        ),
    ]


def _diffusion_weights(data: Arrays) -> dict[str, Any]:
    """What its weights come from. The sixth face of a pentagon is its fifth once more."""
    region, face = data.region, data.face_weight()
    face[:, 5, region.pentagons()] = face[:, 4, region.pentagons()]
    after, before = region.corners_of_neighbours()
    return {
        "triangle_weight": data.triangle_weight(),
        "face_weight": face,
        "there_after": after,
        "there_before": before,
        "owned_triangles": region.owned_triangles(),
        "owned": region.owned(),
        "weight": np.zeros((3, *face.shape[1:])),
    }


def _by_reference(name: str, region: Region, arguments: dict[str, Any]) -> dict[str, Array]:
    """What a kernel without levels sets, for one that comes after it."""
    inputs = Inputs(region.sizes(1), region.tables(), arguments)
    bound = bind(all_kernels()[name], Configuration("numpy"), inputs, Path())
    bound.run()
    return bound.outputs()


def _divdamp(data: Arrays) -> list[Made]:
    region = data.region
    momentum = data.vector("in_rhogv")
    factor = _factor(data.named["in_VMTR_C2WfactGz"]), _factor(data.named["in_VMTR_C2WfactGz_pl"])
    arguments = {
        "momentum": momentum,
        "vertical_momentum": data.cells("in_rhogw"),
        "slope_factor": np.concatenate(factor, axis=-1),
        "half_metric": data.cells("in_VMTR_RGSQRTH"),
        "depth": data.cells("in_VMTR_RGAM"),
        "half_depth": data.cells("in_VMTR_RGAMH"),
        "inverse_thickness": data.levels("GRD_rdgz"),
        "triangle_weight": data.triangle_weight(),
        "face_weight": data.face_weight(),
        "owned_triangles": region.owned_triangles(),
        "owned": region.owned(),
        "damping": np.full_like(momentum, np.nan),
    }
    there = "out_ddivdx" in data.named
    expected = data.vector("out_ddivd") if there else None
    return [Made("divdamp", arguments, {"damping": expected}, region.owned(), True)]


def _factor(array: Array) -> Array:
    """[component, side, level, point] of [l, 2 component + (0 upper, 1 lower), K, points…]."""
    points = array.ndim - 3
    found = np.moveaxis(array, 0, 2).reshape(3, 2, array.shape[2], -1)
    assert points in (1, 2)
    return found[:, ::-1]


def _flux(data: Arrays) -> list[Made]:
    region, named = data.region, data.named
    orientation = region.orientation(region.arcs(FLUX_ARCS))
    orientation[5, region.cell(np.array(1), np.array(1))] = 0.0  # the pentagon has no sixth face
    of_cell = data.cells("in_GMTR_p")[1:2]
    weight = _kinds(named["in_GMTR_t"][2:]), _flat(named["in_GMTR_t_pl"][2:, ..., 1:], 1)
    normal = _kinds(named["in_GMTR_a"][:3]), _flat(named["in_GMTR_a_pl"][:3, ..., 1:], 1)
    density = data.cells("in_rhog_mean")
    levels, arcs = len(density), region.sizes(1)["arcs"]
    centroid = np.zeros((3, levels, arcs))
    centroid[..., region.arcs(FLUX_ARCS)] = np.nan  # what is set is seen to be set
    arguments = {
        "density": density,
        "momentum": data.vector("in_rhogv"),
        "time_step": data.number("dt"),
        "least_density": data.number("const_eps"),
        "triangle_weight": _of_one_level(np.concatenate(weight, axis=-1), "in_GMTR_t"),
        "normal": _of_one_level(np.concatenate(normal, axis=-1), "in_GMTR_a"),
        "midpoint": _of_one_level(data.arcs("in_GRD_xr"), "in_GRD_xr"),
        "inverse_area": _of_one_level(of_cell, "in_GMTR_p")[0],
        "orientation": orientation,
        "owned_triangles": region.owned_triangles(),
        "owned_arcs": region.arcs(FLUX_ARCS),
        "flux": np.where(orientation == 0, 0.0, np.nan)[:, None].repeat(levels, axis=1),
        "centroid": centroid,
    }
    there = "out_flx_h" in named
    for name in ("out_flx_h_pl", "out_GRD_xc_pl") if there else ():
        centre = named[name][..., 0]
        refuse_other(name, centre, np.zeros_like(centre), "0 at the poles themselves", 0.0)
    expected = {
        "flux": data.faces("out_flx_h") if there else None,
        "centroid": data.arcs("out_GRD_xc") if there else None,
    }
    return [Made("horizontal_flux", arguments, expected)]


def _horizontal_limiter(data: Arrays) -> list[Made]:
    region, named = data.region, data.named
    arcs = region.arcs(LIMITED_ARCS)
    flowing = {
        "in_cmask": (named["in_cmask"][:3] != 0).astype(float),
        "in_cmask_pl": (named["in_cmask_pl"] != 0).astype(float),
    }
    inflow = Arrays(Named(flowing, named.source)).arcs("in_cmask")
    common = {
        "tracer": data.cells("in_q"),
        "inflow": inflow,
        "orientation": region.orientation(arcs),
        "limited_arcs": arcs,
    }
    bounds = np.zeros((2, *common["tracer"].shape))
    bounds[..., np.union1d(region.owned(), region.halo())] = np.nan
    first = {
        **common,
        "correction": data.cells("in_d"),
        "courant": data.faces("in_ch"),
        "pole": region.is_pole(),
        "huge": data.number("const_huge"),
        "least": data.number("const_eps"),
        "owned": region.owned(),
        "halo": region.halo(),
        "bounds": bounds,
    }
    second = {
        **common,
        "bounds": data.cells("in_Qout_post"),
        "face_value": _of_anchors(region, common["orientation"], data.faces("in_q_a_prev")),
    }
    there = "out_q_a" in named
    if there:
        after, before = (named[each][..., 0] for each in ("out_q_a_pl", "in_q_a_prev_pl"))
        refuse_other("out_q_a_pl", after, before, "'in_q_a_prev_pl' at the poles themselves", 0.0)
    return [
        Made("outflow_bounds", first, {"bounds": data.cells("out_Qout_prev") if there else None}),
        Made(
            "horizontal_limiter", second, {"face_value": data.faces("out_q_a") if there else None}
        ),
    ]


def _of_anchors(region: Region, orientation: Array, faces: Array) -> Array:
    """A value for each arc that is limited, on both of its sides that of its anchor's face."""
    found, tables = faces.copy(), region.tables()
    for face in range(3, 6):
        cells = np.flatnonzero(orientation[face] < 0)
        anchors = tables["arc_cells"][0][tables["cell_arcs"][face][cells]]
        found[face][:, cells] = faces[face - 3][:, anchors]
    return found


def _vertical_limiter(data: Arrays) -> list[Made]:
    arguments = {
        "tracer": data.cells("in_q"),
        "correction": data.cells("in_d"),
        "courant": data.cells("in_ck"),
        "least": data.number("const_eps"),
        "face_value": data.cells("in_q_h_prev"),
    }
    expected = data.cells("out_q_h") if "out_q_h" in data.named else None
    return [Made("vertical_limiter", arguments, {"face_value": expected})]


SOLVER = {
    "old_momentum": "rhogw0",
    "pressure": "preg0",
    "density": "rhog0",
    "momentum_source": "Sw",
    "density_source": "Srho",
    "pressure_source": "Spre",
    "diagonal": "Mc",
    "below_diagonal": "Ml",
    "above_diagonal": "Mu",
    "depth": "VMTR_RGAM",
    "half_depth": "VMTR_RGAMH",
    "volume": "VMTR_RGSGAM2",
    "half_volume": "VMTR_RGSGAM2H",
    "inverse_half_volume": "VMTR_GSGAM2H",
    "momentum": "rhogw_prev",
}


def _solver(data: Arrays) -> list[Made]:
    arguments: dict[str, Any] = {name: data.cells(f"in_{each}") for name, each in SOLVER.items()}
    arguments |= {
        "inverse_half_thickness": data.levels("GRD_rdgzh"),
        "weight_here": data.levels("GRD_afact"),
        "weight_below": data.levels("GRD_bfact"),
        "time_step": data.number("dt"),
        "gravity": data.number("grav"),
        "gas_constant": data.number("Rdry"),
        "heat_capacity": data.number("CVdry"),
        "hydrostatic": data.number("alpha"),
    }
    expected = data.cells("out_rhogw") if "out_rhogw" in data.named else None
    return [Made("vertical_solver", arguments, {"momentum": expected})]


MAKERS: dict[str, Callable[[Arrays], list[Made]]] = {
    "dyn_diffusion": _diffusion,
    "dyn_divdamp": _divdamp,
    "dyn_horiz_adv_flux": _flux,
    "dyn_horiz_adv_limiter": _horizontal_limiter,
    "dyn_vert_adv_limiter": _vertical_limiter,
    "dyn_vi_rhow_solver": _solver,
}


KERNELS = {
    "dyn_diffusion": ("diffusion_weights", "diffusion", "diffusion_as_published"),
    "dyn_divdamp": ("divdamp",),
    "dyn_horiz_adv_flux": ("horizontal_flux",),
    "dyn_horiz_adv_limiter": ("outflow_bounds", "horizontal_limiter"),
    "dyn_vert_adv_limiter": ("vertical_limiter",),
    "dyn_vi_rhow_solver": ("vertical_solver",),
}


def cases_of(name: str, data: Mapping[str, Array]) -> list[Case]:
    """The kernels of vector file `name` on its arrays."""
    arrays = Arrays(Named(data, "the data file"))
    arrays.named.check_numbers()
    check_counts(arrays.named)
    kernels, tables = all_kernels(), arrays.region.tables()
    sizes = arrays.region.sizes(arrays.named.whole("par_kall"))
    found = []
    for made in MAKERS[name](arrays):
        expected = {each: array for each, array in made.outputs.items() if array is not None}
        compared = {
            each: parts_of(arrays.region, array, made.compared, made.has_components)
            for each, array in expected.items()
        }
        if "bounds" in expected:
            compared["bounds"] = _with_no_bounds(expected["bounds"], compared["bounds"])
        case = Case(
            kernels[made.kernel], sizes, tables, made.arguments, expected, TOLERANCE, compared
        )
        found.append(case.checked())
    return found
