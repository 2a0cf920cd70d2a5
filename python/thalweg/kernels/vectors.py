# SPDX-License-Identifier: Apache-2.0
"""The sets of cases that there are: one for each file of vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from thalweg.errors import ThalwegError, did_you_mean
from thalweg.kernels import dynamico, icon_like, made_dynamico, made_nicam, nicam, nicam_metrics
from thalweg.kernels.any_kernel import case_of_arrays, made_case
from thalweg.kernels.cases import Array, Case, Named, read_vectors
from thalweg.kernels.icon_like_arguments import CALLS
from thalweg.kernels.library import all_kernels, find_kernel, unknown_kernel


@dataclass(frozen=True)
class Vectors:
    """`of_file(data)`: the cases of a file of vectors; `made_up()`: inputs with the same names.

    Without `made_up` each kernel runs on values of its own.
    """

    name: str
    kernels: tuple[str, ...]
    of_file: Callable[[Mapping[str, Array]], list[Case]]
    made_up: Callable[[], Mapping[str, Array]] | None = None

    def cases(self, data: Path | None) -> list[Case]:
        if data is not None:
            arrays = Named(read_vectors(data), "the data file")
            try:
                cases = self.of_file(arrays)
            except (ValueError, TypeError, IndexError) as error:  # of NumPy: a shape or type
                raise ThalwegError(
                    f"an array of '{data}' has not the shape or type of those of {self.name}: "
                    f"{str(error).splitlines()[0]}"
                ) from None
            for name in arrays:
                if name.startswith("out_") and name not in arrays.asked:
                    raise ThalwegError(
                        f"the data file holds '{name}', which {self.name} has no use for."
                        f"{did_you_mean(name, sorted(arrays.asked - {*arrays}))}"
                    )
            return cases
        if self.made_up is not None:
            return self.of_file(self.made_up())
        return [made_case(find_kernel(name)) for name in self.kernels]


VECTORS = (
    Vectors("icon_like", tuple(CALLS), icon_like.cases_of, icon_like.made_up),
    *(
        Vectors(name, kernels, partial(dynamico.cases_of, name), made_dynamico.made_up)
        for name, kernels in dynamico.KERNELS.items()
    ),
    *(
        Vectors(name, kernels, partial(nicam.cases_of, name), made_nicam.made_up)
        for name, kernels in nicam.KERNELS.items()
    ),
    Vectors(nicam_metrics.NAME, nicam_metrics.KERNELS, nicam_metrics.cases_of),
)


def find_cases(name: str, data: Path | None) -> list[Case]:
    """Of a kernel, or of all of a set of vectors, on a file's inputs or on made-up ones.

    `name` as the command has it: of a set, of a kernel, FILE.py or FILE.py:KERNEL.
    """
    for vectors in VECTORS:
        if name == vectors.name or name in vectors.kernels:
            cases = vectors.cases(data)
            return [each for each in cases if name in (vectors.name, each.kernel.name)]
    known = (*(each.name for each in VECTORS), *all_kernels())
    if ".py" not in name and name not in known:
        raise unknown_kernel(name, known)
    kernel = find_kernel(name)
    return [case_of_arrays(kernel, read_vectors(data)) if data else made_case(kernel)]
