# SPDX-License-Identifier: Apache-2.0
"""The kernels of the mini-models: found, translated, compiled, run and checked."""
