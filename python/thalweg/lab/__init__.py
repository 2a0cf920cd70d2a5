# SPDX-License-Identifier: Apache-2.0
"""Measures: benchmarks with their bars, and sweeps over settings; results are JSON lines."""
