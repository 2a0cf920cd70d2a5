# SPDX-License-Identifier: Apache-2.0
"""What is found out about a kernel, one pass a file."""
