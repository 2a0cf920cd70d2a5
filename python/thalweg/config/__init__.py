# SPDX-License-Identifier: Apache-2.0
"""The one list of settings, the experiment built from it, and durations."""
