# SPDX-License-Identifier: Apache-2.0
"""Grids that kernels are written for, one a file."""
