# SPDX-License-Identifier: Apache-2.0
"""What tests of kernels compare with: formulas written out without the language, all targets."""
