# SPDX-License-Identifier: Apache-2.0
"""The first two minutes: serial against asynchronous output, the same bits, one page."""
