# SPDX-License-Identifier: Apache-2.0
"""What was published of the same kernels: lines of the originals, lines written and generated.

Lines of the originals are those published with GGDML (Jumah et al. 2017 and later papers of the
AIMES project), as issue 12 quotes them. The kernels are those of IcoAtmosBenchmark v1
(github.com/aimes-project/IcoAtmosBenchmark_v1), DYNAMICO's in the order of its manual, NICAM's in
that of their names. They are what `counts.py` calls lines, of the subroutine alone: counted by
hand, compute_geopot (comp_geopot, commit bfb32a6), vertical_limiter_thuburn and vi_rhow_solver
(commit 71746c3) have 54, 138 and 138, without directives, which are comments in Fortran.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Original:
    """kernels: ours that do what it does, all variants that it has and what they need."""

    model: str
    name: str
    lines: int
    kernels: tuple[str, ...]


ORIGINALS = (
    Original("DYNAMICO", "comp_pvort", 75, ("pvort", "pvort_lagrangian")),
    Original("DYNAMICO", "comp_geopot", 54, ("geopot", "geopot_lagrangian", "geopot_boussinesq")),
    Original(
        "DYNAMICO",
        "comp_caldyn_horiz",
        206,
        ("caldyn_horiz", "caldyn_horiz_enstrophy", "caldyn_horiz_boussinesq"),
    ),
    Original("DYNAMICO", "comp_caldyn_vert", 59, ("caldyn_vert",)),
    # `diffusion_weights` has no counterpart in the original: ours needs it, so it counts.
    Original("NICAM", "dyn_diffusion", 186, ("diffusion_weights", "diffusion")),
    Original("NICAM", "dyn_divdamp", 250, ("divdamp",)),
    Original("NICAM", "dyn_horiz_adv_flux", 230, ("horizontal_flux",)),
    Original("NICAM", "dyn_horiz_adv_limiter", 287, ("outflow_bounds", "horizontal_limiter")),
    Original("NICAM", "dyn_vert_adv_limiter", 138, ("vertical_limiter",)),
    Original("NICAM", "dyn_vi_rhow_solver", 138, ("vertical_solver",)),
)


@dataclass(frozen=True)
class Translation:
    """Lines in GGDML, and those generated for the targets of its compiler: fewest, most."""

    what: str
    written: int
    fewest: int
    most: int


TRANSLATIONS = (
    Translation("a kernel", 5, 14, 20),
    Translation("a kernel", 10, 21, 218),
    Translation("the application", 161, 531, 946),
)
