# SPDX-License-Identifier: Apache-2.0
"""Makes one file of the files that the writers of mode file_parallel wrote."""
