# SPDX-License-Identifier: Apache-2.0
"""Short test runs of a proposal as Slurm jobs, and their times beside the predicted ones."""
