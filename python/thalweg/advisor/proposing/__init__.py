# SPDX-License-Identifier: Apache-2.0
"""From what a run will write and what a machine can do to ranks, modes and partitions."""
