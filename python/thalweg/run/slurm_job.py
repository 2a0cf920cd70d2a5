# SPDX-License-Identifier: Apache-2.0
"""The Slurm job that this process is in, if it is in one, as its variables tell it."""

from __future__ import annotations

import os
import re

from thalweg.run.machine import core_count


def nodes_of_job() -> int:
    """0: no job."""
    nodes = os.environ.get("SLURM_JOB_NUM_NODES") or os.environ.get("SLURM_NNODES") or ""
    return int(nodes) if os.environ.get("SLURM_JOB_ID") and _is_number(nodes) else 0


def ranks_of_node(ranks: int) -> int:
    """How many of them are on the node with the most, which is this one where there is no job."""
    return min(ranks, _tasks_of_node() or ranks) if nodes_of_job() else ranks


def _tasks_of_node() -> int:
    tasks = re.sub(r"\(x\d+\)", "", os.environ.get("SLURM_TASKS_PER_NODE", ""))  # 4(x2),3
    return min((int(each) for each in tasks.split(",") if _is_number(each)), default=0)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def has_cores(ranks: int, threads: int) -> bool:
    """Whether the job has a core for each thread of all ranks. Nodes are taken to be like this one.
    A node takes as many ranks as it has tasks, and those fill one node after the other.
    """
    nodes, of_node = nodes_of_job(), _tasks_of_node()
    if not nodes or ranks > nodes * of_node:
        return False
    return min(ranks, of_node) * threads <= core_count()
