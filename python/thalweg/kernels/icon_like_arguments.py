# SPDX-License-Identifier: Apache-2.0
"""What the ICON-like kernels' arguments are called in a file of vectors."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Call:
    """Argument: name of its array ("" = begins as NaN) or its value; output: what must come out.

    times  how often the kernel is called, one call after the other
    """

    arguments: dict[str, str | float]
    outputs: dict[str, str] = field(default_factory=dict)
    times: int = 1
    tolerance: float = 1e-14


RISES = {
    "rises": "out_o10_block_level_mask",
    "rises_anywhere": "out_o10_level_mask",
    "largest_rise": "out_o10_block_max",
    "largest_rise_of_all": "out_o10_max",
}
CALLS = {
    "gradient": Call({"temperature": "in_temp", "difference": ""}, {"difference": "out_grad"}),
    "divergence_of_triangles": Call(
        {"flux": "in_grad", "weight": "grid_div_weight", "divergence": ""},
        {"divergence": "out_dvg"},
    ),
    "time_step": Call(
        {"tendency": "in_dvg", "weight": 0.1, "temperature": "in_temp"},
        {"temperature": "out_step_temp"},
    ),
    "neighbour_mean": Call({"temperature": "in_temp", "mean": ""}, {"mean": "out_lap_temp"}),
    "neighbour_mean_twice": Call(
        {"temperature": "in_temp"}, {"temperature": "out_lap10_temp"}, times=5, tolerance=1e-13
    ),
    "vertical_integral": Call(
        {"temperature": "in_temp", "integral": "in_vi_prev"}, {"integral": "out_o2_vi"}
    ),
    "weighted_gradient": Call(
        {"temperature": "in_temp", "weight": "in_cell_param", "difference": ""},
        {"difference": "out_o3_edge"},
    ),
    "cleared_edges": Call({"result": ""}, {"result": "out_o4_edge"}),
    "upwind": Call({"temperature": "in_temp", "slope": "in_grad", "result": ""}),
    "upwind_of_next_level": Call({"temperature": "in_temp", "slope": "in_grad", "result": ""}),
    "indexed_edge_levels": Call(
        {"flux": "flat_in_grad", "result": ""}, {"result": "flat_out_o6_edge"}
    ),
    "indexed_edges": Call({"flux": "in_grad", "result": ""}, {"result": "out_o7_edge"}),
    "weighted_neighbours": Call(
        {
            "flux": "in_grad",
            "edge_weight": "in_o8_a",
            "level_weight": "in_o8_p",
            "result": "in_o8_prev",
        },
        {"result": "out_o8_cell"},
    ),
    "column_recurrence": Call(
        {"temperature": "in_temp", "tendency": "in_dvg", "result": ""}, {"result": "out_o9_cell"}
    ),
    "block_extremes": Call({"tendency": "in_dvg", **dict.fromkeys(RISES, "")}, RISES),
    "laplacian": Call({"temperature": "in_temp", "weight": "grid_div_weight", "result": ""}),
    "component_one": Call(
        {
            "weight": 0.1,
            "edge_weight": "grid_div_weight",
            "temperature": "in_temp",
            "slope": "",
            "tendency": "",
        },
        {
            "temperature": "out_com1x10_temp",
            "slope": "out_com1x10_grad",
            "tendency": "out_com1x10_dvg",
        },
        times=10,
        tolerance=1e-13,
    ),
    "component_two": Call(
        {
            "temperature": "in_temp",
            "flux": "in_grad",
            "edge_weight": "grid_div_weight",
            "tendency": "in_dvg",
            "weight": 0.05,
            **dict.fromkeys(("slope", "divergence", "stepped", "recurrence", *RISES), ""),
        },
        {
            "slope": "out_grad",
            "divergence": "out_dvg",
            "stepped": "out_o1_temp",
            "recurrence": "out_o9_cell",
            **RISES,
        },
    ),
    "component_three": Call(
        {
            "temperature": "in_temp",
            "cell_weight": "in_cell_param",
            "integral": "in_vi_prev",
            **dict.fromkeys(("difference", "cleared", "cleared_again"), ""),
        },
        {
            "integral": "out_o2_vi",
            "difference": "out_o3_edge",
            "cleared": "out_o4_edge",
            "cleared_again": "out_o5_edge",
        },
    ),
    "component_four": Call(
        {
            "temperature": "in_temp",
            "flux": "in_grad",
            "flux_of_all": "flat_in_grad",
            "edge_weight": "in_o8_a",
            "level_weight": "in_o8_p",
            "mixed": "in_o8_prev",
            **dict.fromkeys(("slope", "indexed_of_all", "indexed"), ""),
        },
        {
            "slope": "out_grad",
            "indexed_of_all": "flat_out_o6_edge",
            "indexed": "out_o7_edge",
            "mixed": "out_o8_cell",
        },
    ),
}
