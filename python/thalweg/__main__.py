# SPDX-License-Identifier: Apache-2.0
"""`python -m thalweg` is the command line."""

from thalweg.cli.start import main

main()
