# SPDX-License-Identifier: Apache-2.0
"""Our own mini-model on a calibrated machine: how long a run takes, and which ways are better."""
