# SPDX-License-Identifier: Apache-2.0
"""Launches the mini-model under mpirun, follows it, and sums up what it took."""
