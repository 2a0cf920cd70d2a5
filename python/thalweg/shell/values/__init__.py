# SPDX-License-Identifier: Apache-2.0
"""Variables of a script, and what its words, arithmetic and small programs make of them."""
