# SPDX-License-Identifier: Apache-2.0
"""What a simulated year costs: the metrics of CPMIP and the hours of post-processing."""
