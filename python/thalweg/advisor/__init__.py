# SPDX-License-Identifier: Apache-2.0
"""The advisor: what a run will write, told from its script before it runs."""
