# SPDX-License-Identifier: Apache-2.0
"""A run directory and its contents: timers, events, metrics, netCDF streams."""
