# SPDX-License-Identifier: Apache-2.0
"""Targets `mpi` and `onesided`: the code of a target for each rank, and the values that it needs of
neighbours, on their way while it computes points that need none.
"""

from __future__ import annotations

from thalweg.dsl import ir
from thalweg.dsl.configuration import Configuration
from thalweg.dsl.passes.exchanges import find_exchanges
from thalweg.dsl.passes.precision import in_precision
from thalweg.dsl.passes.sweeps import Sweep
from thalweg.dsl.targets import cpp_target, cuda_target
from thalweg.dsl.targets.ranks_around import AroundSweeps, of_own_points
from thalweg.dsl.targets.ranks_text import prelude
from thalweg.dsl.translation import plan_of


def translate(kernel: ir.KernelIR, configuration: Configuration) -> str:
    """One file: `KERNEL_ranks` and `KERNEL_parts` are called once, then the kernel."""
    kernel = in_precision(kernel, configuration)
    plan = plan_of(kernel, configuration)
    kind = _OnDevices if configuration.is_on_device else _OnRanks
    writer = kind(kernel, configuration.of_a_rank(), of_own_points(plan))
    writer.surround(configuration, plan, find_exchanges(kernel, plan))
    text = writer.text()
    return text.replace("// No argument that is set", "// Collective. No argument that is set", 1)


def exchanged_arguments(kernel: ir.KernelIR, configuration: Configuration) -> list[str]:
    """Arguments whose values beyond own points are set to those of their owners."""
    exchanges = find_exchanges(kernel, plan_of(kernel, configuration)).exchanges
    return [name for name in kernel.arguments if any(name in each.names for each in exchanges)]


class _OnRanks(AroundSweeps, cpp_target.Writer):
    """Of ranks that compute on a CPU."""

    def _before(self) -> list[str]:
        """Includes come first, then what ranks are; then `KERNEL_parts`."""
        return [prelude(self.kernel.name, self.target), *self._parts_function()]

    def _parameters(self) -> list[str]:
        return self._with_parts(super()._parameters())

    def _begin(self) -> list[str]:
        return self._find_points()

    def _rooms(self) -> list[str]:
        return self._ranges()

    def _sweeps(self) -> list[str]:
        return self._sweeps_and_exchanges()

    def _of_sweep(self, number: int, sweep: Sweep) -> list[str]:
        return self._sweep(sweep)


class _OnDevices(AroundSweeps, cuda_target.Writer):
    """Of ranks that have a GPU each: messages are packed there, and travel from host to host."""

    has_threads = False

    def _before(self) -> list[str]:
        return [prelude(self.kernel.name, self.target, on_device=True), *self._parts_function()]

    def _parameters(self) -> list[str]:
        return self._with_parts(super()._parameters())

    def _begin(self) -> list[str]:
        return [*self._find_points(), *self._ranges()]

    def _calls(self) -> list[str]:
        return self._sweeps_and_exchanges()

    def _of_sweep(self, number: int, sweep: Sweep) -> list[str]:
        return self._launch(number, sweep)
