# SPDX-License-Identifier: Apache-2.0
"""The way through the commands of a script."""
